import KVBytes
import KVSystem
import SystemPackage

/// Formats a path as a URI.
enum FileURI {
  /// Returns the URI of `path`: relative if the path is, otherwise with the scheme `file`.
  ///
  /// All reserved characters are percent-encoded, so nothing in a name is read as a scheme, a query
  /// or a fragment.
  ///
  /// Reference: RFC 3986 § 2.
  static func text(_ path: FilePath) -> String {
    var name = path.shownBytes[...]
    // Readers match names literally, and their names do not begin with a dot.
    while name.starts(with: "./".utf8) {
      name = name.dropFirst(2).drop { $0 == UInt8(ascii: "/") }
    }
    var bytes: [UInt8] = []
    for byte in name {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes += [byte >> 4, byte & 15].map { digits[Int($0)] }
      }
    }
    let encoded = String(decoding: bytes, as: UTF8.self)
    if path.isAbsolute { return "file://" + encoded }
    return encoded.isEmpty ? "." : encoded
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
