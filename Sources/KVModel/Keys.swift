import KVBytes

/// The name of an entry, which can be any bytes; most apps use UTF-8 text.
public struct Key: Hashable, Sendable, Comparable {
  /// The bytes as stored.
  public let bytes: [UInt8]

  /// Creates the key with these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Hashes all bytes at once.
  public func hash(into hasher: inout Hasher) { bytes.storageSpan.hash(into: &hasher) }

  /// The key as text, or `nil` if the bytes are not valid UTF-8.
  public var text: String? { String(utf8: bytes) }

  /// Compares the keys byte by byte; a prefix of another key is less.
  public static func < (first: Key, second: Key) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }
}

/// A text as stores hold it, compared by its UTF-8 bytes.
///
/// `String` treats texts as equal if Unicode calls them canonically equivalent, such as `é` as one
/// scalar and as two. Stores hold bytes, so these are two different keys, members of a set, or
/// values. Use this type to compare content, or to store it in a set or as a dictionary key.
package struct ByteText: Hashable, Sendable, Comparable {
  /// The text.
  package let text: String

  /// Creates a text that is compared by its bytes.
  package init(_ text: String) { self.text = text }

  /// Returns whether the bytes are the same.
  package static func == (first: ByteText, second: ByteText) -> Bool {
    first.text.withBytes { bytes in second.text.withBytes { bytes.isEqual(to: $0) } }
  }

  /// Compares the texts byte by byte; a prefix of another text is less.
  package static func < (first: ByteText, second: ByteText) -> Bool {
    first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
  }

  /// Hashes all bytes at once.
  package func hash(into hasher: inout Hasher) { text.withBytes { $0.hash(into: &hasher) } }
}

extension String {
  /// Returns whether both strings have the same UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool { ByteText(self) == ByteText(other) }
}

extension Sequence<String?> {
  /// The texts, for comparison by their bytes.
  package var byteTexts: [ByteText?] { map { $0.map(ByteText.init) } }
}
