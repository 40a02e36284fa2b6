import KVBytes

/// The names of external files, and what else identifies them.
enum ExternalName {
  static let temporarySuffix = ".tmp"
  /// The size of the smallest value, in bytes, that any release stores in an external file.
  static let leastByteCount = 2048

  /// Returns whether `byte` is a lowercase hexadecimal digit.
  static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// Returns whether `name` is that of an external file.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == AndroidRecordShape.externalNameCount && name.utf8.allSatisfy(isDigit)
  }
}
