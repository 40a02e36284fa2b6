import KVBytes

/// The encoding of the texts in a database.
enum TextEncoding {
  case utf8
  case utf16(isLittleEndian: Bool)

  /// Creates the encoding with this number in the header of a database.
  init(_ number: Int) {
    self = number == 2 || number == 3 ? .utf16(isLittleEndian: number == 2) : .utf8
  }

  /// The byte order mark of UTF-16 in this order; `nil` for UTF-8.
  var mark: [UInt8]? {
    switch self {
    case .utf8: nil
    case .utf16(let isLittleEndian): isLittleEndian ? [0xff, 0xfe] : [0xfe, 0xff]
    }
  }

  /// Returns the content of a column with the text `bytes`.
  func cell(_ bytes: [UInt8]) -> SQLiteCell {
    switch self {
    case .utf8:
      return String(utf8: bytes).map { .text($0) } ?? .malformedText(bytes)
    case .utf16(let isLittleEndian):
      guard bytes.count.isMultiple(of: 2) else { return .malformedText(bytes) }
      let units = stride(from: 0, to: bytes.count, by: 2).map { offset in
        let (low, high) =
          isLittleEndian
          ? (bytes[offset], bytes[offset + 1]) : (bytes[offset + 1], bytes[offset])
        return UInt16(high) << 8 | UInt16(low)
      }
      return String(utf16: units).map { .text($0) } ?? .malformedText(bytes)
    }
  }
}
