import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import KVRecovery
import KVReport
import KVTestSupport
import MMKVFormat
import Testing

/// The screens of `kvfsck view`, key by key, without a terminal.
@Suite struct ViewerTests {
  /// A store on a screen.
  ///
  /// It is a class so that an expectation can press keys.
  private final class Shown {
    private var viewer: Viewer<MMKVStore>

    init?(_ store: MMKVStore, width: Int = 60, height: Int = 8, now: UInt32 = 0) {
      let answers = EngineAnswers(onChecksumMismatch: .recover, onLengthError: .recover)
      let made = Viewer(
        store, Diagnosis(of: store, now: now),
        RepairPlanner(strategy: FixedStrategy(answers)), detail: ValueDetail())
      guard let made else { return nil }
      viewer = made
      size = ScreenSize(width: width, height: height)
    }

    var size: ScreenSize {
      get { viewer.size }
      set { viewer.size = newValue }
    }

    func press(_ key: ScreenKey) -> Bool { viewer.press(key) }

    func type(_ text: String) {
      for scalar in text.unicodeScalars { _ = viewer.press(.character(scalar)) }
    }

    func lines() -> [ScreenLine] { viewer.lines() }

    /// Returns the lines of the screen after these keys are pressed.
    func screen(_ keys: ScreenKey...) -> [String] {
      for key in keys { _ = viewer.press(key) }
      return viewer.lines().map { line in
        var text = line.text
        while text.last == " " { text.removeLast() }
        return text
      }
    }
  }

  private static var small: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder(texts: [
      ("name", "old"), ("gone", "for good"), ("name", "new"),
      ("settings", #"{"a":[1,2],"b":{}}"#),
    ])
    builder.remove("gone")
    return builder
  }

  // MARK: Exact screens

  @Test func theListHasKeysAndLikeliestValues() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 6))
    #expect(
      viewer.screen() == [
        "clean, 2 entries, mmkv: kv",
        "key 1 of 2: as the app sees it (current)",
        "   name                     string \"new\" | float 4.6533878e…",
        "   settings                 string \"{\\\"a\\\":[1,2],\\\"b\\\":{}}\"",
        "",
        "live, checksum, at 0x000021, by log.checksum  ? help",
      ])
  }

  @Test func removedKeysAreListedWhenAskedFor() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 7))
    let lines = viewer.screen("a", .end)
    #expect(lines[1] == "key 3 of 3, including removed and older ones: as the app se…")
    #expect(lines[4] == "-  gone                     (removal)")
    #expect(lines[6] == "removed, checksum, at 0x000048, by log.checksum  ? help")
  }

  @Test func theHistoryHasEveryRecordOfTheKey() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 7))
    #expect(
      viewer.screen("r", .down) == [
        "clean, 2 entries, mmkv: kv",
        "history of name: 2 records",
        "0x000008  superseded checksum  string \"old\" | float 1.74457…",
        "0x000021  live       checksum  string \"new\" | float 4.65338…",
        "", "",
        "live, checksum, at 0x000021, by log.checksum  ? help",
      ])
    #expect(viewer.screen(.up, .enter)[3] == "")
    #expect(viewer.screen()[2] == "superseded, checksum, at 0x000008, by log.checksum")
    #expect(viewer.screen()[5] == "old")
    #expect(viewer.screen("q")[1] == "history of name: 2 records")
    #expect(viewer.screen("q")[1] == "key 1 of 2: as the app sees it (current)")
    #expect(!viewer.press("q"))
  }

  @Test func aValueIsOpenedWithAllItsReadings() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 24))
    let lines = viewer.screen(.down, .enter)
    #expect(
      Array(lines[1...14]) == [
        "value of settings", "live, checksum, at 0x00002b, by log.checksum", "",
        "string", "{", "  \"a\": [", "    1,", "    2", "  ],", "  \"b\": {}", "}", "",
        "all readings, likeliest first",
        "1  string \"{\\\"a\\\":[1,2],\\\"b\\\":{}}\"  (likely: the inner lengt",
      ])
    // `p` shows the previous key, on the same page.
    #expect(viewer.screen("p")[1] == "value of name")
    #expect(viewer.screen("n")[1] == "value of settings")
    #expect(viewer.screen("n")[1] == "value of settings")
  }

  @Test func theBytesHaveTheirMeaningBelow() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 6))
    #expect(
      viewer.screen("x") == [
        "clean, 2 entries, mmkv: kv",
        "byte 33 of 4,096 of kv",
        "00000010  6c 64 04 67 6f 6e 65 09  ld.gone.",
        "00000018  08 66 6f 72 20 67 6f 6f  .for goo",
        "00000020  64 04 6e 61 6d 65 04 03  d.name..",
        "0x000021: lengths of name, live put at 0x000021",
      ])
    #expect(viewer.screen(.right)[5] == "0x000022: key of name, live put at 0x000021")
    #expect(viewer.screen(.home)[5].hasPrefix("0x000000: header"))
    #expect(viewer.screen(.right)[1] == "byte 1 of 4,096 of kv")
    #expect(viewer.screen(.up)[1] == "byte 1 of 4,096 of kv")
    #expect(viewer.screen(.down)[1] == "byte 9 of 4,096 of kv")
    #expect(viewer.screen(.pageUp)[1] == "byte 1 of 4,096 of kv")
    #expect(viewer.screen(.end)[1] == "byte 4,095 of 4,096 of kv")
    #expect(viewer.screen(.left)[1] == "byte 4,094 of 4,096 of kv")
    #expect(viewer.screen(.down)[1] == "byte 4,094 of 4,096 of kv")
    #expect(viewer.screen(.pageDown)[1] == "byte 4,094 of 4,096 of kv")
    let other = viewer.screen(.tab)[1]
    #expect(other.hasPrefix("byte 0 of ") && other.hasSuffix(" of kv.crc"), "\(other)")
  }

  @Test func aFilterListsWhatHasTheTextInIt() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 6))
    #expect(viewer.press("/"))
    viewer.type("SETT")
    let lines = viewer.screen()
    #expect(lines[1] == "key 1 of 1, containing \"SETT\": as the app sees it (current)")
    #expect(lines[2].hasPrefix("   settings"))
    #expect(lines[5] == "/SETT_")
    viewer.type("q")
    #expect(viewer.screen(.enter)[5] == "no key contains that; Esc lists all")
    #expect(viewer.screen(.escape)[1] == "key 1 of 2: as the app sees it (current)")
  }

  @Test func keysThatNameTerminalCommandsAreShownAsText() throws {
    let hostile = "\u{1b}[2J\u{202e}\u{301}\u{9b}x\r"
    var builder = MMKVFixtureBuilder(texts: [(hostile, "\u{301}漢字\u{7}")])
    builder.put([0xff, 0x1b], [1])
    let viewer = try #require(Shown(builder.open(), width: 100, height: 6))
    let lines = viewer.screen()
    #expect(lines[2].hasPrefix("   \\u{1b}[2J\\u{202e}\u{301}\\u{9b}x\\r "))
    #expect(lines[2].hasSuffix("string \"\u{301}漢字\\u{7}\""))
    #expect(lines[3].hasPrefix("   0xff1b "))
    #expect(viewer.screen(.enter)[4] == "string")
  }

  // MARK: Any keys

  private static let keys: [ScreenKey] = [
    .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .backspace, .escape, .tab,
    .other, "/", "s", "a", "r", "x", "v", "n", "p", "N", "?", "q", "h", "j", "k", "l", "g", "G",
    "b", " ", "e", "é",
  ]

  /// Checks that a screen has the right number of lines, that none is too wide, and that no
  /// character controls the terminal.
  private func check(_ viewer: Shown, _ place: String) {
    let size = viewer.size
    let lines = viewer.lines()
    #expect(lines.count == size.height, "\(place)")
    for line in lines {
      #expect(line.width <= size.width, "\(place): \(line.text)")
      for scalar in line.text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
          Issue.record("\(place): \(scalar.value) in \(line.text.debugDescription)")
        default: break
        }
      }
    }
  }

  private func walk(_ store: MMKVStore, _ name: String, seed: UInt64, now: UInt32 = 0) {
    guard let viewer = Shown(store, now: now) else { return }
    var generator = SeededGenerator(seed: seed)
    var pressed: [ScreenKey] = []
    for _ in 0..<40 {
      if Int.random(in: 0..<6, using: &generator) == 0 {
        viewer.size = ScreenSize(
          width: Int.random(in: 1...90, using: &generator),
          height: Int.random(in: 1...30, using: &generator))
      }
      let key = Self.keys.randomElement(using: &generator) ?? .other
      pressed.append(key)
      if !viewer.press(key) { #expect(key == "q", "\(name), seed \(seed)") }
      check(viewer, "\(name), seed \(seed), \(pressed)")
    }
  }

  @Test(arguments: 0..<24) func noKeysMakeAScreenThatDoesNotFit(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var builder = MMKVFixtureBuilder()
    let scalars = (0..<400).compactMap { _ in
      Unicode.Scalar(UInt32.random(in: 0...0x2ffff, using: &generator))
    }
    for _ in 0..<Int.random(in: 0...60, using: &generator) {
      var key = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...30, using: &generator) {
        key.append(scalars.randomElement(using: &generator) ?? "x")
      }
      var value = [UInt8]()
      for _ in 0..<Int.random(in: 0...90, using: &generator) {
        value.append(UInt8.random(in: 0...255, using: &generator))
      }
      builder.put(String(key), value)
    }
    // In half of the runs, the checksum of the payload does not match.
    if seed % 2 == 0 { builder.digest = 1 }
    walk(builder.open(), "random", seed: seed)
  }

  @Test(arguments: 0..<8) func storesOfTheEngineFitTheScreenToo(_ part: Int) throws {
    for (index, example) in try CorpusCase.mmkv.enumerated()
    where index % 8 == part && (example.key == nil || Cryptography.isAvailable) {
      walk(try example.open(), example.name, seed: UInt64(index), now: example.now)
    }
  }

  @Test func everyEntryIsReached() throws {
    let texts = (0..<300).map { ("key \($0)", "\($0)") }
    let store = MMKVFixtureBuilder(texts: texts).open()
    let viewer = try #require(Shown(store, height: 9))
    for number in 0..<300 {
      let lines = viewer.lines()
      #expect(lines[1].text == "key \(number + 1) of 300: as the app sees it (current)")
      let selected = lines.filter { $0.spans.contains { $0.style.isReversed } }
      #expect(selected.map { $0.text.hasPrefix("   key \(number) ") } == [true])
      #expect(viewer.press(.down))
    }
    #expect(viewer.screen(.pageUp)[1] == "key 295 of 300: as the app sees it (current)")
    #expect(viewer.screen(.home)[1] == "key 1 of 300: as the app sees it (current)")
  }

  @Test func everyStateOfADamagedStoreIsShown() throws {
    let example = try #require(
      try CorpusCase.mmkv.first { $0.name.hasSuffix("damaged/flip_keylen_fwb") })
    let viewer = try #require(Shown(try example.open(), width: 80, now: example.now))
    #expect(viewer.screen()[0].hasPrefix("repairable, 29 entries, 2 findings of damage, mmkv: "))
    #expect(viewer.screen()[1].hasPrefix("key 1 of 29: "))
    #expect(viewer.screen()[2].hasPrefix(" +"))
    #expect(viewer.screen("s")[1] == "key 1 of 30: last full rewrite (confirmed)")
    #expect(viewer.screen("s")[1].hasPrefix("key 1 of 29: "))
  }

  /// Tests that what is a guess is marked as one, also if it may be damaged.
  @Test func aGuessIsFoundInTheList() throws {
    let example = try #require(
      try CorpusCase.mmkv.first { $0.name.hasSuffix("damaged/burst_fwb") })
    let viewer = try #require(Shown(try example.open(), width: 80, height: 60, now: example.now))
    #expect(viewer.screen()[0].contains("27 entries, and 1 guess"), "\(viewer.screen()[0])")
    let marks = viewer.screen().dropFirst(2).map { $0.prefix(3) }
    #expect(marks.count { $0 == " ? " } == 1 && marks.count { $0 == " ! " } == 7, "\(marks)")
  }

  @Test func helpIsLeftByOneKey() throws {
    let viewer = try #require(Shown(Self.small.open(), height: 40))
    let list = viewer.screen()
    let help = viewer.screen("?", "?")
    #expect(help.contains("list of keys") && help.contains("list of keys, records of a key"))
    #expect(viewer.screen("q") == list)
  }

  @Test(arguments: [
    ("[]", ["[]"]), ("{ }", ["{", "}"]), ("[1,\"a,{\\\"\"]", ["[", "  1,", "  \"a,{\\\"\"", "]"]),
    ("]]", ["]", "]"]), ("", [""]), ("{\"a\":1}x", ["{", "  \"a\": 1", "}x"]),
  ])
  func jsonIsIndented(_ text: String, _ lines: [String]) {
    #expect(IndentedJSON.lines(of: text) == lines)
  }
}
