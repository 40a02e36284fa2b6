import KVBytes
import KVConversion
import KVFixtures
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVToolkit
import SystemPackage

/// A store that was made for a test of copies, and what it holds.
struct CopiedSample {
  /// How the store was made.
  enum Kind: String, CaseIterable, CustomStringConvertible {
    case mmkv, mmkvWithKey, apple, android, androidOfOneCopy
    case binaryList, textList, preferences, dataStore, json, database

    /// The kinds that this build can make: without ciphers, none with a key.
    static var made: [Kind] {
      #if Encryption
        return allCases
      #else
        return allCases.filter { $0 != .mmkvWithKey }
      #endif
    }

    var description: String { rawValue }

    /// Whether the format is text, in which line ends are read as they are.
    private var isText: Bool { [.textList, .preferences, .json].contains(self) }
    private var hasLog: Bool {
      [.mmkv, .mmkvWithKey, .apple, .android, .androidOfOneCopy].contains(self)
    }

    /// Returns whether the contents are read from what `tool` makes of the files.
    func isRead(after tool: CopyTool) -> Bool {
      switch tool {
      case _ where tool.isLossy: false
      // The characters of a text are then others, and nothing shows which is meant.
      case .latinText, .wideText: !isText || self == .textList && tool == .wideText
      case .message, .messageAndLineEnds:
        hasLog || [.binaryList, .textList, .database].contains(self)
      // A text of two lines for each line is as good.
      case .lineEndsTwice: !isText
      default: true
      }
    }

    /// Returns whether what `tool` makes of the files is undamaged.
    func isHealthy(after tool: CopyTool) -> Bool {
      switch tool {
      case .lineEnds: isText
      case .lineEnd: self != .binaryList
      default: false
      }
    }
  }

  /// What was read of a store.
  struct Reading {
    let files: [StoreFile]
    let contents: Set<String>
    let findings: [Finding]
    var codes: [String] { findings.map(\.code) }
    var messages: [String] { findings.map(\.message) }
  }

  private static let now: UInt32 = 1_760_000_000
  private static let key = "sesame"

  let kind: Kind
  /// The name of the file that is opened.
  let main: String
  let files: [(name: String, bytes: [UInt8])]
  /// The keys and values.
  private(set) var contents: Set<String> = []

  /// The texts of a store that most changes show in.
  static let usualTexts = ["\nline one\nline two\n", "0123456789", "grün\n", "\r\n\r\n", "x"]

  /// Returns a few random texts with many line ends.
  static func texts(using random: inout SeededGenerator) -> [String] {
    (0..<Int.random(in: 1...9, using: &random)).map { _ in
      (0..<Int.random(in: 0...60, using: &random)).map { _ in
        ["\r\n", "\n", "a", "ü", "\r", "=", "0f"].randomElement(using: &random) ?? ""
      }.joined()
    }
  }

  /// Makes a store with `texts` in `folder`.
  init(_ kind: Kind, in folder: FilePath, _ texts: [String] = usualTexts) throws {
    self.kind = kind
    let names: [String]
    switch kind {
    case .mmkv: names = try Self.simulate("mmkv", kind, in: folder, texts)
    case .mmkvWithKey: names = try Self.simulate("mmkv", kind, in: folder, texts, key: Self.key)
    case .apple: names = try Self.simulate("fastkv-apple", kind, in: folder, texts)
    case .android: names = try Self.simulate("fastkv-android", kind, in: folder, texts)
    case .androidOfOneCopy:
      names = try Self.simulate("fastkv-android", kind, in: folder, texts)
        .filter { $0.hasSuffix(".kva") }
    case .binaryList: names = try Self.write("plist", "list.plist", in: folder, texts)
    case .textList: names = try Self.write("plist", "list.plist", in: folder, texts, .xml)
    case .preferences: names = try Self.write("sharedprefs", "app.xml", in: folder, texts)
    case .dataStore: names = try Self.write("datastore", "app.preferences_pb", in: folder, texts)
    case .json: names = try Self.write("json", "app.json", in: folder, texts)
    case .database: names = try Self.write("sqlite", "app.sqlite", in: folder, texts)
    }
    main = names[0]
    files = try names.map { ($0, try FileImage.read(folder.appending($0)).bytes) }
    contents = try read(at: folder.appending(main)).contents
    guard contents.count >= texts.count else { throw CopiedSampleError.lacksEntries }
  }

  private static func simulate(
    _ format: String, _ kind: Kind, in folder: FilePath, _ texts: [String],
    key: String? = nil
  ) throws -> [String] {
    var lines = ["format \(format)", "name \(kind)"]
    if let key { lines.append("key \(key)") }
    for (index, text) in texts.enumerated() {
      lines.append("string text\(index) hex:\(Hexadecimal.text(Array(text.utf8)))")
    }
    var simulation = try Simulation(Script(parsing: lines.joined(separator: "\n")), seed: 7)
    try simulation.finish()
    var files = PendingWrite(existing: .keep)
    for file in simulation.image.files {
      try files.add(file.bytes, at: folder.appending(file.name))
    }
    try files.commit()
    return simulation.image.files.map(\.name)
  }

  private static func write(
    _ format: String, _ name: String, in folder: FilePath, _ texts: [String],
    _ variants: FormatVariants = []
  ) throws -> [String] {
    var options = FormatOptions(now: now)
    options.variants = variants
    guard let encoder = FormatCatalog.standard[format]?.encoder?(options) else {
      throw CopiedSampleError.isNotWritten
    }
    var entries = texts.enumerated().map { index, text in
      TypedEntry(key: Key(Array("text\(index)".utf8)), value: .string(text))
    }
    entries.append(TypedEntry(key: Key(Array("number".utf8)), value: .int32(10)))
    let table = EntryTable(formatName: format, files: [], entries: entries, findings: [])
    try Conversion(of: TypedSource(table), by: encoder)
      .write(to: folder.appending(name), permissions: .ownerReadWrite) { _ in }.commit()
    return [name]
  }

  /// Returns what the file at `path` is recognized as.
  ///
  /// - Throws: If it cannot be examined.
  func files(at path: FilePath) throws(DiscoveryError) -> FoundFiles {
    var options = FormatOptions(now: Self.now)
    if kind == .mmkvWithKey { options.keys = KeyRing(Array(Self.key.utf8)) }
    let catalog = FormatCatalog.standard
    let settings = options
    return try Recognizer(Formats(catalog.stores(settings)), Readers(catalog.readers(settings)))
      .files(at: path, .found(isNamedAsStore: true), in: DiskSource())
  }

  /// Returns what the store at `path` holds.
  ///
  /// - Throws: If it is not recognized.
  func read(at path: FilePath) throws -> Reading {
    switch try files(at: path) {
    case .store(let best, _): return Self.reading(best.found)
    case .table(let reader, let files):
      let table = try reader.table(files)
      return Reading(
        files: table.files, contents: Set(table.entries.map { "\($0.key.bytes) \($0.value)" }),
        findings: table.findings)
    case .unknown: throw CopiedSampleError.isNotRecognized
    }
  }

  private static func reading(_ found: some FoundStore) -> Reading {
    let store = found.open().corrected()
    let diagnosis = Diagnosis(of: store, now: now)
    let live = diagnosis.best?.snapshot.live ?? []
    return Reading(
      files: store.files,
      contents: Set(live.map { "\(store.key(of: $0).bytes) \(store.value(of: $0))" }),
      findings: diagnosis.findings)
  }
}

/// Why a sample cannot be made or read.
enum CopiedSampleError: Error {
  case lacksEntries, isNotWritten, isNotRecognized
}

/// What tools make of the bytes of a file.
enum CopyTool: String, CaseIterable, CustomStringConvertible {
  case lineEnds, lineEndsTwice, gzip, base64, base64Lines, hex, hexdump, octalDump
  case wideText, latinText, message, messageAndLineEnds, lineEnd, packedText
  case decoder, sevenBits, questionMarks, spacesForZeros, withoutZeros

  /// Whether what it makes of the files lacks what they had.
  var isLossy: Bool {
    [.decoder, .sevenBits, .questionMarks, .spacesForZeros, .withoutZeros].contains(self)
  }

  var description: String { rawValue }

  func copied(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .lineEnds: Self.replace(bytes, [10], by: [13, 10])
    case .lineEndsTwice: Self.replace(bytes, [10], by: [13, 13, 10])
    case .gzip: Self.packed(bytes)
    case .base64: Array(Base64.text(bytes).utf8)
    case .base64Lines: Self.lines(Array(Base64.text(bytes).utf8), of: 76, "\r\n")
    case .hex: Self.lines(Array(Hexadecimal.text(bytes).utf8), of: 60, "\n")
    case .hexdump: Self.dump(bytes)
    case .octalDump: Self.octalDump(bytes)
    case .wideText:
      [0xff, 0xfe] + Self.replace(bytes, [10], by: [13, 10]).flatMap { [$0, 0] } + [13, 0, 10, 0]
    case .latinText:
      bytes.flatMap { Array(String(UnicodeScalar($0)).utf8) }
    case .message: Array("WARNING: linker: unused DT entry\n".utf8) + bytes
    case .messageAndLineEnds: CopyTool.lineEnds.copied(CopyTool.message.copied(bytes))
    case .lineEnd: bytes + [10]
    case .packedText: CopyTool.base64Lines.copied(CopyTool.gzip.copied(bytes))
    case .decoder: Array(String(decoding: bytes, as: UTF8.self).utf8)
    case .sevenBits: bytes.map { $0 & 0x7f }
    case .questionMarks: bytes.map { $0 > 0x7f ? UInt8(ascii: "?") : $0 }
    case .spacesForZeros: Self.replace(bytes, [0], by: [0x20])
    case .withoutZeros: bytes.filter { $0 != 0 }
    }
  }

  static func replace(_ bytes: [UInt8], _ old: [UInt8], by new: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.first {
      if rest.starts(with: old) {
        result += new
        rest = rest.dropFirst(old.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  private static func lines(_ text: [UInt8], of count: Int, _ end: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: count).flatMap {
      text[$0..<min($0 + count, text.count)] + Array(end.utf8)
    }
  }

  /// Returns a gzip file with `bytes`.
  private static func packed(_ bytes: [UInt8]) -> [UInt8] {
    // A zlib stream has two bytes before the data, and a checksum of four after it.
    let data = Deflate.packed(bytes).dropFirst(2).dropLast(4)
    let image = FileImage(bytes)
    let sums = [CRC32.digest(of: image, in: image.range), UInt32(truncatingIfNeeded: bytes.count)]
    return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + data
      + sums.flatMap { sum in (0..<4).map { UInt8(sum >> (8 * $0) & 0xff) } }
  }

  /// Returns what `hexdump -C` prints; repeated lines are left out.
  private static func dump(_ bytes: [UInt8]) -> [UInt8] {
    dump(bytes, radix: 16, digits: 8) { row in
      let text = row.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: ".") }
      return "  |\(String(decoding: text, as: UTF8.self))|"
    }
  }

  /// Returns what `od -t x1` prints.
  private static func octalDump(_ bytes: [UInt8]) -> [UInt8] {
    dump(bytes, radix: 8, digits: 7) { _ in "" }
  }

  private static func dump(
    _ bytes: [UInt8], radix: Int, digits: Int, _ text: ([UInt8]) -> String
  ) -> [UInt8] {
    func offset(_ number: Int) -> String {
      let text = String(number, radix: radix)
      return String(repeating: "0", count: digits - text.count) + text
    }
    var lines: [String] = []
    var last: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let row = Array(bytes[start..<min(start + 16, bytes.count)])
      if row == last {
        if lines.last != "*" { lines.append("*") }
        continue
      }
      last = row
      let words = row.map { Hexadecimal.text([$0]) }.joined(separator: " ")
      lines.append("\(offset(start)) \(words)\(text(row))")
    }
    lines.append(offset(bytes.count))
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}
