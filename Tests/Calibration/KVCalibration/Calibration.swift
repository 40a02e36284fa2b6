package import KVFixtures
package import KVModel
import KVRecovery

/// Measures how often kvfsck is wrong when it claims to be right, on freshly damaged stores.
///
/// Each store has its own seed, from which it can be made again. The first store has the seed of
/// the whole run.
///
/// ```swift
/// let calibration = Calibration(seed: 7, formats: [.mmkv])
/// let report = calibration.report(stores: 1000)
/// print(report.isSound)
/// ```
package struct Calibration: Sendable {
  /// The damage to draw from.
  package enum DamageChoice: Hashable, Sendable {
    /// One or two operators of any kind.
    case any
    /// Two or three operators, mostly from ``DamageOperator/further``.
    case heavy
    /// The operator with this name.
    case named(String)
  }

  /// A store made from a seed, and the damage done to it.
  package struct Case: Sendable {
    /// The healthy store.
    package let target: DamageTarget
    /// The names of the operators, in the order in which they were drawn.
    package let damages: [String]
    /// The combined damage of all operators.
    package let damage: Damage
    /// The damaged files.
    package let image: DiskImage
    let run: SimulationRun
    let seed: UInt64

    /// The format of the store, with its key and the clock of its engine.
    package var format: any StoreFormat {
      run.format.format.storeFormat(key: run.key, now: run.now)
    }
    /// The current time of the store's engine, in seconds since 1970.
    package var now: UInt32 { run.now }

    /// The damaged store with its answer key.
    package var store: DamagedStore {
      DamagedStore(target, damage, image, by: damages.joined(separator: "+"), seed: seed)
    }
  }

  /// The reason why a seed gives no damaged store.
  private enum Omission: Error {
    /// The seed gives no store, or one without anything to damage.
    case none
    /// The healthy store is not reported as clean.
    case unhealthy(SimulationRun, String)
  }

  /// The maximum number of draws per store to find operators that have something to act on.
  private static let attempts = 24

  /// The seed that determines every random choice.
  package let seed: UInt64
  private let formats: [SimulatedFormat]
  private let damage: DamageChoice

  /// Creates a calibration with stores of `formats`.
  ///
  /// - Precondition: `formats` is not empty, and a named operator exists.
  package init(
    seed: UInt64, formats: [SimulatedFormat] = SimulatedFormat.allCases,
    damage: DamageChoice = .any
  ) {
    precondition(!formats.isEmpty)
    if case .named(let name) = damage { precondition(DamageOperator.named(name) != nil) }
    self.seed = seed
    self.formats = formats
    self.damage = damage
  }

  /// Returns a report on `count` stores, or on fewer if `isCancelled` returns `true` between two of
  /// them.
  ///
  /// `progress` is called before each store with the number of stores done.
  package func report(
    stores count: Int, isCancelled: () -> Bool = { false }, progress: (Int) -> Void = { _ in }
  ) -> CalibrationReport {
    var report = CalibrationReport()
    var seeds = SeededGenerator(seed: seed)
    for index in 0..<count {
      if isCancelled() { break }
      progress(index)
      look(at: index == 0 ? seed : seeds.next(), &report)
    }
    report.sort()
    return report
  }

  /// Returns the case made from `seed`, or `nil` if the seed gives no store that can be damaged.
  package func damagedCase(seed: UInt64) -> Case? {
    guard case .success(let found) = make(seed) else { return nil }
    return found
  }

  // MARK: Making cases

  private func make(_ seed: UInt64) -> Result<Case, Omission> {
    Result { () throws(Omission) in try makeCase(seed) }
  }

  private func makeCase(_ seed: UInt64) throws(Omission) -> Case {
    var generator = SeededGenerator(seed: seed)
    // Exactly one number is drawn even for a single format, so that it makes the same store.
    let format = formats[Int(generator.next() % UInt64(formats.count))]
    let run = try run(RandomStore(format, SeededGenerator(seed: generator.next())), &generator)
    let other = SeededGenerator(seed: generator.next())
    let foreign = try self.run(RandomStore(format, other, isSmall: true), &generator)
    let target: DamageTarget
    do throws(FixtureError) {
      target = try DamageTarget(run, foreign: foreign.image)
    } catch {
      throw .unhealthy(run, error.message)
    }
    guard target.truth == run.entries else {
      throw .unhealthy(run, "the store is reported as clean but read with wrong entries")
    }
    let (damages, damage) = draw(target, &generator)
    let image = damage.applied(to: target.image)
    guard !damages.isEmpty, image != target.image, !image.files.isEmpty else { throw .none }
    return Case(
      target: target, damages: damages, damage: damage, image: image, run: run, seed: seed)
  }

  private func run(
    _ random: RandomStore, _ generator: inout SeededGenerator
  ) throws(Omission) -> SimulationRun {
    var random = random
    let steps = Int.random(in: 1...8, using: &generator)
    let run: SimulationRun
    do throws(ScriptError) {
      run = try SimulationRun(random.script(), seed: generator.next(), earlierBy: steps)
    } catch {
      throw .none
    }
    guard !run.image.files.isEmpty else { throw .none }
    return run
  }

  /// Returns the names of operators that have something to act on, and their combined damage.
  private func draw(
    _ target: DamageTarget, _ generator: inout SeededGenerator
  ) -> ([String], Damage) {
    let all = DamageOperator.all + DamageOperator.further
    let choices: [DamageOperator]
    let count: Int
    switch damage {
    case .any: (choices, count) = (all, Int.random(in: 1...2, using: &generator))
    case .heavy:
      (choices, count) = (
        all + DamageOperator.further + DamageOperator.further,
        Int.random(in: 2...3, using: &generator)
      )
    case .named(let name): (choices, count) = (DamageOperator.named(name).map { [$0] } ?? [], 1)
    }
    var names: [String] = []
    var damage = Damage([])
    for _ in 0..<Self.attempts where names.count < count {
      guard let chosen = choices.randomElement(using: &generator),
        let next = chosen.damage(to: target, using: &generator), !next.isEmpty,
        let both = damage.combined(with: next)
      else { continue }
      names.append(chosen.name)
      damage = both
    }
    return (names, damage)
  }

  // MARK: Judging cases

  private func look(at seed: UInt64, _ report: inout CalibrationReport) {
    report.stores += 1
    switch make(seed) {
    case .success(let found): count(found, &report)
    case .failure(.none): report.omitted += 1
    case .failure(.unhealthy(let run, let reason)):
      var judgement = judge(run.image, Damage([]), run, [])
      // If the store reads as clean, it was refused for another reason, which says nothing about
      // kvfsck.
      guard judgement.verdict != .clean || judgement.tally.right < run.entries.count else {
        report.omitted += 1
        return
      }
      judgement.tally.storesMisread = 1
      let cipher = Self.cipherName(run.format, run.key)
      report.tallies[.init(format: run.format, cipher: cipher, damage: "none"), default: .init()] +=
        judgement.tally
      report.add(
        CalibrationProblem(
          kind: .healthy, seed: seed, format: run.format, cipher: cipher, damages: [], weight: 1,
          message: judgement.finding.map { "\(judgement.verdict.rawValue): \($0)" } ?? reason))
    }
  }

  private func count(_ found: Case, _ report: inout CalibrationReport) {
    let run = found.run
    let cipher = Self.cipherName(run.format, run.key)
    report.byteCount += found.image.files.reduce(0) { $0 + $1.bytes.count }
    let healthy = CalibrationReport.Group(format: run.format, cipher: cipher, damage: "none")
    report.tallies[healthy, default: .init()] += Self.healthyTally(of: run)
    let judgement = judge(found.image, found.damage, run, found.target.logs)
    let total = CalibrationReport.Group(format: run.format, cipher: cipher, damage: "all")
    report.totals[total, default: .init()] += judgement.tally
    for name in Set(found.damages) {
      let group = CalibrationReport.Group(format: run.format, cipher: cipher, damage: name)
      report.tallies[group, default: .init()] += judgement.tally
    }
    for claim in judgement.claims {
      let kind = CalibrationReport.Correction(
        format: run.format, code: claim.code, size: claim.size)
      report.corrections[kind, default: .init()].add(bits: claim.bits, isTrue: claim.isTrue)
    }
    note(judgement, of: found, &report)
  }

  /// Adds the false claims about a damaged store to the report.
  private func note(
    _ judgement: StoreJudge.Judgement, of found: Case, _ report: inout CalibrationReport
  ) {
    func add(_ kind: CalibrationProblem.Kind, weight: Int, _ message: String) {
      report.add(
        CalibrationProblem(
          kind: kind, seed: found.seed, format: found.run.format,
          cipher: Self.cipherName(found.run.format, found.run.key), damages: found.damages,
          weight: weight, message: message))
    }
    let tally = judgement.tally
    if tally.asSound > 0 {
      add(
        .asSound, weight: tally.asSound,
        "\(tally.asSound) of \(tally.entries) entries, such as \(judgement.example ?? "")")
    }
    if tally.storesLostUnsaid > 0 {
      let lost = tally.entries - tally.right
      add(
        .verdict, weight: lost,
        "\(judgement.verdict.rawValue), but \(lost) of \(tally.entries) entries are lost")
    }
    for claim in judgement.claims where !claim.isTrue {
      guard let bits = claim.bits, bits >= CoincidenceOdds.correctedBits else { continue }
      add(.correction, weight: bits, "\(claim.code), \(claim.size.rawValue), with \(bits) bits")
    }
  }

  private func judge(
    _ image: DiskImage, _ damage: Damage, _ run: SimulationRun, _ logs: [TargetLog]
  ) -> StoreJudge.Judgement {
    StoreJudge(
      healthy: run.image, damage: damage, truth: run.entries, history: run.history,
      earlier: run.earlierEntries, logs: logs, now: run.now
    ).judge(image, as: run.format.format.storeFormat(key: run.key, now: run.now))
  }

  /// Returns the tally of a healthy store that is read correctly.
  private static func healthyTally(of run: SimulationRun) -> SoundnessTally {
    var tally = SoundnessTally()
    tally.stores = 1
    tally.entries = run.entries.count
    tally.right = run.entries.count
    return tally
  }

  private static func cipherName(_ format: SimulatedFormat, _ key: StoreKey?) -> String {
    key.map(StoreVariety.of(format).cipherName) ?? "none"
  }
}
