import Foundation
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// A store that has one finding, and the place of the finding.
struct FindingExample: Sendable, CustomTestStringConvertible {
  let code: String
  let severity: Finding.Severity
  let extent: Extent?
  let files: [StoreFile]
  var key: MMKVKey?
  var candidateIDs: [String] = []
  /// Whether the key has to be found.
  var isSearched = false

  var testDescription: String { code }

  init(
    _ code: String, _ severity: Finding.Severity, at extent: Extent?, _ builder: MMKVFixtureBuilder
  ) {
    self.init(code, severity, at: extent, builder.files())
  }

  init(
    _ code: String, _ severity: Finding.Severity, at extent: Extent?, _ files: [StoreFile],
    key: MMKVKey? = nil, candidateIDs: [String] = []
  ) {
    self.code = code
    self.severity = severity
    self.extent = extent
    self.files = files
    self.key = key
    self.candidateIDs = candidateIDs
  }

  func open() -> MMKVStore {
    let now: UInt32 = 1_760_000_000
    guard isSearched, let key else {
      return MMKVFormat(key: key, now: now, candidateIDs: candidateIDs).open(files).corrected()
    }
    var candidates = KeyCandidates()
    candidates.add(FileImage([0] + key.bytes + [0]), at: "libapp.so")
    return MMKVFormat(keys: KeyRing(among: candidates), isAES256: nil, now: now).open(files)
  }

  // MARK: Examples

  static var all: [FindingExample] { files + meta + sizes + access + records + contents }

  private static func made(
    _ change: (inout MMKVFixtureBuilder) -> Void
  ) -> MMKVFixtureBuilder {
    var builder = SmallStore.builder
    change(&builder)
    return builder
  }

  private static func pair(_ data: [UInt8]?, _ meta: [UInt8]?) -> [StoreFile] {
    MMKVFixtureBuilder.files(data: data, meta: meta)
  }

  #if Encryption
    /// Returns a store whose meta version has changed to one without an initialization vector.
    private static func older(_ key: MMKVKey) -> [StoreFile] {
      let builder = made {
        $0.key = key
        $0.vector = (1...16).map { $0 }
        $0.header = UInt32($0.payload.count)
      }
      var meta = builder.meta
      meta[4] = 1
      return pair(builder.data, meta)
    }

    /// Returns a store with a flipped bit in the initialization vector.
    private static func turned(_ key: MMKVKey) -> [StoreFile] {
      let builder = made {
        $0.key = key
        $0.vector = (1...16).map { $0 }
      }
      var meta = builder.meta
      meta[15] ^= 0x10
      return pair(builder.data, meta)
    }

    /// Returns a log of one record of noise, after a prefix that no current engine writes.
    private static func alikeNoise(_ key: MMKVKey) -> [StoreFile] {
      var random = SeededGenerator(seed: 7)
      let builder = made {
        $0.key = key
        $0.prefix = [0x33]
        $0.records = []
        $0.put(random.bytes(80), random.bytes(13))
      }
      return builder.files()
    }

    /// Returns a store whose initialization vector has changed so that the first block still
    /// decodes, to a binary key.
    private static func misread(_ key: MMKVKey) -> [StoreFile] {
      let builder = made {
        $0.key = key
        for index in 0..<40 { $0.put("key \(index)", text: "value") }
      }
      var meta = builder.meta
      // Most wrong vectors make a first record that does not decode, or that is implausible.
      for change in UInt16(1)...UInt16.max {
        (meta[12], meta[20]) = (UInt8(change & 0xff), UInt8(change >> 8))
        let files = pair(builder.data, meta)
        let findings = MMKVFormat(key: key, now: 0).open(files).corrected().check()
        if findings.contains(where: {
          $0.code == "mmkv.vector-unverified" && $0.severity == .damage
        }) {
          return files
        }
      }
      return []
    }
  #endif

  private static func changedMeta(_ offset: Int, _ bytes: [UInt8]) -> [StoreFile] {
    var meta = SmallStore.builder.meta
    meta.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    return pair(SmallStore.builder.data, meta)
  }

  private static var files: [FindingExample] {
    let (data, meta) = (SmallStore.builder.data, SmallStore.builder.meta)
    return [
      .init("mmkv.data-missing", .damage, at: nil, pair(nil, meta)),
      .init(
        "mmkv.data-cut", .damage, at: Extent(.data, 0..<3), pair(Array(data.prefix(3)), meta)),
      .init(
        "mmkv.data-not-page-sized", .warning, at: Extent(.data, 0..<4000),
        pair(Array(data.prefix(4000)), meta)),
      .init("mmkv.meta-missing", .damage, at: nil, pair(data, nil)),
      .init(
        "mmkv.meta-renamed", .note, at: nil,
        [
          StoreFile(.data, at: "kv.bak", FileImage(data)),
          StoreFile(.meta, at: "kv.crc.bak", FileImage(meta)),
        ]),
      .init(
        "mmkv.meta-short", .damage, at: Extent(.meta, 0..<39), pair(data, Array(meta.prefix(39)))),
      .init(
        "mmkv.meta-short", .warning, at: Extent(.meta, 0..<111),
        pair(data, Array(meta.prefix(111)))),
      .init(
        "mmkv.meta-blank", .damage, at: Extent(.meta, 0..<112),
        pair(data, [UInt8](repeating: 0, count: 4096))),
    ]
  }

  private static var meta: [FindingExample] {
    [
      .init(
        "mmkv.meta-version-suspicious", .warning, at: Extent(.meta, 4..<8), changedMeta(4, [7])),
      .init("mmkv.meta-version-reserved", .warning, at: Extent(.meta, 4..<8), changedMeta(4, [5])),
      .init(
        "mmkv.meta-flags-unknown", .warning, at: Extent(.meta, 104..<112), changedMeta(111, [1])),
      .init(
        "mmkv.expiry-contradicted", .damage, at: Extent(.meta, 104..<112),
        made {
          for key in ["one", "two"] { $0.put(key, text: "value of \(key)") }
          $0.flags = 1
        }),
      .init("mmkv.meta-padding", .note, at: Extent(.meta, 40..<4096), changedMeta(40, [1])),
      .init("mmkv.meta-padding", .note, at: Extent(.meta, 40..<4096), changedMeta(4095, [1])),
    ]
  }

  private static var sizes: [FindingExample] {
    let plain = SmallStore.builder
    var corrupt = plain.data
    corrupt[13] ^= 0x20
    // Two flipped bits in 9,000 characters. About as many pairs match by chance.
    let long = made { $0.put("text", text: String(repeating: "words ", count: 1500)) }
    var turned = long.data
    turned[100] ^= 1
    turned[8000] ^= 1
    let size = Extent(.meta, 28..<32)
    let log = Extent(.data, 4..<30)
    return [
      .init("mmkv.size-beyond-file", .damage, at: size, made { $0.actualCount = 4093 }),
      .init(
        "mmkv.size-beyond-file", .damage, at: Extent(.data, 0..<4),
        made {
          $0.version = 1
          $0.header = .max
        }),
      .init("mmkv.checksum-mismatch", .damage, at: log, made { $0.digest = 1 }),
      .init(
        "mmkv.correction-candidates", .note, at: Extent(.data, 4..<4 + long.payload.count),
        pair(turned, long.meta)),
      .init("mmkv.corrected", .damage, at: Extent(.data, 13..<14), pair(corrupt, plain.meta)),
      .init(
        "mmkv.undecodable", .damage, at: Extent(.data, 4..<32), made { $0.records += [1, 0x61] }),
      .init(
        "mmkv.confirmed-beyond-file", .warning, at: Extent(.meta, 32..<36),
        made { $0.confirmed = (4093, 1) }),
      .init(
        "mmkv.confirmed-mismatch", .note, at: Extent(.data, 4..<8), made { $0.confirmed = (4, 1) }),
      .init(
        "mmkv.confirmed-mismatch", .warning, at: Extent(.data, 4..<8),
        made {
          $0.confirmed = (4, 1)
          $0.digest = 1
        }),
      .init("mmkv.header-disagrees", .note, at: Extent(.data, 0..<4), made { $0.header = 8 }),
      .init(
        "mmkv.header-disagrees", .warning, at: Extent(.data, 0..<4),
        made {
          $0.header = UInt32($0.payload.count)
          $0.actualCount = 8
        }),
      .init(
        "mmkv.slack-content", .note, at: Extent(.data, 30..<33), made { $0.slack = [0xfe, 0, 7] }),
      .init(
        "mmkv.tail-beyond-size", .note, at: Extent(.data, 30..<36),
        made { $0.slack = [3, 0x6e, 0x65, 0x77, 1, 1] }),
    ]
  }

  private static var access: [FindingExample] {
    let whole = Extent(.data, 4..<4096)
    var random = SeededGenerator(seed: 5)
    let noise = random.bytes(4096)
    var examples: [FindingExample] = [
      .init("mmkv.not-a-store", .damage, at: whole, pair(noise, nil)),
      .init("mmkv.nothing-decodes", .damage, at: whole, pair(noise, SmallStore.builder.meta)),
    ]
    let key = MMKVKey(Array("key".utf8))
    #if Encryption
      let encrypted = made {
        $0.key = key
        for index in 0..<4 { $0.put("key \(index)", text: "value") }
      }
      let hashed: FilePath = "specialCharacter/42d7d68ba871aeb78a438f04d0f1f19c"
      examples += [
        .init("mmkv.key-needed", .damage, at: whole, encrypted.files()),
        .init(
          "mmkv.wrong-key", .damage, at: whole, encrypted.files(), key: MMKVKey([1, 2, 3])),
        .init(
          "mmkv.cipher-mismatch", .damage, at: whole, encrypted.files(),
          key: MMKVKey(key.bytes, isAES256: true)),
        .init("mmkv.key-undetermined", .damage, at: whole, alikeNoise(key), key: key),
        .init("mmkv.vector-unverified", .damage, at: Extent(.data, 4..<20), misread(key), key: key),
        .init(
          "mmkv.vector-by-other-version", .damage, at: Extent(.meta, 4..<8), older(key), key: key),
        .init(
          "mmkv.vector-corrected", .damage, at: Extent(.meta, 15..<16), turned(key), key: key),
        .init("mmkv.key-not-needed", .damage, at: whole, SmallStore.builder.files(), key: key),
        found(key),
        .init(
          "mmkv.hashed-id", .note, at: nil, SmallStore.builder.files(at: hashed),
          candidateIDs: ["a/b:c"]),
      ]
    #else
      examples.append(
        .init("mmkv.no-cipher", .damage, at: whole, SmallStore.builder.files(), key: key))
    #endif
    return examples
  }

  #if Encryption
    private static func found(_ key: MMKVKey) -> FindingExample {
      let store = made {
        $0.key = key
        for index in 0..<6 { $0.put("key \(index)", text: "value \(index)") }
      }
      let log = Extent(.data, 4..<4096)
      var example = FindingExample("mmkv.key-found", .note, at: log, store.files(), key: key)
      example.isSearched = true
      return example
    }
  #endif

  /// Returns ten records with `damage` in their middle, and the place of the damage.
  private static func damaged(_ damage: [UInt8]) -> (MMKVFixtureBuilder, Extent) {
    var builder = MMKVFixtureBuilder()
    for index in 0..<5 { builder.put("before\(index)", text: "value") }
    let start = 4 + builder.payload.count
    builder.records += damage
    for index in 0..<5 { builder.put("after\(index)", text: "value") }
    return (builder, Extent(.data, start..<start + damage.count))
  }

  private static var records: [FindingExample] {
    let ballast = [UInt8](repeating: 0xfe, count: 24)
    let noise = [UInt8](repeating: 0xfe, count: 7)
    let damage: [(String, [UInt8])] = [
      ("record.length-beyond-end", [0xff, 0xff, 0x7f] + ballast),
      ("record.negative-length", [0xff, 0xff, 0xff, 0xff, 0x0f] + ballast),
      ("record.malformed-length", [UInt8](repeating: 0xff, count: 24)),
      ("record.zeros", [UInt8](repeating: 0, count: 24)),
      // Three records with binary keys and values, as no app writes them.
      ("record.implausible", [[UInt8]](repeating: noise, count: 3).flatMap { [7] + $0 + [7] + $0 }),
    ]
    var examples = damage.map { code, bytes in
      var (builder, extent) = damaged(bytes)
      builder.digest = 1
      return FindingExample(code, .damage, at: extent, builder)
    }
    var long = MMKVFixtureBuilder(texts: [("first", "1")])
    let start = 4 + long.payload.count
    long.put([UInt8](repeating: 0x6b, count: 65532), [7])
    examples.append(
      .init(
        "record.refused-by-engine", .warning,
        at: Extent(.data, start..<4 + long.payload.count), long))
    return examples
  }

  private static var contents: [FindingExample] {
    let expired = made {
      $0.flags = 1
      $0.records = []
      $0.put("never", [7, 0, 0, 0, 0])
      $0.put("past", [7, 1, 0, 0, 0])
    }
    let bloated = made {
      for index in 0..<400 { $0.put("counter", text: "value \(index)") }
    }
    // A value that was set after the size was stored, followed by zeros. This is the store's second
    // log.
    var after = made { ($0.header, $0.sequence) = (0, 1) }
    for name in ["name", "city", "colour"] { after.put(name, text: "Eve") }
    let end = 4 + after.payload.count
    var newer = MMKVFixtureBuilder()
    for name in ["name", "city"] { newer.put(name, text: "Bob") }
    after.slack = newer.records
    // Two records were copied to the start. 30 bytes of the second are still in its old place.
    var compacted = MMKVFixtureBuilder()
    compacted.digest = 1
    for name in ["session", "account"] {
      compacted.put(name, text: "what \(name) was set to, in some words")
    }
    let front = compacted.payload.count
    compacted.records += compacted.records.suffix(30)
    for name in ["colour", "language"] {
      compacted.put(name, text: "what \(name) was set to, in some words")
    }
    // Noise in the place of a record that is still there after the log.
    var copied = MMKVFixtureBuilder()
    copied.sequence = 2
    for name in ["first", "second"] { copied.put(name, text: "what \(name) was set to") }
    copied.records += [UInt8](repeating: 0xff, count: 28)
    for name in ["fourth", "fifth"] { copied.put(name, text: "what \(name) was set to") }
    let copiedEnd = 4 + copied.payload.count
    copied.digest = 1
    var older = MMKVFixtureBuilder()
    older.put("third", text: "what third was set to")
    copied.slack = older.records
    let full = made { for index in 0..<6 { $0.put("key \(index)", text: "value") } }
    var reset = MMKVFixtureBuilder()
    reset.prefix = []
    return [
      .init(
        "store.emptied", .warning, at: Extent(.data, 4..<4 + full.payload.count),
        pair(full.data, reset.meta)),
      .init("engine.silent-loss", .warning, at: Extent(.data, 4..<30), made { $0.digest = 1 }),
      .init(
        "store.copy-suspected", .damage, at: nil,
        pair(full.data.map { $0 & 0x7f }, full.meta.map { $0 & 0x7f })),
      .init(
        "store.rewrite-interrupted", .damage, at: Extent(.data, 4 + front..<34 + front), compacted),
      .init(
        "store.leftover-records", .warning,
        at: Extent(.data, copiedEnd..<copiedEnd + older.records.count), copied),
      .init("store.newer-tail", .note, at: Extent(.data, end..<end + 20), after),
      .init("store.expired", .note, at: Extent(.data, 20..<31), expired),
      .init(
        "store.bloat", .note, at: Extent(.data, 4..<4 + bloated.payload.count), bloated),
    ]
  }
}

@Suite struct FindingTests {
  @Test(arguments: FindingExample.all)
  func findingIsMadeWhereItBelongs(_ example: FindingExample) throws {
    let diagnosis = expectSound(example.open(), now: 1_760_000_000, example.code)
    let finding = try #require(
      diagnosis.findings.first { $0.code == example.code },
      "\(diagnosis.findings.map(\.code))")
    #expect(finding.severity == example.severity)
    #expect(finding.extent == example.extent)
    #expect(!finding.message.isEmpty)
  }

  @Test func wholeStoreHasNoFindings() {
    #expect(expectSound(SmallStore.builder.open(), now: 0).findings == [])
  }

  /// Tests that a size of zero is not reported as beyond the end of a file without a header.
  ///
  /// `mmkv.data-cut` already reports the missing header.
  @Test(arguments: 0..<4) func aSizeOfZeroIsNotBeyondAFileWithoutAHeader(count: Int) {
    var builder = SmallStore.builder
    builder.actualCount = 0
    builder.confirmed = (0, 0)
    let files = MMKVFixtureBuilder.files(
      data: Array(builder.data.prefix(count)), meta: builder.meta)
    let findings = MMKVFormat(now: 0).open(files).check()
    #expect(findings.contains { $0.code == "mmkv.data-cut" })
    #expect(!findings.contains { $0.code.hasSuffix("-beyond-file") }, "\(findings)")
  }

  @Test func theBytesOfTheFileAreGroupedInEveryMessage() throws {
    var builder = SmallStore.builder
    builder.actualCount = 4093
    builder.confirmed = (4093, 1)
    let findings = builder.open().check().filter { $0.code.hasSuffix("-beyond-file") }
    #expect(findings.count == 2)
    for finding in findings {
      #expect(finding.message.contains("only 4,092 bytes follow the data file"))
    }
  }

  @Test("Bytes after whole pages are not called a truncation")
  func sizeOfPages() throws {
    func message(_ data: [UInt8]) throws -> String {
      let files = MMKVFixtureBuilder.files(data: data, meta: SmallStore.builder.meta)
      let findings = MMKVFormat(now: 0).open(files).check()
      return try #require(findings.first { $0.code == "mmkv.data-not-page-sized" }).message
    }
    let data = SmallStore.builder.data
    #expect(try message(data.dropLast(96)).contains("truncated or copied in part"))
    let longer = try message(data + [0x0d, 0x0a])
    #expect(longer.contains("2 bytes follow them") && !longer.contains("truncated"))
  }

  @Test func everyCodeHasAnExample() {
    #expect(Self.codes() == Set(FindingExample.all.map(\.code)))
  }

  @Test func everyCodeIsDocumented() throws {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("Docs/FINDINGS.md"), encoding: .utf8)
    for code in Self.codes() where !text.contains("### `\(code)`") {
      Issue.record("\(code) has no section")
    }
  }

  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
  }

  /// Returns the codes that this build can report.
  private static func codes() -> Set<String> {
    var codes = Set((MMKVFindings.all + LogFindings.all).map(\.name))
    // MMKV's only side file causes an error if it cannot be read.
    codes.remove("store.file-unread")
    // The archive reader reports this finding.
    codes.remove("store.file-incomplete")
    // Files are changed back before a store is opened.
    codes.remove("store.copy-undone")
    // MMKV's records have no checksums of their own.
    codes.remove("record.checksum-mismatch")
    #if Encryption
      codes.remove("mmkv.no-cipher")
    #else
      codes.subtract([
        "mmkv.key-needed", "mmkv.wrong-key", "mmkv.key-undetermined", "mmkv.cipher-mismatch",
        "mmkv.key-not-needed", "mmkv.key-found",
        "mmkv.hashed-id", "mmkv.vector-unverified", "mmkv.vector-by-other-version",
        "mmkv.vector-corrected",
      ])
    #endif
    return codes
  }
}
