import KVModel

/// A corpus of damaged stores of every format and kind, made from one seed.
package struct Corpus: Sendable {
  /// A case of the corpus.
  package struct Case: Sendable {
    /// The case's entry in the manifest.
    package let entry: CorpusManifest.Case
    /// The files and their answer key.
    package let store: DamagedStore
  }

  /// The number of operations between the state that stale files come from and the final one.
  private static let earlierBy = 3

  private let seed: UInt64
  private let placements: Int
  private let formats: Set<SimulatedFormat>
  private let generatorName: String

  /// Creates the corpus of `seed`.
  ///
  /// The cases of a format do not depend on which other formats are included.
  ///
  /// `placements` is the number of placements for each operator that has a choice.
  ///
  /// - Precondition: `placements` is positive.
  package init(
    seed: UInt64, placements: Int = 2,
    formats: Set<SimulatedFormat> = Set(SimulatedFormat.allCases),
    madeBy generatorName: String
  ) {
    precondition(placements > 0)
    self.seed = seed
    self.placements = placements
    self.formats = formats
    self.generatorName = generatorName
  }

  /// Calls `body` with each case, and returns the manifest.
  ///
  /// A kind of store that cannot be made, or is not healthy, is omitted. The manifest says why.
  ///
  /// - Throws: Any error that `body` throws.
  package func forEachCase(
    _ body: (Case) throws(FixtureError) -> Void
  ) throws(FixtureError) -> CorpusManifest {
    var generator = SeededGenerator(seed: seed)
    var manifest = CorpusManifest(
      schema: CorpusManifest.currentSchema, generator: generatorName, seed: String(seed),
      placements: placements, cases: [], omitted: [])
    for format in SimulatedFormat.allCases {
      for base in CorpusBase.allCases where format.engine.bases.contains(base) {
        // Each store has its own generator, so that a store that cannot be made does not change the
        // others.
        var own = SeededGenerator(seed: generator.next())
        guard formats.contains(format) else { continue }
        switch Self.target(format, base, &own) {
        case .success(let target):
          for found in cases(of: target, base, &own) {
            try body(found)
            manifest.cases.append(found.entry)
          }
        case .failure(let error):
          manifest.omitted.append(
            .init(format: format.rawValue, base: base.rawValue, reason: error.message))
        }
      }
    }
    return manifest
  }

  private static func target(
    _ format: SimulatedFormat, _ base: CorpusBase, _ generator: inout SeededGenerator
  ) -> Result<DamageTarget, FixtureError> {
    do throws(ScriptError) {
      let own = try SimulationRun(
        base.script(for: format, using: &generator), seed: generator.next(), earlierBy: earlierBy)
      let foreign = try SimulationRun(
        base.script(for: format, using: &generator), seed: generator.next(), earlierBy: 1)
      return Result { () throws(FixtureError) in try DamageTarget(own, foreign: foreign.image) }
    } catch {
      return .failure(.script(error))
    }
  }

  private func cases(
    of target: DamageTarget, _ base: CorpusBase, _ generator: inout SeededGenerator
  ) -> [Case] {
    var cases: [Case] = []
    for damage in [.none] + DamageOperator.all {
      var found: [DamagedStore] = []
      for _ in 0..<(damage.hasPlacements ? placements : 1) {
        guard let store = damage.apply(to: target, seed: generator.next()),
          !found.contains(where: { $0.damage == store.damage })
        else { continue }
        found.append(store)
      }
      for (index, store) in found.enumerated() {
        let name = "\(target.format.name)-\(base.rawValue)-\(damage.name)-\(index + 1)"
        cases.append(
          Case(
            entry: CorpusManifest.Case(
              name: name, format: target.format.name, base: base.rawValue,
              damage: damage.name, store: CorpusLayout.path(of: name) + "/" + store.answer.store,
              answer: CorpusLayout.path(of: name) + "/" + CorpusLayout.answerName),
            store: store))
      }
    }
    return cases
  }
}
