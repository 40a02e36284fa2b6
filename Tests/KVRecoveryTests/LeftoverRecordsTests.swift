import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Reading logs that are followed by leftover records, from which the last full rewrite copied.
struct LeftoverRecordsTests {
  /// Returns a store that was compacted to fewer entries and then appended to.
  ///
  /// All records that the compaction copied are still there after the log.
  private func simulate(_ seed: UInt64) throws -> Simulation {
    var generator = SeededGenerator(seed: seed)
    var operations: [ScriptOperation] = []
    func set(_ index: Int, _ count: Int) {
      operations.append(
        .set(Key(Array("key\(index)".utf8)), .string(generator.text(count))))
    }
    for count in 0..<60 { set(count % 20, 20 + count % 17) }
    operations.append(.compact)
    for count in 20..<23 { set(count, 10) }
    var simulation = try Simulation(Script(StoreSettings(), operations), seed: seed)
    try simulation.finish()
    return simulation
  }

  /// Returns the files of `simulation` with a changed data file.
  private func image(
    _ simulation: Simulation, _ change: (inout [UInt8]) -> Void
  ) throws -> DiskImage {
    var image = simulation.image
    let data = try #require(image.files.first { $0.role == .data })
    var bytes = data.bytes
    change(&bytes)
    image.replace(data.name, with: bytes)
    return image
  }

  @Test(arguments: UInt64(1)...6)
  func copiesAfterTheLogCorrectIt(seed: UInt64) throws {
    let simulation = try simulate(seed)
    var generator = SeededGenerator(seed: seed)
    let image = try image(simulation) { bytes in
      for start in [60, 200, 300] {
        bytes.replaceSubrange(start..<start + 24, with: generator.bytes(24))
      }
    }
    let store = MMKVFormat(now: simulation.now).open(image.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: simulation.now)
    let best = try #require(diagnosis.best)
    #expect(diagnosis.verdict == .repairable)
    #expect(store.entries(best.snapshot.live) == simulation.entries)
    #expect(best.snapshot.live.allSatisfy { best.evidence(of: $0) == .corrected })
    let finding = try #require(diagnosis.findings.first { $0.code == "mmkv.corrected" })
    #expect(finding.odds?.isProven == true && finding.rules == ["mmkv.copied-records"])
  }

  /// Tests that wrong entries are marked if the copies after the log are damaged too.
  ///
  /// If no checksum decides between them, the copies are no better than the log.
  @Test(arguments: UInt64(1)...6)
  func damagedCopiesAreNotTaken(seed: UInt64) throws {
    let simulation = try simulate(seed)
    var generator = SeededGenerator(seed: seed)
    let image = try image(simulation) { bytes in
      for start in [60, 200, 300] {
        bytes.replaceSubrange(start..<start + 24, with: generator.bytes(24))
      }
      bytes.replaceSubrange(900..<1800, with: generator.bytes(900))
    }
    let store = MMKVFormat(now: simulation.now).open(image.storeFiles()).corrected()
    let best = try #require(Diagnosis(of: store, now: simulation.now).best)
    let truth = simulation.entries
    for record in best.snapshot.live where truth[store.key(of: record)] != store.value(of: record) {
      #expect(best.evidence(of: record) <= .structure)
      #expect(!best.cautions(of: record).isEmpty)
    }
  }

  /// Tests that lost entries are read from after the log, as guesses.
  ///
  /// After bytes are deleted, no checksum can decide.
  @Test(arguments: UInt64(1)...6)
  func lostRecordsAreReadFromAfterTheLog(seed: UInt64) throws {
    let simulation = try simulate(seed)
    var generator = SeededGenerator(seed: seed)
    let image = try image(simulation) { bytes in
      bytes.replaceSubrange(150..<290, with: generator.bytes(137))
    }
    let store = MMKVFormat(now: simulation.now).open(image.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: simulation.now)
    let best = try #require(diagnosis.best)
    let log = try #require(best.log)
    let older = best.snapshot.live.filter { $0.offset >= log.end }
    #expect(!older.isEmpty)
    #expect(diagnosis.findings.contains { $0.code == "store.leftover-records" })
    for record in older {
      #expect(best.evidence(of: record) == .guess)
      #expect(best.cautions(of: record).contains(.mayBeStale))
      #expect(simulation.entries[store.key(of: record)] == store.value(of: record))
    }
    let given = store.entries(best.snapshot.live)
    let right = simulation.entries.count { given[$0.key] == $0.value }
    #expect(right >= simulation.entries.count - 1)
    try expectLive(older, in: store, diagnosis, best)
  }

  /// Expects that records which are read from after the log are live wherever they are shown.
  private func expectLive(
    _ older: [Record], in store: MMKVStore, _ diagnosis: Diagnosis, _ best: StoreState
  ) throws {
    var live: [Record: Assessment] = [:]
    var residual = 0
    History(of: store, by: best).forEach { event in
      guard case .record(let record, let fate, let assessment) = event else { return }
      if fate == .live { live[record] = assessment }
      if fate == .slack { residual += 1 }
    }
    #expect(Set(live.keys) == Set(best.snapshot.live))
    let judgement = Judgement(of: store, best)
    let log = try #require(best.log)
    for record in older {
      #expect(live[record]?.probability == judgement.assessment(of: record).probability)
    }
    #expect(diagnosis.past?.residual == nil || diagnosis.past?.residual == residual)
    #expect(diagnosis.coverage.live == live.keys.reduce(0) { $0 + $1.count })
    // Zeros that no record has are no remains.
    let slack = log.end..<((store.lastNonzero(in: store.logArea) ?? log.end) + 1)
    let taken = older.reduce(0) { $0 + $1.count }
    #expect(diagnosis.past?.residualBytes == max(0, slack.count - taken))
    let total = store.files.reduce(0) { $0 + $1.image.count }
    #expect(diagnosis.coverage.total == total)
  }

  /// Tests that nothing is read from after an intact log.
  @Test(arguments: UInt64(1)...6)
  func soundLogsAreLeftAlone(seed: UInt64) throws {
    let simulation = try simulate(seed)
    let store = MMKVFormat(now: simulation.now).open(simulation.image.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: simulation.now)
    #expect(diagnosis.verdict == .clean)
    #expect(store.entries(diagnosis.best?.snapshot.live ?? []) == simulation.entries)
    #expect(!diagnosis.findings.contains { $0.code == "store.leftover-records" })
  }
}
