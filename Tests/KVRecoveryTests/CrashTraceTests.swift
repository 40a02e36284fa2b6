import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Logs made by hand, in the state in which a kill or a power loss leaves them.
@Suite struct CrashTraceTests {
  private func texts(_ state: StoreState?, of store: MMKVStore) -> [String: [UInt8]] {
    var texts: [String: [UInt8]] = [:]
    for record in state?.snapshot.live ?? [] {
      texts[store.key(of: record).text ?? ""] = store.value(of: record)
    }
    return texts
  }

  /// Returns a store whose only entry has this value, and whose checksum is that of another log.
  private func lone(_ value: [UInt8], statedCount: UInt32?) -> MMKVStore {
    var builder = MMKVFixtureBuilder()
    builder.put("only", value)
    builder.digest = 1
    builder.actualCount = statedCount
    return builder.open()
  }

  private func evidence(_ store: MMKVStore) throws -> Evidence {
    let best = try #require(Diagnosis(of: store, now: 0).best)
    return best.evidence(of: try #require(best.snapshot.live.first))
  }

  @Test func aLoneEntryThatMayBeWrittenOverIsAGuess() throws {
    let text = [5] + Array("value".utf8)
    #expect(try evidence(lone(text, statedCount: nil)) == .guess)
    // The record extends beyond the previous log, to where zeros were.
    #expect(try evidence(lone(text, statedCount: 12)) == .structure)
    // The last byte is as it was before the record was stored.
    #expect(try evidence(lone([5] + Array("valu".utf8) + [0], statedCount: 12)) == .guess)
  }

  /// Tests that the last record of a full rewrite is not a guess.
  ///
  /// The bytes after the rewrite do not decode, but its checksum matches.
  @Test func theLastRecordOfARewriteIsNoGuess() throws {
    var builder = MMKVFixtureBuilder(texts: [("first", "entry"), ("last", "entry")])
    let payload = builder.payload
    builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
    builder.digest = 1
    builder.records += [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
    let store = builder.open()
    let salvaged = try #require(Diagnosis(of: store, now: 0).state(.salvaged))
    #expect(texts(salvaged, of: store).keys.sorted() == ["first", "last"])
    for record in salvaged.snapshot.live { #expect(salvaged.evidence(of: record) == .structure) }
    // Without it, a kill may have left the end of an earlier record.
    builder.confirmed = nil
    let unsettled = builder.open()
    let other = try #require(Diagnosis(of: unsettled, now: 0).state(.salvaged))
    #expect(other.snapshot.live.map { other.evidence(of: $0) }.contains(.guess))
  }

  /// Returns a log with records that a compaction copied to its start, and other records.
  ///
  /// In between, the last `count` bytes of the copied records are still in their old place.
  private func compacted(_ front: [(String, String)], left count: Int = 30) -> MMKVStore {
    var builder = MMKVFixtureBuilder()
    builder.digest = 1
    for (key, word) in front { builder.put(key, text: "what \(word) was set to, in some words") }
    builder.records += builder.records.suffix(count)
    for key in ["colour", "language"] {
      builder.put(key, text: "what \(key) was set to, in some words")
    }
    return builder.open()
  }

  @Test func aRewrittenLogHasNoKeyTwice() {
    let once = compacted([("session", "session"), ("account", "account")])
    let twice = compacted([("account", "language"), ("session", "session"), ("account", "account")])
    #expect(isInterrupted(once))
    #expect(!isInterrupted(twice))
  }

  @Test("Twelve bytes that stand in two places are no accident, and fewer may be")
  func fewBytesInTwoPlacesSayNothing() {
    let front = [("session", "session"), ("account", "account")]
    #expect(isInterrupted(compacted(front, left: 12)))
    #expect(!isInterrupted(compacted(front, left: 11)))
  }

  private func isInterrupted(_ store: MMKVStore) -> Bool {
    Diagnosis(of: store, now: 0).findings.contains { $0.code == "store.rewrite-interrupted" }
  }

  @Test func theLastOfSeveralNewerRecordsMayLackAPage() throws {
    var builder = MMKVFixtureBuilder()
    builder.header = 0
    builder.put("filler", text: String(repeating: "x", count: 3900))
    builder.put("first", text: "old")
    builder.put("last", text: "old")
    let payload = builder.payload
    var newer = MMKVFixtureBuilder()
    newer.put("first", text: "new")
    let first = newer.records
    // The end of this record is in the next page. Its last byte is zero, whether stored or not.
    newer.put("last", [0xc8, 1] + Array(repeating: 0x61, count: 199) + [0])
    builder.slack = newer.records
    builder.page = 8192
    let store = builder.open()
    let appended = try #require(Diagnosis(of: store, now: 0).state(.appended))
    let found = texts(appended, of: store)
    #expect(found["first"] == [3] + Array("new".utf8))
    #expect(found["last"] == [3] + Array("old".utf8))
    #expect(appended.log?.end == 4 + payload.count + first.count)
  }

  /// Returns a log in two pages, with a hole after the record that extends into the second page.
  private func withHole(_ value: [UInt8]) -> MMKVStore {
    var builder = MMKVFixtureBuilder()
    builder.put("filler", text: String(repeating: "x", count: 3900))
    builder.put("across", [0xc8, 1] + value)
    builder.records += [UInt8](repeating: 0, count: 64)
    builder.put("after", text: "the hole")
    builder.digest = 1
    builder.page = 8192
    return builder.open()
  }

  /// Tests such a hole if a checksum matches up to the record that extends into the second page.
  @Test func theFirstRecordAfterARewriteMayLackAPage() {
    for hasLast in [false, true] {
      var builder = MMKVFixtureBuilder()
      builder.put("filler", text: String(repeating: "x", count: 3900))
      let payload = builder.payload
      builder.confirmed = (UInt32(payload.count), MMKVFixtureBuilder.crc32(payload))
      let start = 4 + payload.count
      builder.put("across", [0xc8, 1] + [UInt8](repeating: 0x61, count: 200))
      let end = 4 + builder.payload.count
      // The bytes in the second page did not reach the disk, so they are zero.
      let missing = end - 4096
      builder.records.replaceSubrange(
        builder.records.count - missing..<builder.records.count,
        with: [UInt8](repeating: 0, count: missing))
      if hasLast {
        builder.records += [UInt8](repeating: 0, count: 64)
        builder.put("after", text: "the hole")
      }
      builder.digest = 1
      builder.page = 8192
      let store = builder.open()
      let salvaged = Diagnosis(of: store, now: 0).state(.salvaged)
      #expect(texts(salvaged, of: store)["across"] == nil)
      #expect(texts(salvaged, of: store)["filler"] != nil)
      #expect(salvaged?.gaps.first?.extent.offset == start || salvaged?.log?.end == start)
    }
  }

  /// Tests that the previous contents of a page are not taken for newer records.
  ///
  /// The page did not reach the disk, and the records continue right after it.
  @Test func whatStandsInAPageThatIsMissingIsNotTakenForNewer() throws {
    var builder = MMKVFixtureBuilder()
    builder.put("filler", text: String(repeating: "x", count: 3900))
    builder.put("across", [0xc8, 1] + [UInt8](repeating: 0x61, count: 200))
    // The second page, from within that record to the end of the page.
    let front = 4096 - 4 - builder.prefix.count
    builder.records.removeSubrange(front...)
    let junk = [UInt8](repeating: 0xff, count: 100)
    var older = MMKVFixtureBuilder(texts: [("old", "what stood there"), ("older", "and before")])
    older.put("oldest", text: String(repeating: "y", count: 3000))
    builder.records += junk + older.records
    builder.records += [UInt8](repeating: 0xff, count: 8192 - 4 - builder.payload.count)
    for key in ["newer", "newest", "last"] { builder.put(key, text: "was stored later") }
    builder.digest = 1
    builder.page = 4096 * 3
    let store = builder.open()
    let salvaged = try #require(Diagnosis(of: store, now: 0).state(.salvaged))
    #expect(texts(salvaged, of: store).keys.sorted() == ["filler", "last", "newer", "newest"])
    #expect(salvaged.gaps.map(\.extent.end) == [8192])
  }

  @Test func aRecordInFrontOfAHoleIsWholeWhereItsPageIsThere() {
    let whole = withHole([UInt8](repeating: 0x61, count: 200))
    #expect(texts(Diagnosis(of: whole, now: 0).best, of: whole)["across"]?.count == 202)
    // The part of the record in the second page is missing.
    let front = 4096 - (4 + 4 + 1 + 6 + 2 + 2 + 3900) - (1 + 6 + 2 + 2)
    let torn = withHole(
      [UInt8](repeating: 0x61, count: front) + [UInt8](repeating: 0, count: 200 - front))
    let found = texts(Diagnosis(of: torn, now: 0).best, of: torn)
    #expect(found["across"] == nil)
    #expect(found["filler"] != nil)
  }

  /// Tests that the whole record of a lone entry is no guess if no checksum says that anything was
  /// written since.
  @Test(
    arguments: [[2, 1, 0x6a], [1], [0], [5] + Array("value".utf8), [0, 0, 0, 0]] as [[UInt8]])
  func aLoneEntryWithoutAMetaFileIsNoGuess(value: [UInt8]) throws {
    var builder = MMKVFixtureBuilder()
    builder.put("flag_366", value)
    for meta in [nil, [], [UInt8](repeating: 0, count: 4096)] as [[UInt8]?] {
      let store = MMKVFormat(now: 0).open(
        MMKVFixtureBuilder.files(data: builder.data, meta: meta)
      ).corrected()
      #expect(try evidence(store) == .structure, "\(meta?.count ?? -1) bytes")
    }
  }
}
