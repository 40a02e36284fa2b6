import KVBytes

/// The name of an entry: any bytes; most apps use UTF-8 text.
public struct Key: Hashable, Sendable, Comparable {
  /// The bytes as stored.
  public let bytes: [UInt8]

  /// The key of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Hashes the bytes, all at once.
  public func hash(into hasher: inout Hasher) { bytes.storageSpan.hash(into: &hasher) }

  /// The key's text, or `nil` if the bytes are not UTF-8.
  public var text: String? { String(utf8: bytes) }

  /// Compares byte by byte; a key that is the beginning of another one is less.
  public static func < (first: Key, second: Key) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }
}

/// A text as stores hold it: compared by the bytes of its UTF-8.
///
/// `String` treats texts as equal that Unicode calls canonically equivalent, such as `é` as one
/// scalar and as two. Stores hold bytes, in which these are two keys, two members of a set, two
/// values. Use this type to compare content, or to keep it in a set or under a name.
public struct ByteText: Hashable, Sendable, Comparable {
  /// The text.
  public let text: String

  /// The bytes of `text`.
  public init(_ text: String) { self.text = text }

  /// Returns whether the bytes are the same.
  public static func == (first: ByteText, second: ByteText) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  /// Compares byte by byte; a text that is the beginning of another one is less.
  public static func < (first: ByteText, second: ByteText) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
    // No byte of UTF-8, so that texts in a row are told apart.
    hasher.combine(UInt8(0xff))
  }
}

extension String {
  /// Returns whether the UTF-8 of both is the same, byte by byte.
  public func hasSameBytes(as other: String) -> Bool { ByteText(self) == ByteText(other) }
}

extension Sequence<String?> {
  /// The texts, compared by their bytes.
  public var byteTexts: [ByteText?] { map { $0.map(ByteText.init) } }
}
