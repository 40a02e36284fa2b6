import KVCryptography
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct RecordTests {
  /// Returns a store whose log is `records` after the usual prefix.
  private func store(_ records: [UInt8]) -> MMKVStore {
    var builder = MMKVFixtureBuilder()
    builder.records = records
    return builder.open()
  }

  /// Returns the events of a scan after the prefix.
  private func events(_ records: [UInt8], _ scan: ScanMode = .plain) throws -> [RecordEvent] {
    let store = store(records)
    let log = try #require(store.lengthClaims.first?.log)
    let events = Array(store.records(in: log, scan: scan))
    expectTiling(events, of: log)
    expectTiling(of: store)
    #expect(events.first == .filler(Extent(.data, 4..<8)))
    return Array(events.dropFirst())
  }

  private func gap(_ range: Range<Int>, _ cause: Gap.Cause) -> RecordEvent {
    .gap(Gap(Extent(.data, range), cause))
  }

  // MARK: Prefix

  @Test(
    arguments: [
      [0x04], [0xff, 0x01], [0xff, 0xff, 0x01], [0xff, 0xff, 0xff, 0x07],
      [0xff, 0xff, 0xff, 0xff, 0x0f], [0x00],
    ] as [[UInt8]])
  func prefixOfAnyWidthIsPassedOver(_ prefix: [UInt8]) throws {
    var builder = SmallStore.builder
    builder.prefix = prefix
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    let events = Array(store.records(in: log, scan: .engine))
    #expect(events.first == .filler(Extent(.data, 4..<4 + prefix.count)))
    #expect(store.loggedRecords().map { store.key(of: $0).text } == ["a", "name", "a", "on"])
    #expect(expectSound(store, now: 0).verdict == .clean)
  }

  @Test func prefixThatDoesNotEndIsAGap() throws {
    var builder = MMKVFixtureBuilder()
    builder.prefix = [UInt8](repeating: 0xff, count: 11)
    let store = builder.open()
    #expect(
      Array(store.records(in: Extent(.data, 4..<15), scan: .plain))
        == [gap(4..<15, .malformedLength)])
  }

  // MARK: Keys

  @Test(
    arguments: [
      [0], [0xff, 0xfe], [0x61, 0, 0x62], [0xc3, 0x28], Array("ключ".utf8), [1, 2, 3],
      [UInt8](repeating: 0, count: 200),
    ] as [[UInt8]])
  func keyOfAnyBytesIsKept(_ key: [UInt8]) throws {
    var builder = MMKVFixtureBuilder()
    builder.put(key, [1])
    builder.put("other", [2])
    builder.put(key, [3])
    let store = builder.open()
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.verdict == .clean)
    let live = try #require(diagnosis.best?.snapshot.live)
    #expect(store.entries(live) == [Key(key): [3], Key(Array("other".utf8)): [2]])
    #expect((Key(key).text == nil) == (String(validating: key, as: UTF8.self) == nil))
  }

  @Test func loneZeroIsPassedOverWithoutAValue() throws {
    let found = try events([0, 1, 0x61, 1, 7, 0, 0, 0, 1, 0x62, 1, 8])
    #expect(
      found == [
        .filler(Extent(.data, 8..<9)),
        .record(Record(.put, in: .data, at: 9..<13, key: 10..<11, value: 12..<13)),
        .filler(Extent(.data, 13..<16)),
        .record(Record(.put, in: .data, at: 16..<20, key: 17..<18, value: 19..<20)),
      ])
  }

  @Test func emptyValueRemovesTheKey() throws {
    let found = try events([1, 0x61, 0, 1, 0x61, 0x80, 0])
    #expect(
      found == [
        .record(Record(.remove, in: .data, at: 8..<11, key: 9..<10, value: 11..<11)),
        // A length of zero may be stored in two bytes.
        .record(Record(.remove, in: .data, at: 11..<15, key: 12..<13, value: 15..<15)),
      ])
  }

  // MARK: Lengths

  @Test func lengthOfTenBytesIsRead() throws {
    let ten: [UInt8] = [0x81] + [UInt8](repeating: 0x80, count: 8) + [0]
    let found = try events(ten + [0x61] + ten + [7])
    #expect(
      found == [
        .record(Record(.put, in: .data, at: 8..<30, key: 18..<19, value: 29..<30))
      ])
  }

  @Test func onlyTheLow32BitsOfALengthCount() throws {
    // To the engine, 2³² + 1 and 2⁶³ + 1 are both 1.
    let found = try events(
      [0x81, 0x80, 0x80, 0x80, 0x10, 0x61]
        + [0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 7])
    #expect(
      found == [
        .record(Record(.put, in: .data, at: 8..<25, key: 13..<14, value: 24..<25))
      ])
  }

  @Test func lengthWhoseLow32BitsAreZeroStandsAloneAsAKey() throws {
    // The low 32 bits of 2³² are 0, so the engine reads no value after this length.
    let found = try events([0x80, 0x80, 0x80, 0x80, 0x10, 1, 0x61, 1, 7])
    #expect(
      found.contains(
        .record(Record(.put, in: .data, at: 13..<17, key: 14..<15, value: 16..<17))),
      "\(found)")
  }

  @Test(
    arguments: [
      // -1 in five bytes and in ten, and the minimum negative number.
      ([0xff, 0xff, 0xff, 0xff, 0x0f, 0x61], .negativeLength),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], .negativeLength),
      ([0x80, 0x80, 0x80, 0x80, 0x08, 0x61], .negativeLength),
      ([1, 0x61, 0x80, 0x80, 0x80, 0x80, 0x08, 0x61], .negativeLength),
      // 2³¹ - 1, and one more than is left.
      ([0xff, 0xff, 0xff, 0xff, 0x07, 0x61], .lengthBeyondEnd),
      ([2, 0x61], .lengthBeyondEnd),
      ([1, 0x61, 2, 7], .lengthBeyondEnd),
      ([1, 0x61, 0xff, 0xff, 0xff, 0xff, 0x07], .lengthBeyondEnd),
      // A length that does not end within ten bytes, or within the log.
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], .malformedLength),
      ([0x80], .malformedLength),
      ([1, 0x61, 0x80], .malformedLength),
      // A key without a value length.
      ([1, 0x61], .malformedLength),
    ] as [([UInt8], Gap.Cause)])
  func lengthThatCannotBeEndsTheScanAndSaysWhy(_ bytes: [UInt8], _ cause: Gap.Cause) throws {
    let good: [UInt8] = [1, 0x61, 1, 7]
    let start = 8 + good.count
    let found = try events(good + bytes)
    #expect(
      found == [
        .record(Record(.put, in: .data, at: 8..<12, key: 9..<10, value: 11..<12)),
        gap(start..<start + bytes.count, cause),
      ])
  }

  // MARK: Limits of the engine

  @Test(
    arguments: [
      (65531, false, true), (65532, false, false), (65531, true, true), (65532, true, false),
    ].filter { !$0.1 || Cryptography.isAvailable })
  func keyOverTheEnginesLimitIsRefusedByItAlone(
    _ count: Int, _ isEncrypted: Bool, _ isRead: Bool
  ) throws {
    var builder = MMKVFixtureBuilder()
    if isEncrypted { builder.key = MMKVKey(Array("key".utf8)) }
    builder.put("first", [1])
    // One byte of value after 3 + 65531 + 1 bytes, the most that a plain map can address.
    builder.put([UInt8](repeating: 0x6b, count: count), [7])
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    let plain = Array(store.records(in: log, scan: .plain))
    #expect(plain.count == 3)
    let engine = Array(store.records(in: log, scan: .engine))
    if isRead {
      #expect(engine == plain)
    } else {
      let last = try #require(plain.last?.extent)
      #expect(engine.last == .gap(Gap(last, .refusedByEngine)))
    }
    guard case .record(let record) = plain[2] else {
      Issue.record("\(plain[2])")
      return
    }
    #expect((store.obstacle(to: record, scan: .engine) == nil) == isRead)
    expectSound(store, now: 0)
  }

  @Test func plainRecordWhoseLengthsTakeTooMuchIsRefusedThoughItsKeyIsNot() throws {
    // 3 + 65531 + 2 bytes before the value exceed 65535, because the value length takes two.
    var builder = MMKVFixtureBuilder()
    builder.put("first", [1])
    builder.put(
      [UInt8](repeating: 0x6b, count: 65531), [0xff, 1] + [UInt8](repeating: 1, count: 255))
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    let causes = store.records(in: log, scan: .engine).compactMap { event in
      if case .gap(let gap) = event { gap.cause } else { nil }
    }
    #expect(causes == [.refusedByEngine])
    guard case .record(let record) = Array(store.records(in: log, scan: .plain)).last else {
      Issue.record("the record is not read")
      return
    }
    let obstacle = try #require(store.obstacle(to: record, scan: .engine))
    #expect(obstacle.contains("65,536 bytes") && obstacle.contains("over 65,535 "))
  }

  // MARK: Resynchronization

  @Test func recordsAfterDamageAreFoundAgain() throws {
    var builder = MMKVFixtureBuilder()
    for index in 0..<5 { builder.put("before\(index)", text: "value \(index)") }
    let start = builder.records.count + 8
    builder.records += [0xff, 0xff, 0xff, 0xff, 0x0f] + [UInt8](repeating: 0xfe, count: 20)
    let end = builder.records.count + 8
    for index in 0..<5 { builder.put("after\(index)", text: "value \(index)") }
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    let salvaged = Array(
      store.records(in: log, scan: .plain, around: store.gaps(in: log)))
    let gaps = salvaged.compactMap { event in if case .gap(let gap) = event { gap } else { nil } }
    #expect(gaps.map(\.extent.range) == [start..<end])
    let keys = salvaged.compactMap { event -> String? in
      if case .record(let record) = event { store.key(of: record).text } else { nil }
    }
    #expect(keys == (0..<5).map { "before\($0)" } + (0..<5).map { "after\($0)" })
    // Without resynchronization, the rest is lost.
    let plain = Array(store.records(in: log, scan: .plain))
    #expect(plain.last?.extent == Extent(.data, start..<log.end))
  }

  @Test func aPieceOfTextIsNoRecord() throws {
    var builder = MMKVFixtureBuilder()
    for index in 0..<3 { builder.put("before\(index)", text: "value \(index)") }
    let start = builder.records.count + 8
    // The value of a record whose own lengths are lost. From its first space, it decodes as a key
    // of 32 characters and a value of 33 that starts with its length.
    builder.records += [0xff, 0xff, 0xff, 0xff, 0x0f]
    builder.records += Array(" \(String(repeating: "k", count: 32))!".utf8)
    builder.records += Array(" \(String(repeating: "v", count: 32))".utf8)
    let end = builder.records.count + 8
    for index in 0..<3 { builder.put("after\(index)", text: "value \(index)") }
    let store = builder.open()
    let log = try #require(store.lengthClaims.first?.log)
    #expect(store.gaps(in: log).map(\.extent.range) == [start..<end])
  }

  // MARK: Expiry

  /// Versions 3 and 7 have no flag, but the values show that this one is right.
  @Test(
    arguments: [
      (3, 0, false), (3, 1, true), (4, 0, false), (4, 1, true), (4, 3, true), (5, 1, true),
      (7, 0, false), (7, 1, true),
    ]
      as [(UInt32, UInt64, Bool)])
  func flagTellsThatValuesExpire(
    _ version: UInt32, _ flags: UInt64, _ hasExpiry: Bool
  ) throws {
    var builder = MMKVFixtureBuilder()
    builder.version = 4
    builder.flags = flags
    builder.put("never", [5] + MMKVFixtureBuilder.little(UInt32(0)))
    builder.put("then", [5] + MMKVFixtureBuilder.little(UInt32(0x0102_0304)))
    builder.put("short", [5])
    var meta = builder.meta
    meta.replaceSubrange(4..<8, with: MMKVFixtureBuilder.little(version))
    let store = MMKVFormat(now: 0).open(
      MMKVFixtureBuilder.files(data: builder.data, meta: meta)
    ).corrected()
    #expect(
      store.loggedRecords().map { store.expiry(of: $0) }
        == (hasExpiry ? [0, 0x0102_0304, 0] : [nil, nil, nil]))
  }

  /// Returns a builder of a store with expiry times in which `name` has none, followed by `later`
  /// records.
  ///
  /// Engines since 1.3 leave it like this if `name` is set before the log is first read.
  private func lazilyWritten(_ later: [[UInt8]] = []) -> MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    builder.version = 4
    builder.flags = 1
    let time = MMKVFixtureBuilder.little(UInt32(0x6a00_0000))
    builder.put("token", [0x95, 0x9a, 0x2f] + time)
    builder.put("count", [5] + time)
    for text in ["one", "two"] { builder.put("name", [13] + Array("the name \(text)!".utf8)) }
    for value in later { builder.put("name", value) }
    return builder
  }

  /// A value that the engine wrote without a time is not damage, and the others keep their times.
  @Test func valuesThatTheEngineWroteBeforeItReadTheFlagTakeNoTimeFromOthers() throws {
    let store = lazilyWritten().open()
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.verdict == .clean)
    let found = diagnosis.findings.filter { $0.code == "mmkv.expiry-contradicted" }
    #expect(found.map(\.severity) == [.warning])
    let live = try #require(diagnosis.best).snapshot.live
    let times = live.map { store.expiry(of: $0) }
    #expect(times == [0x6a00_0000, 0x6a00_0000, 0])
    #expect(
      store.readings(of: live[2]).first?.value.isSame(as: .string("the name two!")) == true)
  }

  /// Only the last value of a key counts.
  @Test func aSupersededValueWithoutATimeIsNoContradiction() throws {
    let text = [13] + Array("the name now!".utf8) + MMKVFixtureBuilder.little(UInt32(0))
    let diagnosis = expectSound(lazilyWritten([text]).open(), now: 0)
    #expect(diagnosis.verdict == .clean)
    #expect(!diagnosis.findings.contains { $0.code == "mmkv.expiry-contradicted" })
  }

  /// After damage, the engine leaves out what it takes for expired: it reads the end of the text,
  /// "two!", as a time in 1987.
  @Test func aPredictionBelievesTheFlagAsTheEngineDoes() throws {
    var builder = lazilyWritten()
    builder.digest = 1
    builder.confirmed = (UInt32(builder.payload.count), 1)
    let now: UInt32 = 0x3000_0000
    let store = MMKVFormat(now: now).open(builder.files()).corrected()
    let recovered = expectSound(store, now: now).predictions.first { $0.answer == .recover }
    let live = try #require(recovered).snapshot.live
    #expect(live.map { store.key(of: $0).text } == ["token", "count"])
  }

  /// Tests that noise in a plain store is a value.
  ///
  /// In an encrypted store, such values could be the result of a changed byte of ciphertext.
  @Test func noiseInAStoreInTheClearIsAValue() throws {
    let text = Array(String(repeating: "text ", count: 9).utf8)
    var builder = MMKVFixtureBuilder()
    // In one of them, the noise is exactly where a cipher block would be.
    for shift in 0..<16 {
      let value = text + Array(repeating: 0x61, count: shift) + (0x80..<0x90) + text
      builder.put("key \(shift)", [UInt8(value.count)] + value)
    }
    let store = builder.open()
    let diagnosis = expectSound(store, now: 0)
    let live = try #require(diagnosis.best).snapshot.live
    #expect(diagnosis.verdict == .clean && live.count == 16)
    #expect(live.allSatisfy { store.rule(against: $0) == nil })
  }
}
