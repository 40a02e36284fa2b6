import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVTestSupport
import KVToolkit
import SystemPackage
import Testing

/// Stores of formats without a log, written as their libraries write them, stopped and damaged.
struct TableCorpusTests {
  private static func restorer(_ format: TableFormat) throws -> any EntryRestorer {
    try #require(
      FormatCatalog.standard.readers(FormatOptions(now: 0), named: format.formatName).first
        as? any EntryRestorer)
  }

  private static func read(
    _ image: DiskImage, _ reader: any EntryRestorer
  ) -> EntryTable? {
    try? reader.table(reader.discover(at: ImageSource.folder, in: ImageSource(image)))
  }

  private static func seeds() -> [UInt64] { RandomSeeds.fresh(TestExtent.count(30, of: 300)) }

  /// Tests that a store is read as it was written, and that the library is said to load all of it.
  @Test(arguments: TableFormat.written)
  func whatALibraryWritesIsClean(format: TableFormat) throws {
    let reader = try Self.restorer(format)
    for seed in Self.seeds() {
      var random = RandomTable(format, seed: seed)
      let entries = random.entries()
      let store = try TableSimulator(format, StoreSettings(), writing: entries)
      let read = Self.read(store.disk.image, reader)
      let table = try #require(read)
      #expect(table.verdict == .clean, "seed \(seed)")
      #expect(table.entries.count(notIn: entries) == 0, "seed \(seed)")
      #expect(table.entries.count == entries.count, "seed \(seed)")
      #expect(table.lostCount == 0, "seed \(seed)")
    }
  }

  /// Tests that after a crash at any moment, every value whose bytes are there is found, that none is
  /// wrong without a caution, and that what the library loads is predicted.
  @Test(arguments: TableFormat.written)
  func crashesAreReadAndPredicted(format: TableFormat) throws {
    let reader = try Self.restorer(format)
    var kills = 0
    var losses = 0
    var kept = 0
    for seed in RandomSeeds.fresh(TestExtent.count(6, of: 300)) {
      var random = RandomTable(format, seed: seed)
      let entries = random.entries().prefix(8)
      let operations =
        entries.map { ScriptOperation.set($0.key, $0.value) }
        + random.operations(on: Array(entries))
      var limits = CrashRun.Limits(powerLosses: 2, isThorough: true)
      limits.firstOperation = entries.count
      let run = CrashRun(
        Script(StoreSettings(writing: format), operations), as: format, readBy: reader,
        seed: seed, limits: limits)
      let report = try run.report()
      for problem in report.problems {
        Issue.record(
          "seed \(seed), operation \(problem.line): \(problem.kind), \(problem.state.cause.text)")
      }
      kills += report.kills.states
      losses += report.powerLosses.states
      kept += report.kills.kept + report.powerLosses.kept
      #expect(report.kills.missed + report.powerLosses.missed == 0)
    }
    print(
      "\(format.rawValue): \(kills) states after a kill, \(losses) after a power loss, \(kept) values"
    )
    #expect(kills > 0 && losses > 0 && kept > 0)
  }
}

/// Stores of formats without a log with damage whose effect is known.
struct TableDamageTests {
  /// What was read of damaged stores.
  private struct Score {
    var required = 0
    var found = 0
    /// Values that are wrong without a caution, although no byte of the entry was touched.
    var wrong = 0
    /// Values that are wrong without a caution, whose own bytes were changed.
    var undetected = 0
    var returned = 0
    var misses: [String] = []
  }

  private static func score(
    _ damaged: DamagedStore, _ target: TableTarget, _ restorer: any EntryRestorer,
    _ label: String, _ score: inout Score
  ) throws {
    let source = ImageSource(damaged.image)
    let table = try? restorer.table(restorer.discover(at: ImageSource.folder, in: source))
    var found: [Key: TypedEntry] = [:]
    for entry in table?.newest ?? [] { found[entry.key] = entry }
    let answer = damaged.answer
    let must = Set(answer.must)
    for entry in target.entries {
      let isRight = found[entry.key].map { $0.value.isSame(as: entry.value) } ?? false
      let name = Hexadecimal.text(entry.key.bytes)
      if must.contains(name) {
        score.required += 1
        score.found += isRight ? 1 : 0
        if !isRight { score.misses.append(label) }
      }
    }
    let truth = Dictionary(target.entries.map { ($0.key, $0.value) }) { $1 }
    for (key, entry) in found {
      score.returned += 1
      guard truth[key].map({ !$0.isSame(as: entry.value) }) ?? true,
        entry.origin.cautions.isEmpty
      else { continue }
      let isUntouched = answer.untouched.contains(Hexadecimal.text(key.bytes))
      score.wrong += isUntouched ? 1 : 0
      score.undetected += isUntouched ? 0 : 1
    }
  }

  /// Tests that nearly all values whose bytes are whole are read of a damaged store, and that few are
  /// wrong without a caution.
  @Test(arguments: TableFormat.written)
  func wholeEntriesAreFound(format: TableFormat) throws {
    let restorer = try #require(
      FormatCatalog.standard.readers(FormatOptions(now: 0), named: format.formatName).first
        as? any EntryRestorer)
    var all = Score()
    for damage in TableDamageOperator.all {
      var own = Score()
      for seed in RandomSeeds.fresh(TestExtent.count(30, of: 300)) {
        var random = RandomTable(format, seed: seed)
        let store = try TableSimulator(format, StoreSettings(), writing: random.entries())
        let source = ImageSource(store.disk.image)
        let target = try TableTarget(
          restorer.table(restorer.discover(at: ImageSource.folder, in: source)))
        guard let damaged = damage.apply(to: target, seed: seed) else { continue }
        try Self.score(damaged, target, restorer, "\(damage.name) \(seed)", &own)
      }
      print(
        "\(format.rawValue) \(damage.name): \(own.found) of \(own.required) whole entries, "
          + "\(own.wrong) wrong, \(own.undetected) of \(own.returned) undetected")
      all.required += own.required
      all.found += own.found
      all.wrong += own.wrong
      all.undetected += own.undetected
      all.returned += own.returned
      all.misses += own.misses.prefix(3)
    }
    print("\(format.rawValue): missed in \(all.misses)")
    #expect(Double(all.found) >= 0.9 * Double(all.required))
    #expect(all.wrong == 0, "\(format.rawValue)")
    // Without checksums, a letter that changes in a text is not seen.
    #expect(all.undetected * 16 <= all.returned, "\(format.rawValue)")
  }
}

extension TableFormat {
  /// The formats that this build can write: the names of AsyncStorage's files need MD5.
  fileprivate static var written: [TableFormat] {
    #if Encryption
      allCases
    #else
      allCases.filter { $0 != .asyncStorage }
    #endif
  }
}
