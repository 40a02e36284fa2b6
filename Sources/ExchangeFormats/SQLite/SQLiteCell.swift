import KVBytes
package import KVModel

/// The content of one column of one row.
package enum SQLiteCell: Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Text that is not valid in the database's encoding.
  case malformedText([UInt8])
  case blob([UInt8])

  /// The cell's text, if it is text.
  package var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// The cell's integer, if it is one.
  package var integer: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }

  /// The cell's bytes, if it is a blob.
  var blob: [UInt8]? {
    guard case .blob(let bytes) = self else { return nil }
    return bytes
  }

  /// The cell as a key, if it is text or a blob.
  package var key: Key? {
    switch self {
    case .text(let text): Key(Array(text.utf8))
    case .malformedText(let bytes), .blob(let bytes): Key(bytes)
    case .null, .integer, .real: nil
    }
  }

  /// The cell as a key in a table of any program: text or a blob unchanged, a number as its text.
  ///
  /// Different numbers have different texts.
  var plainKey: Key? {
    switch self {
    case .integer(let number): Key(Array(String(number).utf8))
    case .real(let number): Key(Array(String(number).utf8))
    case .null, .text, .malformedText, .blob: key
    }
  }

  /// Whether the cell is a text with a run of zeros, of which no app writes as many.
  var hasLostText: Bool {
    switch self {
    case .text(let text): !ZeroRuns(in: text).ranges.isEmpty
    case .malformedText(let bytes):
      !ZeroRuns(in: bytes.storageSpan, bytes.indices).ranges.isEmpty
    case .null, .integer, .real, .blob: false
    }
  }

  /// Whether the cell is a text that ends with zeros, which may be those of a sector that never reached
  /// the disk.
  var endsWithZeros: Bool {
    switch self {
    case .text(let text): text.utf8.last == 0
    case .malformedText(let bytes): bytes.last == 0
    case .null, .integer, .real, .blob: false
    }
  }

  /// The cell as a value, if its type is not stated elsewhere.
  var plainValue: Value {
    switch self {
    case .null: .null
    case .integer(let number): .int64(number)
    case .real(let number): .double(number)
    case .text(let text): .string(text)
    case .malformedText(let bytes): .bytes(bytes)
    case .blob(let bytes) where bytes.starts(with: "bplist00".utf8):
      .keyedArchive(className: nil, bytes)
    case .blob(let bytes): .bytes(bytes)
    }
  }
}

extension SQLiteCell {
  /// Returns whether `other` has the same type and bytes.
  func isSame(as other: SQLiteCell) -> Bool {
    switch (self, other) {
    case (.text(let text), .text(let other)): text.hasSameBytes(as: other)
    case (.real(let number), .real(let other)): number.bitPattern == other.bitPattern
    case (.text, _), (.real, _): false
    default: self == other
    }
  }
}
