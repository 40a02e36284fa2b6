import KVBytes
import KVCryptography
import KVModel
import KVRecovery
import KVReport
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct MapTests {
  private func dump(_ store: MMKVStore) -> [String] {
    var lines: [String] = []
    let sink = TextReporter.Sink.ofLines { lines.append($0) }
    let reporter = TextReporter(.map, to: sink, errors: sink, advice: { "\($0)" })
    reporter.report(.opened(store, clock: 0))
    reporter.report(.map(ByteMap(of: store, by: Diagnosis(of: store, now: 0).best)))
    return lines
  }

  @Test func everyByteOfEveryStoreHasOneOwner() throws {
    for example in try CorpusCase.mmkv where example.key == nil || Cryptography.isAvailable {
      let store = try example.open()
      let diagnosis = Diagnosis(of: store, now: example.now)
      expectRegions(
        ByteMap(of: store, by: diagnosis.best).regions, tileFilesOf: store, example.name)
      for state in diagnosis.states {
        expectRegions(
          ByteMap(of: store, by: state).regions, tileFilesOf: store,
          "\(example.name) \(state.name)")
      }
    }
  }

  /// Records are described in parts by several threads.
  @Test func eachOfManyRecordsHasItsOwnDescription() throws {
    var builder = MMKVFixtureBuilder()
    for index in 0..<3000 { builder.put("key \(index)", text: "value of \(index)") }
    let store = builder.open()
    let map = ByteMap(of: store, by: Diagnosis(of: store, now: 0).best)
    let described = map.regions.filter { $0.name == "live put" }.map(\.meaning)
    #expect(described == (0..<3000).map { "key \($0) = string \"value of \($0)\"" })
  }

  @Test func aMapThatDoesNotDescribeRecordsHasTheSameRegions() throws {
    for example in try CorpusCase.mmkv where example.key == nil || Cryptography.isAvailable {
      let store = try example.open()
      let state = Diagnosis(of: store, now: example.now).best
      let described = ByteMap(of: store, by: state).regions
      let plain = ByteMap(of: store, by: state, described: false).regions
      #expect(plain.map(\.extent) == described.map(\.extent), "\(example.name)")
      #expect(plain.map(\.name) == described.map(\.name), "\(example.name)")
      for (one, other) in zip(plain, described) {
        #expect(
          one.meaning
            == (other.name.hasSuffix(" put") || other.name.hasSuffix(" remove")
              ? "" : other.meaning))
      }
    }
  }

  @Test func theMapAndTheCoverageAgreeOnEveryByte() throws {
    for example in try CorpusCase.mmkv where example.key == nil || Cryptography.isAvailable {
      let store = try example.open()
      let diagnosis = Diagnosis(of: store, now: example.now)
      var tally = ByteTally()
      for region in ByteMap(of: store, by: diagnosis.best).regions {
        let count = region.extent.count
        switch region.name {
        case "slack",
          _ where region.name.hasPrefix("slack "):
          tally.slack += count
        case "gap", "log": tally.lost += count
        case _ where region.name.hasPrefix("live "): tally.live += count
        case _ where region.name.hasPrefix("superseded "): tally.superseded += count
        case _ where region.name.hasPrefix("removed "): tally.removed += count
        default: tally.structure += count
        }
      }
      #expect(tally == diagnosis.coverage, "\(example.name)")
    }
  }

  @Test(arguments: 0...40)
  func cutFilesHaveOwnersToo(_ count: Int) {
    let builder = MMKVFixtureBuilder(texts: [("a", "1"), ("b", "2"), ("c", "3")])
    for (data, meta) in [
      (Array(builder.data.prefix(count)), builder.meta),
      (builder.data, Array(builder.meta.prefix(count))),
    ] {
      let store = MMKVFormat(now: 0).open(MMKVFixtureBuilder.files(data: data, meta: meta))
        .corrected()
      let best = Diagnosis(of: store, now: 0).best
      expectRegions(ByteMap(of: store, by: best).regions, tileFilesOf: store, "\(count)")
    }
  }

  @Test func recordsAreNamedWithTheirFate() {
    var builder = MMKVFixtureBuilder(texts: [("a", "1"), ("a", "2"), ("b", "3")])
    builder.remove("b")
    let store = builder.open()
    let regions = ByteMap(of: store, by: Diagnosis(of: store, now: 0).best).regions
    #expect(
      regions.filter { $0.extent.file == .data }.map(\.name) == [
        "header", "prefix", "superseded put", "live put", "removed put", "removed remove", "slack",
      ])
  }

  @Test func equalRowsAreSqueezed() throws {
    let store = MMKVFixtureBuilder(texts: [("a", "1")]).open()
    let lines = dump(store)
    // The first row of the slack, an asterisk, and the offset after the last row.
    let slack = try #require(
      lines.firstIndex { $0.hasSuffix("slack: zeros") || $0.hasSuffix("slack") })
    #expect(lines[slack].hasPrefix("0000000d  00 00"))
    #expect(lines[slack + 1] == "*")
    #expect(lines.count < 40)
  }

  private func overview(_ store: MMKVStore, width: Int? = nil) -> [String] {
    var lines: [String] = []
    let sink = TextReporter.Sink.ofLines(width: width) { lines.append($0) }
    let reporter = TextReporter(.map, to: sink, errors: sink, advice: { "\($0)" })
    reporter.report(.opened(store, clock: 0))
    reporter.report(.overview(ByteMap(of: store, by: Diagnosis(of: store, now: 0).best)))
    return lines
  }

  @Test func aBlockShowsWhatMostOfItsBytesAre() {
    var builder = MMKVFixtureBuilder(texts: [("a", String(repeating: "x", count: 120))])
    builder.put("a", text: "1")
    let lines = overview(builder.open())
    // 4,096 bytes in at most 32 rows of 64 blocks. The header and the prefix take 8 bytes, the
    // first record 124 and the second 5.
    #expect(lines[0] == "kv: 4,096 bytes, 2 bytes per block")
    #expect(lines[1] == "00000000  ####" + String(repeating: "▓", count: 60))
    // One of the two bytes in the last live block is slack.
    #expect(lines[2] == "00000080  ▓▓███" + String(repeating: "·", count: 59))
    #expect(lines[4] == "*")
    #expect(lines[5].hasPrefix("00000f80  ·"))
    #expect(lines.last == "█ live   ▓ superseded   · slack   # structure")
  }

  @Test func aGapIsShownHoweverSmallItIs() {
    let builder = MMKVFixtureBuilder(
      texts: (0..<2000).map { ("key\($0)", "value number \($0)") })
    var data = builder.data
    for offset in 20_000..<20_040 { data[offset] = 0xff }
    let store = MMKVFormat(now: 0).open(MMKVFixtureBuilder.files(data: data, meta: builder.meta))
      .corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    let lines = overview(store)
    let gaps = ByteMap(of: store, by: diagnosis.best).regions.count { $0.kind == .gap }
    #expect(lines.contains { $0.contains("!") } == (gaps > 0))
    #expect(gaps > 0)
  }

  @Test(arguments: [(200, 64), (80, 64), (73, 32), (40, 16), (20, 8)])
  func rowsFitTheTerminal(width: Int, blocks: Int) {
    let lines = overview(MMKVFixtureBuilder(texts: [("a", "1")]).open(), width: width)
    // The first line is folded if it is too long.
    #expect(lines.first { $0.hasPrefix("00000000  ") }?.count == 10 + blocks)
  }

  @Test func rowsAndStarsLeadFromStartToEnd() throws {
    let store = MMKVFixtureBuilder(texts: [("a", "1")]).open()
    var position = 0
    var isSqueezed = false
    for line in dump(store) {
      if line.contains(" bytes") && line.hasPrefix("kv") {
        position = 0
        continue
      }
      if line == "*" {
        isSqueezed = true
        continue
      }
      let offset = try #require(Int(line.prefix(8), radix: 16), "\(line)")
      if isSqueezed { #expect(offset > position) } else { #expect(offset == position) }
      isSqueezed = false
      let bytes = line.dropFirst(10).prefix(47).split(separator: " ").count
      position = offset + bytes
    }
    #expect(position == 4096 && !isSqueezed)
  }

  @Test func textColumnShowsPrintableBytesAlone() {
    var builder = MMKVFixtureBuilder()
    builder.put("a\u{1b}[2J", text: "~\u{7f}é")
    for line in dump(builder.open()) {
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }, "\(line)")
    }
  }
}
