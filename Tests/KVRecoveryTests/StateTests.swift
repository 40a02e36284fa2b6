import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct StateTests {
  /// Ten entries, of which a second full rewrite confirmed the first four.
  private var builder: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    for index in 0..<10 {
      if index == 4 {
        let payload = builder.payload
        builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
      }
      builder.put("key \(index)", text: "value \(index)")
    }
    return builder
  }

  private func keys(_ state: StoreState?, of store: MMKVStore) -> [String] {
    (state?.snapshot.live ?? []).compactMap { store.key(of: $0).text }
  }

  private let all = (0..<10).map { "key \($0)" }

  @Test func wholeStoreHasItsCurrentStateAndTheConfirmedOne() {
    let store = builder.open()
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.states.map(\.name) == [.current, .confirmed])
    #expect(keys(diagnosis.state(.current), of: store) == all)
    #expect(keys(diagnosis.state(.confirmed), of: store) == Array(all.prefix(4)))
    #expect(diagnosis.states.allSatisfy { $0.isSound && $0.weakestEvidence == .checksum })
    #expect(diagnosis.best?.name == .current && diagnosis.verified?.name == .current)
    #expect(diagnosis.verdict == .clean)
  }

  @Test(arguments: [0, 4, 9, 60, 4092, 5000, 0xffff_ffff] as [UInt32])
  func wrongSizeIsFoundOutByTheDigest(_ size: UInt32) {
    var builder = builder
    builder.header = 0
    builder.actualCount = size
    let store = builder.open()
    let diagnosis = expectSound(store, now: 0)
    let salvaged = diagnosis.state(.salvaged)
    #expect(salvaged?.log == Extent(.data, 4..<4 + builder.payload.count))
    #expect(salvaged?.isSound == true && salvaged?.weakestEvidence == .checksum)
    #expect(keys(salvaged, of: store) == all)
    #expect(diagnosis.best?.name == .salvaged)
    #expect(diagnosis.verdict == .repairable)
    #expect(salvaged?.snapshot.live.allSatisfy { salvaged?.cautions(of: $0) == [] } == true)
  }

  @Test func otherSizeThatTheDigestFitsIsTaken() {
    var builder = builder
    builder.actualCount = 9
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.best?.name == .salvaged && diagnosis.best?.isSound == true)
    #expect(diagnosis.best?.message.contains("header") == true)
  }

  @Test func changedValueIsNotVerifiedAndSaysSo() throws {
    let builder = builder
    var data = builder.data
    // "value 7" changes. The log still decodes, but its checksum does not match and cannot correct
    // the change.
    let offset = try #require(data.firstRange(of: Array("value 7".utf8))?.lowerBound)
    data.replaceSubrange(offset..<offset + 6, with: Array("WALTER".utf8))
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: data, meta: builder.meta)
    ).corrected()
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.verdict == .damaged)
    let salvaged = try #require(diagnosis.state(.salvaged))
    #expect(keys(salvaged, of: store) == all)
    for record in salvaged.snapshot.live {
      let index = try #require(store.key(of: record).text?.last?.wholeNumberValue)
      #expect(salvaged.evidence(of: record) == .structure)
      // The confirmed part is intact, but a newer value of one of its keys may have been damaged.
      #expect(salvaged.cautions(of: record) == (index < 4 ? [.mayBeStale] : [.mayBeDamaged]))
    }
    // Only the confirmed state is verified.
    #expect(diagnosis.verified?.name == .confirmed)
  }

  @Test func whatIsFoundAfterAGapIsAGuess() throws {
    var builder = builder
    builder.confirmed = nil
    var data = builder.data
    let offset = try #require(data.firstRange(of: Array("key 5".utf8))?.lowerBound)
    // The lengths of key and value, and the bytes between them.
    for index in offset - 1..<offset + 7 { data[index] = 0xff }
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: data, meta: builder.meta)
    ).corrected()
    let diagnosis = expectSound(store, now: 0)
    let salvaged = try #require(diagnosis.state(.salvaged))
    #expect(keys(salvaged, of: store) == all.filter { $0 != "key 5" })
    #expect(salvaged.snapshot.gaps.count == 1)
    for record in salvaged.snapshot.live {
      let isAfter = record.offset > offset
      // From the third record on, the log is known to be in sync, because it leads to the stated
      // end. The record before the damage may be a torn write.
      let isGuess = ["key 4", "key 6", "key 7"].contains(store.key(of: record).text)
      #expect(salvaged.evidence(of: record) == (isGuess ? .guess : .structure))
      #expect(salvaged.cautions(of: record).contains(.mayBeStale) == !isAfter)
      #expect(salvaged.cautions(of: record).contains(.mayBeDamaged))
    }
    #expect(salvaged.weakestEvidence == .guess)
  }

  @Test func anEntryBetweenTwoGapsMayBeStale() throws {
    var builder = builder
    builder.confirmed = nil
    var data = builder.data
    for key in ["key 3", "key 7"] {
      let offset = try #require(data.firstRange(of: Array(key.utf8))?.lowerBound)
      for index in offset - 1..<offset + 7 { data[index] = 0xff }
    }
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: data, meta: builder.meta)
    ).corrected()
    let salvaged = try #require(expectSound(store, now: 0).state(.salvaged))
    #expect(salvaged.gaps.count == 2)
    #expect(keys(salvaged, of: store) == all.filter { $0 != "key 3" && $0 != "key 7" })
    for record in salvaged.snapshot.live {
      // A newer value may have been in the second gap, which follows these entries.
      let index = try #require(store.key(of: record).text?.last?.wholeNumberValue)
      #expect(salvaged.cautions(of: record).contains(.mayBeStale) == (index < 7), "key \(index)")
    }
  }

  @Test func logThatWasCutOffKeepsWhatIsLeft() throws {
    let builder = builder
    let offset = try #require(builder.data.firstRange(of: Array("value 7".utf8))?.lowerBound)
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: Array(builder.data.prefix(offset + 3)), meta: builder.meta)
    ).corrected()
    let diagnosis = expectSound(store, now: 0)
    #expect(keys(diagnosis.best, of: store) == Array(all.prefix(7)))
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    #expect(plan.isLossy && plan.isNeeded)
    #expect(plan.kept.allSatisfy { $0.cautions.contains(.mayBeStale) })
  }

  // MARK: After the log

  @Test func discardedStoreStillHasItsStateBeforeThat() throws {
    // The engine responds to damage by setting sizes and checksums to 0. The records stay.
    let builder = builder
    var empty = MMKVFixtureBuilder()
    empty.prefix = []
    empty.confirmed = (0, 0)
    empty.sequence = builder.sequence + 1
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: builder.data, meta: empty.meta)
    ).corrected()
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.best?.name == .current && diagnosis.best?.snapshot.live == [])
    let older = try #require(diagnosis.state(.beforeReset))
    #expect(keys(older, of: store) == all)
    #expect(older.weakestEvidence < .corrected && !older.isSound)
    // This state is offered, but by default no entry is taken from it.
    var planner = RepairPlanner(strategy: .recover)
    #expect(planner.plan(store, given: diagnosis)?.kept.count == 0)
    planner.state = .beforeReset
    let plan = try #require(planner.plan(store, given: diagnosis))
    #expect(plan.kept.count == 10 && plan.state == .beforeReset)
    #expect(plan.kept.allSatisfy { $0.evidence < .corrected })
  }

  /// Tests that the only entry of a store is found after a discard, but not a record among bytes that
  /// do not decode, nor one after a log that has an entry.
  @Test func aDiscardedStoreOfOneEntryStillHasIt() throws {
    var only = MMKVFixtureBuilder()
    only.put("token", text: "secret")
    func isFound(_ leftovers: [UInt8], after entry: String?) -> Bool {
      var current = MMKVFixtureBuilder()
      current.prefix = entry == nil ? [] : current.prefix
      if let entry { current.put(entry, text: "new") }
      current.confirmed = (0, 0)
      current.slack = leftovers
      let store = current.open()
      let diagnosis = expectSound(store, now: 0)
      guard let older = diagnosis.state(.beforeReset) else { return false }
      #expect(keys(older, of: store) == ["token"])
      #expect(older.weakestEvidence == .structure && diagnosis.best?.snapshot.live == [])
      return true
    }
    #expect(isFound(only.payload, after: nil))
    #expect(!isFound(only.payload + [0xff, 0x40, 0x99, 0x17], after: nil))
    #expect(!isFound(only.records, after: "other"))
  }

  /// Tests that what is left of an encrypted log hardly ever passes for an entry.
  ///
  /// Of 100,000, two do. Without the test of its key, 42 would.
  @Test func noiseAfterAnEmptyLogIsNoEntry() {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    var found = 0
    for _ in 0..<20_000 {
      var current = MMKVFixtureBuilder()
      current.prefix = []
      current.confirmed = (0, 0)
      current.slack = random.bytes(.random(in: 5...60, using: &random))
      if Diagnosis(of: current.open(), now: 0).state(.beforeReset) != nil { found += 1 }
    }
    #expect(found <= 2, "seed \(seed)")
  }

  @Test(arguments: [nil, 1] as [UInt32?])
  func nothingIsTakenFromTheSlack(_ digest: UInt32?) {
    var builder = builder
    var stale = MMKVFixtureBuilder()
    stale.put("key 0", text: "an older value")
    stale.put("deleted", text: "long ago")
    builder.slack = [UInt8](repeating: 0, count: 16) + stale.records
    builder.digest = digest
    let store = builder.open()
    let diagnosis = expectSound(store, now: 0)
    #expect(keys(diagnosis.best, of: store) == all)
    #expect(diagnosis.best?.log?.end == 4 + builder.payload.count)
    #expect(diagnosis.coverage.slack == 4092 - builder.payload.count)
  }

  // MARK: Predictions

  @Test func silentLossIsToldFromALossThatIsAskedAbout() {
    var builder = builder
    builder.digest = 1
    let silent = expectSound(builder.open(), now: 0)
    #expect(silent.predictions.map(\.keyCount) == [4, 4])
    #expect(silent.predictions.allSatisfy { $0.isSilentLoss && $0.lostKeys.count == 6 })
    builder.confirmed = (9, 1)
    let asked = expectSound(builder.open(), now: 0)
    #expect(asked.predictions.map(\.keyCount) == [0, 10])
    #expect(asked.predictions.map(\.lostKeys.count) == [10, 0])
    #expect(asked.predictions.allSatisfy { !$0.isSilentLoss })
  }
}
