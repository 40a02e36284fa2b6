import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Logs that were rewritten without a trace of what is gone, and ends that only a checksum shows.
@Suite struct RewrittenLogTests {
  /// Returns the size and checksum of the log of `builder`, as of a last full rewrite.
  private func confirmation(of builder: MMKVFixtureBuilder) -> (count: UInt32, digest: UInt32) {
    let payload = builder.storedPayload
    return (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
  }

  /// Tests that keys that were removed together are not taken for records that were appended.
  ///
  /// MMKV then rewrites the log without the keys. What is left of the log before can be in sync.
  @Test(arguments: [false, true])
  func keysThatWereRemovedTogetherStayRemoved(setsOneAgain: Bool) throws {
    for seed in RandomSeeds.fresh(20) {
      var generator = SeededGenerator(seed: seed)
      var builder = MMKVFixtureBuilder()
      builder.put("device_id", text: String(generator.next(), radix: 36))
      builder.put("install_date", [0x80, 0xd8, 0xc1, 0xa2, 0x8c, 0x34])
      var older = MMKVFixtureBuilder()
      let names = ["token", "user_id", "nick", "vip"].prefix(
        Int.random(in: 2...4, using: &generator))
      for name in names { older.put(name, text: String(generator.next(), radix: 36)) }
      builder.sequence = 2
      builder.confirmed = confirmation(of: builder)
      var slack = older.records[...]
      var expected = 2
      if setsOneAgain {
        // The new record is as long as the one that it replaces.
        var again = MMKVFixtureBuilder()
        again.put("token", [UInt8](older.records[7..<7 + Int(older.records[6])]))
        builder.records += again.records
        slack = slack.dropFirst(again.records.count)
        expected = 3
      }
      builder.slack = Array(slack)
      let diagnosis = expectSound(builder.open(), now: 0, "seed \(seed)")
      #expect(diagnosis.verdict == .clean, "seed \(seed)")
      #expect(diagnosis.best?.entryCount == expected, "seed \(seed)")
    }
  }

  /// Tests that records with new keys are newer where the log before cannot have reached.
  ///
  /// When a log has outgrown a page, it is rewritten, and then the file is doubled.
  @Test func whatFollowsALogBeyondTheFirstPageIsNewer() throws {
    var builder = MMKVFixtureBuilder()
    builder.header = 0
    builder.put("zeroth", text: "0")
    builder.put("first", text: String(repeating: "x", count: 2000))
    builder.sequence = 2
    builder.confirmed = confirmation(of: builder)
    builder.put("second", text: String(repeating: "y", count: 3000))
    var newer = MMKVFixtureBuilder()
    for index in 0..<3 { newer.put("new \(index)", text: "value") }
    builder.slack = newer.records
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.findings.contains { $0.code == "store.newer-tail" })
    #expect(diagnosis.best?.entryCount == 3)
    #expect(diagnosis.state(.appended)?.entryCount == 6)
  }

  /// Tests that what is left of the log before a rewrite is not taken for appended records if the data
  /// file is older than the meta file, whose length ends within a record of that log.
  @Test func whatIsLeftUpToALaterLengthIsOlder() {
    var wholeCount = 0
    let seeds = RandomSeeds.fresh(60)
    for seed in seeds {
      var generator = SeededGenerator(seed: seed)
      let names = (0..<12).map { "setting_\($0)" }
      var entries: [Key: [UInt8]] = [:]
      func put(_ name: String, in builder: inout MMKVFixtureBuilder) {
        let text = Array(generator.text(Int.random(in: 20...60, using: &generator)).utf8)
        entries[Key(Array(name.utf8))] = [UInt8(text.count)] + text
        builder.put(name, [UInt8(text.count)] + text)
      }
      var older = MMKVFixtureBuilder()
      for _ in 0..<3 {
        for name in names { put(name, in: &older) }
      }
      var builder = MMKVFixtureBuilder()
      for name in names { builder.put(name, entries[Key(Array(name.utf8))] ?? []) }
      builder.sequence = 2
      builder.confirmed = confirmation(of: builder)
      for name in names.shuffled(using: &generator).prefix(3) { put(name, in: &builder) }
      builder.header = 0
      let beforeEnd = Int.random(in: 200...600, using: &generator)
      builder.actualCount = UInt32(older.payload.count - beforeEnd)
      builder.digest = 1
      builder.slack = Array(older.payload.dropFirst(builder.payload.count))
      let store = builder.open()
      let live = expectSound(store, now: 0, "seed \(seed)").best?.snapshot.live ?? []
      let found = Dictionary(live.map { (store.key(of: $0), store.value(of: $0)) }) { $1 }
      wholeCount += found == entries ? 1 : 0
    }
    // The rest can be in sync with the end, or end where the length says.
    #expect(wholeCount * 10 >= seeds.count * 8, "\(wholeCount) of \(seeds.count)")
  }

  /// Tests that records after a lone entry, which was overwritten in place and is shorter than the
  /// log that it replaced, are not taken for newer ones.
  @Test func whatFollowsAnOverwrittenLoneEntryIsOlder() throws {
    var rewritten = MMKVFixtureBuilder()
    for name in ["theme", "language"] { rewritten.put(name, [1]) }
    let confirmed = confirmation(of: rewritten)
    var removals = MMKVFixtureBuilder()
    for name in ["theme", "language"] { removals.remove(name) }
    var builder = MMKVFixtureBuilder()
    builder.put("theme", [1])
    var other = MMKVFixtureBuilder()
    other.put("language", [1])
    builder.slack = other.records + removals.records
    builder.sequence = 2
    builder.confirmed = confirmed
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.verdict == .clean && diagnosis.best?.entryCount == 1)
  }

  /// Tests that entries that the app removed one by one are not what the store held before it was
  /// emptied.
  ///
  /// The last full rewrite had a third of them, and the log before it is still present. If one entry is
  /// left, its next value overwrites the log as well.
  @Test(arguments: [0, 1])
  func entriesThatWereRemovedOneByOneStayRemoved(leftCount: Int) {
    var older = MMKVFixtureBuilder()
    for index in 0..<60 { older.put("item \(index)", text: "value \(index)") }
    for index in 0..<60 where index % 3 != 0 { older.remove("item \(index)") }
    var last = MMKVFixtureBuilder()
    let rest = stride(from: 0, to: 60, by: 3).map { "item \($0)" }
    for name in rest { last.put(name, text: "value") }
    let confirmed = confirmation(of: last)
    for name in rest.dropFirst(leftCount) { last.remove(name) }
    var builder = MMKVFixtureBuilder()
    builder.put(leftCount == 0 ? "new" : rest[0], text: "the value of a lone entry")
    let before = last.payload + older.payload.dropFirst(last.payload.count)
    builder.slack = Array(before.dropFirst(builder.payload.count))
    builder.sequence = 2
    builder.confirmed = confirmed
    let diagnosis = expectSound(builder.open(), now: 0)
    #expect(diagnosis.verdict == .clean && diagnosis.best?.entryCount == 1)
    #expect(diagnosis.state(.beforeReset) == nil)
    #expect(!diagnosis.findings.contains { $0.code == "store.emptied" })
  }

  /// Tests the same for logs whose end lies within a record of the older log, and whose beginning is
  /// within one of their own.
  @Test func removedEntriesStayRemovedWhereverReadingBegins() {
    for seed in RandomSeeds.fresh(60) {
      var generator = SeededGenerator(seed: seed)
      func put(_ name: String, in builder: inout MMKVFixtureBuilder) {
        builder.put(name, text: generator.text(Int.random(in: 1...40, using: &generator)))
      }
      let names = (0..<40).map { "item:\($0)" }
      var older = MMKVFixtureBuilder()
      for name in names + names { put(name, in: &older) }
      var last = MMKVFixtureBuilder()
      let rest = names.shuffled(using: &generator).prefix(Int.random(in: 4...15, using: &generator))
      for name in rest { put(name, in: &last) }
      let confirmed = confirmation(of: last)
      for name in rest.shuffled(using: &generator) { last.remove(name) }
      var builder = MMKVFixtureBuilder()
      builder.put("new", text: "fresh")
      let before = last.payload + older.payload.dropFirst(last.payload.count)
      builder.slack = Array(before.dropFirst(builder.payload.count))
      builder.sequence = 2
      builder.confirmed = confirmed
      let diagnosis = expectSound(builder.open(), now: 0, "seed \(seed)")
      #expect(diagnosis.state(.beforeReset) == nil, "seed \(seed)")
    }
  }

  /// Tests that a checksum is found at the end of a last value with zeros at its end.
  ///
  /// The app was killed after it had stored the checksum, and before it stored the size.
  @Test(arguments: [1, 16, 17, 40, 200])
  func aLogThatEndsInZerosIsReadWhole(zeroCount: Int) throws {
    var builder = MMKVFixtureBuilder()
    builder.put("name", text: "Ann")
    let count = UInt32(builder.payload.count)
    builder.put("data", [0x7f] + [UInt8](repeating: 0, count: zeroCount))
    builder.actualCount = count
    builder.header = count
    let store = builder.open()
    let best = try #require(expectSound(store, now: 0).best)
    #expect(best.entryCount == 2)
    #expect(best.snapshot.live.allSatisfy { best.assessment(of: $0).evidence == .checksum })
  }

  /// Tests that the stated length is believed if records lead to it, whatever follows the log.
  ///
  /// With short keys, what follows can seem to continue it at another place.
  @Test func aLengthThatRecordsLeadToIsBelieved() throws {
    for seed in RandomSeeds.fresh(100) {
      var generator = SeededGenerator(seed: seed)
      func records(_ count: Int) -> MMKVFixtureBuilder {
        var builder = MMKVFixtureBuilder()
        for _ in 0..<count {
          let key = generator.bytes(1 + Int(generator.next() % 2)).map { $0 % 26 + 0x61 }
          builder.put(key, [UInt8(generator.next() % 120)])
        }
        return builder
      }
      var builder = records(10)
      builder.digest = 1
      builder.slack = Array(records(20).records.dropFirst(2))
      let store = builder.open()
      let diagnosis = expectSound(store, now: 0, "seed \(seed)")
      let current = try #require(diagnosis.state(.current)?.snapshot.live)
      #expect(diagnosis.best?.snapshot.live == current, "seed \(seed)")
    }
  }

  /// Tests that a list whose elements look like records is not taken for what the store held before
  /// it was emptied.
  ///
  /// MMKV overwrites a lone entry in place.
  @Test func theRestOfAListIsNoEmptiedStore() throws {
    var found = 0
    for seed in RandomSeeds.fresh(100) {
      var generator = SeededGenerator(seed: seed)
      var builder = MMKVFixtureBuilder()
      builder.put("tags", text: "one")
      builder.slack = (0..<Int.random(in: 4...24, using: &generator)).flatMap { _ in
        let text = generator.bytes(Int.random(in: 5...12, using: &generator)).map { $0 % 26 + 0x61 }
        return [UInt8(text.count)] + text
      }
      found += Diagnosis(of: builder.open(), now: 0).state(.beforeReset) == nil ? 0 : 1
    }
    #expect(found <= 5)
  }

  #if Encryption
    /// Tests that elements of a list are not presented as entries without doubt if the vector is
    /// wrong, so that reading begins in the list.
    @Test func elementsOfAListAreGuesses() {
      let wrong = RandomSeeds.fresh(150).reduce(0) { $0 + undoubtedElementCount($1) }
      // Before elements that resemble floats were told apart, 37.
      #expect(wrong <= 10)
    }

    /// Tests that five letters are an element rather than a number with a time of expiry: in these
    /// stores, such elements were entries without doubt.
    @Test(arguments: [1_778_473_770_627_372_122, 13_321_903_546_509_490_015] as [UInt64])
    func elementsOfFiveLettersAreGuesses(seed: UInt64) {
      #expect(undoubtedElementCount(seed) == 0)
    }

    /// Returns the number of wrong entries without doubt in a store of which the vector is wrong.
    private func undoubtedElementCount(_ seed: UInt64) -> Int {
      var generator = SeededGenerator(seed: seed)
      var builder = MMKVFixtureBuilder()
      builder.key = MMKVKey(Array("secret".utf8))
      builder.vector = generator.bytes(16)
      let list = (0..<Int.random(in: 4...12, using: &generator)).flatMap { _ in
        let text = generator.bytes(Int.random(in: 4...12, using: &generator)).map {
          $0 % 26 + 0x61
        }
        return [UInt8(text.count)] + text
      }
      var truth: [Key: [UInt8]] = [:]
      let all: [(String, [UInt8])] = [
        ("words", MMKVFixtureBuilder.varint(UInt64(list.count)) + list), ("launch_count", [7]),
        ("user_name", [3] + Array("Ann".utf8)), ("theme", [4] + Array("dark".utf8)),
      ]
      for (name, value) in all {
        builder.put(name, value)
        truth[Key(Array(name.utf8))] = value
      }
      var meta = builder.meta
      meta.replaceSubrange(12..<28, with: generator.bytes(16))
      let store = MMKVFormat(key: builder.key, now: 0).open(
        MMKVFixtureBuilder.files(data: builder.data, meta: meta)
      ).corrected()
      guard let best = Diagnosis(of: store, now: 0).best else { return 0 }
      return best.snapshot.live.count { record in
        let assessment = best.assessment(of: record)
        return assessment.evidence >= .structure && assessment.cautions.isEmpty
          && truth[store.key(of: record)] != store.value(of: record)
      }
    }
  #endif
}
