import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Comparing the results of `recover` and `discard`, key by key.
@Suite struct AnswerComparisonTests {
  /// Returns the comparison for a store whose checksum does not match.
  ///
  /// The last confirmed state has `texts`. `change` appends to it.
  private func comparison(
    confirmed texts: [(String, String)], _ change: (inout MMKVFixtureBuilder) -> Void
  ) throws -> (comparison: AnswerComparison, store: MMKVStore) {
    var builder = MMKVFixtureBuilder(texts: texts)
    let payload = builder.payload
    builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    change(&builder)
    builder.digest = 1
    let store = builder.open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plans = try [FixedStrategy.recover, .discard].map {
      try #require(RepairPlanner(strategy: $0).plan(store, given: diagnosis))
    }
    return (AnswerComparison(plans[0], plans[1], of: store, given: diagnosis), store)
  }

  @Test func eachKeyHasItsOwnComparison() throws {
    let (comparison, store) = try comparison(
      confirmed: [("same", "1"), ("changed", "old"), ("gone", "2"), ("gone too", "3")]
    ) {
      $0.put("changed", text: "new")
      $0.put("added", text: "4")
      $0.remove("gone")
      $0.remove("gone too")
    }
    #expect(comparison.rows.map(\.key.text) == ["same", "changed", "added", "gone", "gone too"])
    #expect(comparison.rows.map(\.isSame) == [true, false, false, false, false])
    #expect(
      comparison.rows.map(\.recovered?.standing) == [.newest, .newest, .newest, nil, nil])
    #expect(
      comparison.rows.map(\.discarded?.standing) == [.newest, .older, nil, .removed, .removed])
    let changed = comparison.rows[1]
    #expect(changed.recovered.map { store.value(of: $0.entry.record) } == [3] + Array("new".utf8))
    #expect(changed.discarded.map { store.value(of: $0.entry.record) } == [3] + Array("old".utf8))
    #expect(changed.discarded?.entry.evidence == .checksum)
    #expect(changed.recovered?.entry.evidence == .structure)
  }

  @Test func theAnswerWithMoreEntriesIsNotTheBetterOne() throws {
    let (comparison, _) = try comparison(confirmed: [("a", "1"), ("b", "2"), ("c", "3")]) {
      $0.put("a", text: "new")
      $0.remove("b")
      $0.remove("c")
    }
    #expect(comparison.recovered.kept == 1 && comparison.discarded.kept == 3)
    #expect(comparison.recovered.count(.newest) == 1)
    #expect(comparison.discarded.count(.newest) == 0)
    #expect(comparison.discarded.count(.older) == 1 && comparison.discarded.count(.removed) == 2)
    #expect(comparison.recommended == .recover)
    #expect(!comparison.isSameStore)
  }

  @Test func whatWasSetToTheSameValueAgainIsTheSame() throws {
    let (comparison, _) = try comparison(confirmed: [("a", "1"), ("b", "2")]) {
      $0.put("a", text: "1")
    }
    #expect(comparison.isSameStore)
    #expect(comparison.rows.map(\.isSame) == [true, true])
    #expect(comparison.discarded.count(.newest) == 2)
  }

  /// Tests that `discard` is recommended if it keeps more of the newest values.
  ///
  /// Newest values that are only guesses are set aside. The older values are then the best
  /// available.
  @Test func discardIsRecommendedWhereItKeepsMoreOfTheNewest() throws {
    let (comparison, _) = try comparison(confirmed: [("a", "1"), ("b", "2")]) { _ in }
    // Both answers keep the same entries here. In the plans below, one of them omits some.
    #expect(comparison.isSameStore)
    var builder = MMKVFixtureBuilder(texts: [("a", "1"), ("b", "2")])
    builder.digest = 1
    let store = builder.open()
    let diagnosis = Diagnosis(of: store, now: 0)
    let whole = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    let empty = try #require(RepairPlanner(strategy: .discard).plan(store, given: diagnosis))
    #expect(empty.kept.isEmpty && whole.kept.count == 2)
    #expect(
      AnswerComparison(whole, empty, of: store, given: diagnosis).recommended == .recover)
    #expect(
      AnswerComparison(empty, whole, of: store, given: diagnosis).recommended == .discard)
    // Two empty plans are not a choice.
    #expect(AnswerComparison(empty, empty, of: store, given: diagnosis).isSameStore)
  }

  /// Tests that of two answers with as many of the newest values, the one with fewer outdated ones is
  /// recommended, although the other keeps more entries.
  @Test func outdatedEntriesDoNotMakeAnAnswerTheBetterOne() throws {
    for removed in 1...3 {
      let texts = [("a", "1")] + (0..<removed).map { ("gone \($0)", "2") }
      let (comparison, _) = try comparison(confirmed: texts) {
        for index in 0..<removed { $0.remove("gone \(index)") }
      }
      #expect(comparison.recovered.count(.newest) == comparison.discarded.count(.newest))
      #expect(comparison.discarded.kept == comparison.recovered.kept + removed)
      #expect(comparison.discarded.count(.removed) == removed)
      #expect(comparison.recommended == .recover)
    }
  }
}
