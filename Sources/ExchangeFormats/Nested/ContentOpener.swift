import KVBytes
import KVModel
import SystemPackage

/// Opens documents, and the documents in them, within limits.
struct ContentOpener {
  /// How much is opened, and how much of it is kept.
  struct Limits {
    /// How deep documents are opened within documents, and containers within containers.
    let levels: Int, depth: Int
    /// The number of parts.
    let parts: Int
    /// The number of bytes in which documents are looked for within documents.
    let bytes: Int
    /// The number of bytes that are kept of a text or of binary data.
    let kept: Int

    /// The parts of a document.
    static let oneLevel = Limits(levels: 1, depth: 1, parts: 256, bytes: 0, kept: 256)
    /// The parts of a document, and of everything in it.
    static let all = Limits(levels: 8, depth: 64, parts: 8192, bytes: 1 << 22, kept: 1 << 14)
    /// The same, of which no text is cut.
    static let searched = Limits(
      levels: 8, depth: 64, parts: 1 << 17, bytes: 1 << 24, kept: 1 << 24)
    /// The parts of a document, without any documents in them.
    static let whole = Limits(levels: 1, depth: 64, parts: 1 << 20, bytes: 0, kept: .max)
  }

  private typealias Member = ValueContent.Member

  /// The number of bits of evidence that a decoded text must give for a message.
  private static let decodedBits = 24

  private let limits: Limits
  /// The number of parts for which there is room.
  private var partsLeft: Int
  private var bytesLeft: Int
  private var level = 0
  private var depth = 0
  /// Whether there was no room for a part.
  private(set) var isCut = false

  /// Creates an opener with `limits`.
  init(_ limits: Limits) {
    self.limits = limits
    partsLeft = limits.parts
    bytesLeft = limits.bytes
  }

  /// Whether documents within documents are opened.
  var opensAll: Bool { limits.levels > 1 }

  // MARK: Parts

  /// Returns whether there is room for one more part, and takes it.
  mutating func takesPart() -> Bool {
    partsLeft -= 1
    isCut = isCut || partsLeft < 0
    return partsLeft >= 0
  }

  /// Returns the part called `name` for `value`, with the document that it is.
  mutating func part(
    _ name: String?, _ value: Value, others: [Reading] = []
  ) -> ValueContent.Member {
    switch value {
    case .array(let values):
      container(name, value.kind.rawValue, count: values.count) { opener in
        values.prefix { _ in opener.takesPart() }.map { opener.part(nil, $0) }
      }
    case .dictionary(let members):
      container(name, value.kind.rawValue, count: members.count) { opener in
        members.prefix { _ in opener.takesPart() }.map { opener.part($0.name, $0.value) }
      }
    default:
      Member(name, value, keeping: limits.kept, document: document(in: value), others: others)
    }
  }

  /// Returns the part called `name` for a container, with the `parts` in it.
  mutating func container(
    _ name: String?, _ kind: String, count: Int, others: [Reading] = [],
    _ parts: (inout ContentOpener) -> [ValueContent.Member]
  ) -> ValueContent.Member {
    guard depth < limits.depth else {
      isCut = true
      return Member(name, .container(kind, count: count), others: others)
    }
    depth += 1
    defer { depth -= 1 }
    return Member(name, .container(kind, count: count), parts: parts(&self), others: others)
  }

  // MARK: Documents

  /// Returns the document that `value` is; `nil` if it is none, or there is no room for it.
  mutating func document(in value: Value) -> ValueContent? {
    guard level < limits.levels else { return nil }
    level += 1
    defer { level -= 1 }
    switch value {
    case .keyedArchive(_, let bytes): return takes(bytes.count) ? binaryList(bytes) : nil
    case .bytes(let bytes), .object(_, let bytes): return document(in: bytes)
    case .string(let text): return document(in: text)
    case .json(let text): return opensAll && takes(text.utf8.count) ? json(text) : nil
    case .array, .dictionary: return opensAll ? parts(of: value) : nil
    case .list(let values): return opensAll ? parts(of: .array(Array(values))) : nil
    case .set(let texts):
      return opensAll ? parts(of: .array(texts.map { $0.map { .string($0) } ?? .null })) : nil
    default: return nil
    }
  }

  /// Takes `count` bytes within a document to look for another one in them; returns whether there
  /// is room for that.
  private mutating func takes(_ count: Int) -> Bool {
    guard level > 1 else { return true }
    guard count <= bytesLeft else { return false }
    bytesLeft -= count
    return true
  }

  private mutating func parts(of value: Value) -> ValueContent? {
    let root = part(nil, value)
    var members: [ValueContent.Member] = []
    for (index, part) in root.parts.enumerated() where part.hasDocument {
      members.append(part)
      members[members.count - 1].name = part.name ?? "\(index)"
    }
    return members.isEmpty ? nil : ValueContent(.parts, members, count: members.count)
  }

  private mutating func document(
    in bytes: [UInt8], leastBits: Int? = nil
  ) -> ValueContent? {
    let media = MediaType(of: bytes.storageSpan)
    if opensAll, let form = Self.packing(bytes, media), let content = unpacked(bytes, form) {
      return content
    }
    if let media { return ValueContent(media) }
    guard takes(bytes.count) else { return nil }
    if let content = binaryList(bytes) { return content }
    if opensAll, let text = bytes.storageSpan.text, let content = textDocument(text) {
      return content
    }
    return ProtobufContent.of(bytes, leastBits: leastBits, &self)
  }

  private mutating func document(in text: String) -> ValueContent? {
    opensAll && !takes(text.utf8.count) ? nil : textDocument(text)
  }

  private mutating func textDocument(_ text: String) -> ValueContent? {
    xmlList(text) ?? (opensAll ? json(text) ?? decoded(text) ?? webToken(text) : nil)
  }

  private mutating func binaryList(_ bytes: [UInt8]) -> ValueContent? {
    guard var content = BinaryContent(bytes) else { return nil }
    return content.content(&self)
  }

  private mutating func xmlList(_ text: String) -> ValueContent? {
    guard text.utf8.starts(with: "<?xml".utf8) || text.utf8.starts(with: "<plist".utf8) else {
      return nil
    }
    var reader = PropertyListReader(StoreFile(.data, at: "", FileImage(Array(text.utf8))))
    reader.readAll()
    guard reader.hasDictionary else { return nil }
    let members = reader.entries.map { Value.Member($0.key.text ?? "", $0.value) }
    if members.contains(where: { $0.name.hasSameBytes(as: "$archiver") }),
      let archive = binaryList(BinaryPropertyListWriter.bytes(of: reader.entries))
    {
      return archive
    }
    return ValueContent(.propertyList, of: part(nil, .dictionary(members)))
  }

  private mutating func json(_ text: String) -> ValueContent? {
    guard case .json = JSONText.value(text) else { return nil }
    var scanner = JSONScanner(Array(text.utf8), passingBrokenTexts: true)
    guard let value = try? scanner.value() else { return nil }
    return ValueContent(.json, of: part(nil, value))
  }

  // MARK: Packed documents

  /// Returns the form in which `bytes`, which begin as `media` does, may be packed.
  private static func packing(_ bytes: [UInt8], _ media: MediaType?) -> ValueContent.Form? {
    // What zlib makes with less than the usual effort begins like text; only all of it is a sign.
    guard let media else { return bytes.starts(with: "x^".utf8) ? .zlib : nil }
    if media.type.hasSameBytes(as: "application/gzip") { return .gzip }
    return media.type.hasSameBytes(as: "application/zlib") ? .zlib : nil
  }

  /// Returns the document that is packed in `bytes`; `nil` if they are not a complete stream, or
  /// unpack to more than there is room for.
  private mutating func unpacked(
    _ bytes: [UInt8], _ form: ValueContent.Form
  ) -> ValueContent? {
    let inflater = Inflater()
    var content: [UInt8] = []
    var offset = 0
    while true {
      let piece = inflater.unpack(bytes, from: offset, atMost: 1 << 15)
      content += piece.bytes
      offset += piece.usedCount
      bytesLeft -= piece.bytes.count
      guard piece.damage == nil, bytesLeft >= 0 else {
        bytesLeft = max(0, bytesLeft)
        return nil
      }
      if piece.isEnd { break }
      if piece.bytes.isEmpty { return nil }
    }
    guard offset == bytes.count else { return nil }
    let text = content.storageSpan.plainText
    return ValueContent(
      form, [part(nil, text.map { .string($0) } ?? .bytes(content))], count: 1)
  }

  /// Returns the document that `text` encodes as Base64; `nil` if that is no document for certain.
  private mutating func decoded(_ text: String) -> ValueContent? {
    guard level < limits.levels,
      let bytes = Base64.bytes(of: FileImage(Array(text.utf8)), isLenient: true)
    else { return nil }
    level += 1
    defer { level -= 1 }
    guard let content = document(in: bytes, leastBits: Self.decodedBits), content.media == nil
    else { return nil }
    let member = Member(nil, .bytes(bytes), keeping: limits.kept, document: content)
    return ValueContent(.base64, [member], count: 1)
  }

  /// Returns the header and the claims of the JSON Web Token `text`; `nil` if it is none.
  ///
  /// Reference: RFC 7515 § 3.1.
  private mutating func webToken(_ text: String) -> ValueContent? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, level < limits.levels else { return nil }
    level += 1
    defer { level -= 1 }
    var members: [ValueContent.Member] = []
    for (name, part) in zip(["header", "claims"], parts) {
      guard let bytes = Base64.bytes(of: FileImage(Array(part)), isLenient: true),
        takes(bytes.count),
        let text = bytes.storageSpan.text, let content = json(text)
      else { return nil }
      members.append(Member(name, .json(text), keeping: limits.kept, document: content))
    }
    return ValueContent(.webToken, members, count: members.count)
  }
}

extension Span where Element == UInt8 {
  /// The text of the bytes; `nil` if they are not UTF-8 or have control characters other than tabs
  /// and line ends.
  var plainText: String? {
    text.flatMap { $0.unicodeScalars.allSatisfy { !$0.isControl } ? $0 : nil }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a control character other than a tab or a line end.
  fileprivate var isControl: Bool {
    properties.generalCategory == .control && ![0x09, 0x0a, 0x0d].contains(value)
  }
}
