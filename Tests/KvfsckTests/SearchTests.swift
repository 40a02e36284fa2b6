import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// The search in stores of every format, with an answer key: each value and key that is planted has a
/// word of its own.
struct SearchTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// What is planted in a store, by the word that only it has.
  private struct Planted {
    /// The path of the store in the tree.
    let path: String
    /// What a hit must state, if that does not depend on the format.
    let place: String
    let state: String?
  }

  /// Words that are planted, made of random letters.
  private struct Words {
    var random: SeededGenerator
    var all: [String: Planted] = [:]

    mutating func plant(_ path: String, _ place: String, _ state: String?) -> String {
      let word =
        "q"
        + String((0..<11).map { _ in "bcdfghjklmnpqrstvwxz".randomElement(using: &random) ?? "b" })
      all[word] = Planted(path: path, place: place, state: state)
      return word
    }
  }

  /// The stores of the tree: path, format of the script, name of the store, other settings.
  private static let stores: [(path: String, format: String, name: String, settings: String)] = [
    ("files/mmkv/kv", "mmkv", "kv", ""),
    ("files/mmkv2/kv", "mmkv", "kv", "enableexpire 60"),
    ("files/apple/kv", "fastkv-apple", "kv", ""),
    ("files/android/kv.kva", "fastkv-android", "kv", "mode nb"),
    ("files/single/kv.kvc", "fastkv-android", "kv", "mode sync"),
    ("shared_prefs/kv.xml", "sharedprefs", "kv", ""),
    ("files/datastore/kv.preferences_pb", "datastore", "kv", ""),
    ("Preferences/kv.plist", "plist", "kv", ""),
    ("Other/Preferences/kv.plist", "plist-xml", "kv", ""),
    ("RCTAsyncLocalStorage_V1/manifest.json", "asyncstorage", "kv", ""),
  ]

  private static func hasLog(_ format: String) -> Bool {
    ["mmkv", "fastkv-apple", "fastkv-android"].contains(format)
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// Returns `word` as a JSON document whose letters are escaped, or packed in Base64.
  private static func nested(_ word: String, _ random: inout SeededGenerator) -> String {
    let escaped = word.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return #"{"a":["\#(escaped)"]}"#
    case 1: return base64(#"{"a":{"b":"\#(word)"}}"#)
    case 2: return base64(#"{"\#(word)":1}"#)
    default:
      let inner = base64(#"{"k":"\#(word)"}"#)
      return base64(#"{"a":"\#(inner)"}"#)
    }
  }

  /// Returns a script for the store at `path` that plants words in `words`.
  private static func script(
    _ path: String, _ format: String, _ settings: String, key: String?, _ words: inout Words
  ) -> String {
    var lines = ["format \(format)"]
    if let key { lines.append("key \(key)") }
    let isLog = hasLog(format)
    if !settings.isEmpty { lines.append(settings) }
    func word(_ place: String, _ state: String?) -> String { words.plant(path, place, state) }
    lines.append("string filler_one some.text")
    lines.append("string k1 \(word("value", "live"))")
    lines.append("string \(word("key", "live")) x")
    lines.append("string k2 before.\(word("value", "live")).after")
    lines.append("string k3 \(nested(word("nested", "live"), &words.random))")
    if isLog {
      let isMarked = format == "fastkv-android"
      let wide = word("value", "live").utf16.flatMap {
        [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
      }
      lines.append("bytes k4 hex:\(wide.map { String(format: "%02x", $0) }.joined())")
      lines.append("string k5 \(word("value", isMarked ? nil : "superseded"))")
      lines.append("string k5 another.and.longer.value")
      lines.append("string k6 \(word("value", isMarked ? nil : "removed"))")
      lines.append("remove k6")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func make(
    _ store: (path: String, format: String, name: String, settings: String), in root: String,
    key: String? = nil, _ words: inout Words
  ) async throws {
    let path = "\(root)/\(store.path)"
    let script = Self.script(path, store.format, store.settings, key: key, &words)
    _ = try scratch.write(Array(script.utf8), to: "script")
    let made = try await Tool.run(
      ["fixture", "make", "script", "--out", "made", "--seed", "1"], in: scratch.path)
    try #require(made.status == 0, "\(store): \(made.testDescription)")
    let folder = scratch.path(path.split(separator: "/").dropLast().joined(separator: "/"))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: scratch.path("made")) {
      // The only file of a format without a log gets the name that apps give it.
      let isAlone = !Self.hasLog(store.format) && !name.contains("manifest")
      let target = isAlone ? String(path.split(separator: "/").last ?? "") : name
      if !manager.fileExists(atPath: "\(folder)/\(target)") {
        try manager.moveItem(atPath: scratch.path("made/\(name)"), toPath: "\(folder)/\(target)")
      }
    }
    try manager.removeItem(atPath: scratch.path("made"))
  }

  /// Returns the hits for all `words` below `path`, by the word in them.
  private func hits(
    _ words: some Collection<String>, _ path: String, _ options: [String] = []
  ) async throws -> [String: [JSON]] {
    let patterns = words.sorted().flatMap { ["-e", $0] }
    let outcome = try await Tool.run(
      ["search", "--json"] + .clock + options + patterns + [path], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let found = try outcome.objects("hit")
    #expect(try outcome.objects("totals").first?["hits"]?.integer == found.count)
    return Dictionary(grouping: found) { hit in
      words.first { hit["excerpt"]?.string?.contains($0) ?? false } ?? ""
    }
  }

  /// Checks that `found` is all that is planted, except what the files no longer have.
  private func expect(
    _ found: [String: [JSON]], _ words: Words, below prefix: String = "", isEncrypted: Bool = false
  ) throws {
    #expect(found[""] == nil)
    for (word, planted) in words.all {
      let hits = found[word] ?? []
      if hits.isEmpty, planted.state == nil, !isEncrypted {
        let store = planted.path.split(separator: ".").first.map(String.init) ?? ""
        for suffix in [".kva", ".kvb", ".kvc", ".tmp"] {
          let bytes = (try? scratch.bytes(of: store + suffix)) ?? []
          #expect(!String(decoding: bytes, as: UTF8.self).contains(word), "\(word): \(planted)")
        }
        continue
      }
      #expect(!hits.isEmpty || planted.state == nil, "\(word): \(planted)")
      for hit in hits {
        let about = "\(word): \(planted), \(hit)"
        #expect(hit["path"]?.string == prefix + planted.path, "\(about)")
        #expect(hit["state"]?.string == planted.state ?? hit["state"]?.string, "\(about)")
        #expect(planted.state == nil || hit["where"]?.string == planted.place, "\(about)")
      }
    }
  }

  @Test func everyWordIsFoundInEveryFormatAndStateAndNothingElse() async throws {
    var words = Words(random: SeededGenerator(seed: RandomSeeds.run))
    for store in Self.stores { try await make(store, in: "tree", &words) }
    try expect(try await hits(words.all.keys, "tree"), words)
    try expect(
      try await hits(words.all.keys.map { $0.uppercased() }, "tree", ["-i"])
        .reduce(into: [:]) { result, hits in
          for hit in hits.value {
            let word = words.all.keys.first { hit["excerpt"]?.string?.contains($0) ?? false }
            result[word ?? "", default: []].append(hit)
          }
        }, words)
    var unplanted = Words(random: words.random)
    for _ in 0..<20 { _ = unplanted.plant("", "", nil) }
    #expect(try await hits(unplanted.all.keys, "tree").isEmpty)
    #if Archives
      let packed = try await Tool.run("/bin/sh", ["-c", "tar czf tree.tgz tree"], in: scratch.path)
      #expect(packed.status == 0)
      try expect(try await hits(words.all.keys, "tree.tgz"), words, below: "tree.tgz!")
    #endif
  }

  #if Encryption
    @Test func encryptedStoresAreSearchedWithTheirKeysOnly() async throws {
      var words = Words(random: SeededGenerator(seed: RandomSeeds.run &+ 1))
      for store in Self.stores where store.format == "mmkv" || store.path.hasSuffix(".kva") {
        try await make(store, in: "tree", key: "sixteen-byte-key", &words)
      }
      #expect(try await hits(words.all.keys, "tree").isEmpty)
      _ = try scratch.write(Array("** = sixteen-byte-key\n".utf8), to: "keys")
      try expect(
        try await hits(words.all.keys, "tree", ["--keys", "keys"]), words, isEncrypted: true)
    }
  #endif

  @Test func numbersAreFoundByTheirValue() async throws {
    let script = """
      format mmkv
      int32 a 1234567
      int64 b -7654321
      double c 0.15625
      float d 2.5
      uint64 e 18446744073709551615
      string f id-1234567-x
      int32 g 12345678
      """
    _ = try scratch.write(Array((script + "\n").utf8), to: "script")
    _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
    for (pattern, keys) in [
      ("1234567", ["a", "f"]), ("-7654321", ["b"]), ("0.15625", ["c"]), ("2.50", ["d"]),
      ("18446744073709551615", ["e"]), ("7654321", []), ("123456", ["f"]),
    ] as [(String, [String])] {
      let outcome = try await Tool.run(
        ["search", "--json", "-e", pattern, "kv"], in: scratch.path)
      let found = try outcome.objects("hit").compactMap { $0["key"]?.string }
      #expect(found == keys, "\(pattern): \(outcome.output)")
    }
  }

  @Test func aHitSaysWhereItsBytesAre() async throws {
    let script = "format mmkv\nstring token abcdefgh\n"
    _ = try scratch.write(Array(script.utf8), to: "script")
    _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
    let bytes = try scratch.bytes(of: "kv/kv")
    for arguments in [["cdef"], ["--regex", "c.ef"], ["--hex", "63 64 65 66"], ["-i", "CDEF"]] {
      let outcome = try await Tool.run(["search", "--json"] + arguments + ["kv"], in: scratch.path)
      let hit = try #require(try outcome.objects("hit").first, "\(outcome.testDescription)")
      let start = try #require(hit["match_offset"]?.integer)
      #expect(hit["match_length"]?.integer == 4)
      #expect(Array(bytes[start..<start + 4]) == Array("cdef".utf8))
      let record = try #require(hit["offset"]?.integer)
      #expect(record <= start && start + 4 <= record + (hit["length"]?.integer ?? 0))
      #expect(hit["probability"] != nil && hit["evidence"]?.string == "checksum")
    }
    let text = try await Tool.run(["search", "cdef", "kv"], in: scratch.path)
    #expect(text.output.contains("token = abcdefgh"), "\(text.testDescription)")
    #expect(text.output.contains("1 hit in 1 of 1 store: 1 live"))
  }

  @Test(arguments: [[2002], [2002, 2012], [2002, 2500, 3900], [500, 510, 520, 4000]])
  func bytesOfNoRecordAreFoundAtEachPlace(places: [Int]) async throws {
    let script = "format mmkv\nstring token abcdefgh\n"
    _ = try scratch.write(Array(script.utf8), to: "script")
    _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
    var bytes = try scratch.bytes(of: "kv/kv")
    for place in places {
      bytes.replaceSubrange(place - 2..<place, with: [0xff, 0xff])
      bytes.replaceSubrange(place..<place + 8, with: Array("leftover".utf8))
    }
    _ = try scratch.write(bytes, to: "kv/kv")
    let outcome = try await Tool.run(["search", "--json", "leftover", "kv"], in: scratch.path)
    let hits = try outcome.objects("hit")
    #expect(hits.allSatisfy { $0["state"]?.string == "residual" }, "\(outcome.testDescription)")
    #expect(hits.map { $0["match_offset"]?.integer } == places)
  }

  /// Tests that equal records of one log are all hits, and those of its other copy are not.
  @Test(arguments: ["mmkv", "fastkv-apple", "fastkv-android"], 1...3)
  func equalRecordsAreHitsEach(format: String, count: Int) async throws {
    let sets = (0..<count).map { "string k qwrtz.plain\nstring k other.\($0)\n" }.joined()
    _ = try scratch.write(Array("format \(format)\nstring other x\n\(sets)".utf8), to: "script")
    _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
    let outcome = try await Tool.run(["search", "--json", "qwrtz", "kv"], in: scratch.path)
    let hits = try outcome.objects("hit")
    #expect(hits.count == count, "\(outcome.testDescription)")
    #expect(Set(hits.map { $0["match_offset"]?.integer }).count == count)
    #expect(hits.allSatisfy { $0["state"]?.string != "live" })
  }

  @Test(arguments: [["first"], ["second"], ["first", "second"], ["none", "second", "first"]])
  func eachPatternIsLookedFor(patterns: [String]) async throws {
    _ = try scratch.write(
      Array("format mmkv\nstring a the.first\nstring b the.second\n".utf8), to: "script")
    _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
    let outcome = try await Tool.run(
      ["search", "--json"] + patterns.flatMap { ["-e", $0] } + ["kv"], in: scratch.path)
    let keys = try outcome.objects("hit").compactMap { $0["key"]?.string }
    let expected = [("first", "a"), ("second", "b")].filter { patterns.contains($0.0) }.map(\.1)
    #expect(keys == expected)
  }

  /// Tests that damage hides nothing: what the bytes of a file have, the search has.
  @Test(arguments: [
    ("mmkv/damaged", "session", ["", ".crc"]),
    ("fastkv-android/damaged", "ratio", [".kva", ".kvb", ".kvc", ".tmp"]),
  ])
  func damagedStoresAreSearchedToo(folder: String, word: String, endings: [String]) async throws {
    let root = "\(Fixture.root)/\(folder)"
    let found = try await Tool.run(["search", "--json", word, root])
    let paths = Set(try found.objects("hit").compactMap { $0["path"]?.string })
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: root) {
      let stem = "\(root)/\(name)/kv"
      let files = endings.map { stem + $0 }
      let hasWord = files.contains { file in
        let bytes = try? Data(contentsOf: URL(filePath: file))
        return bytes?.range(of: Data(word.utf8)) != nil
      }
      guard hasWord else { continue }
      count += 1
      #expect(files.contains(where: paths.contains), "\(name)")
    }
    #expect(count > 50, "\(count)")
  }

  #if Encryption
    @Test func aRedactedSearchShowsNoValue() async throws {
      // What stands for a key are random hexadecimal digits, which the value has none of.
      let script = "format mmkv\nstring token xylograph\n"
      _ = try scratch.write(Array(script.utf8), to: "script")
      _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
      for form in [[], ["--json"]] {
        let outcome = try await Tool.run(
          ["search", "xylo", "--redact-keys", "kv"] + form, in: scratch.path)
        #expect(!outcome.output.contains("xylo") && !outcome.output.contains("token"))
        #expect(outcome.output.contains("live"))
      }
    }
  #endif

  @Test(arguments: [
    ["", "."], ["--regex", "(", "."], ["--regex", "a{2,1}", "."], ["--hex", "xy", "."], ["x"],
    ["--regex", "--hex", "61", "."], ["-e", "x"],
  ])
  func whatCannotBeSearchedForIsRefused(arguments: [String]) async throws {
    let outcome = try await Tool.run(["search"] + arguments, in: scratch.path)
    #expect(outcome.status == 16, "\(outcome.testDescription)")
  }

  @Test func theOutputOfASearchIsNotResumed() async throws {
    _ = try scratch.write(Array("format mmkv\nstring token abcdefgh\n".utf8), to: "script")
    _ = try await Tool.run(["fixture", "make", "script", "--out", "kv"], in: scratch.path)
    for (word, first) in [("abcd", "hit"), ("zzzz", "totals")] {
      let searched = try await Tool.run(["search", "--json", word, "kv"], in: scratch.path)
      #expect(searched.output.contains(first))
      _ = try scratch.write(Array(searched.output.utf8), to: "earlier")
      let outcome = try await Tool.run(
        ["search", "abcd", "--resume", "earlier", "kv"], in: scratch.path)
      #expect(outcome.status == 8 && outcome.output.isEmpty, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("is not the JSON output of kvfsck scan"))
    }
    let scanned = try await Tool.run(["scan", "--json", "kv"], in: scratch.path)
    _ = try scratch.write(Array(scanned.output.utf8), to: "earlier")
    let rest = try await Tool.run(
      ["search", "--json", "abcd", "--resume", "earlier", "kv"], in: scratch.path)
    #expect(try rest.status == 0 && rest.objects("hit").isEmpty, "\(rest.testDescription)")
  }

  @Test(arguments: ["[[:alpha:]]", "[a-z[:digit:]]+", "[^[:space:]]"])
  func namedClassesAreRefused(expression: String) async throws {
    let outcome = try await Tool.run(["search", "--regex", expression, "."], in: scratch.path)
    #expect(outcome.status == 16, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("[:alpha:]"))
  }
}
