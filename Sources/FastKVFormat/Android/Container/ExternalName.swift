import KVBytes

/// The names of files that hold one value each.
enum ExternalName {
  static let temporarySuffix = ".tmp"

  /// Whether `byte` is a lower-case hexadecimal digit.
  static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// Whether `name` is such a name.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == AndroidRecordShape.externalNameCount && name.utf8.allSatisfy(isDigit)
  }
}
