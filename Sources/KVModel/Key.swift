/// The name of an entry: any bytes, which most programs make of UTF-8 text.
public struct Key: Hashable, Sendable, Comparable {
  /// The bytes as stored.
  public let bytes: [UInt8]

  /// The key of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The key's text, or nothing where the bytes are not UTF-8.
  public var text: String? { String(validating: bytes, as: UTF8.self) }

  /// Byte by byte, shorter first where one begins with the other.
  public static func < (first: Key, second: Key) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }
}
