import KVModel

/// A record of FastKV for iOS: the extents of its parts, and the evidence for it.
///
///     offset          count  field
///     0               W      type
///     W               4      version, always 1
///     W+4             W      C, the class name's length
///     2W+4            W      K, the key's length
///     3W+4            W      V, the value's length
///     4W+4            C      class name, UTF-8
///     4W+4+C          K      key, UTF-8
///     4W+4+C+K        V      value
///     4W+4+C+K+V      2      CRC-16 of all before it, see ``coveredCount(_:)``
///     4W+6+C+K+V             separator, not covered by the CRC
///
/// W is the width of a pointer. All numbers are little-endian.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Records.
struct AppleRecordShape: Hashable, Sendable {
  /// What follows the CRC.
  enum Ending: Hashable, Sendable {
    /// The separator.
    case separator
    /// Bytes that mostly match the separator.
    case damagedSeparator
    /// A part of the separator, or nothing of it.
    case missingSeparator
  }

  /// How the lengths that a record states relate to its extent.
  enum Lengths: Hashable, Sendable {
    /// The lengths fit.
    case fitting
    /// The lengths were already wrong when the record was written, as its CRC matches.
    case misstated
    /// Some lengths are damaged; the others, and the contents of other records, show where the
    /// parts are.
    case divided
    /// Only its CRC shows the parts of the record, because too little is left of its header.
    case restored
  }

  /// The type, as stored.
  let type: UInt64
  /// The record's version, as stored.
  let version: UInt32
  /// The class name.
  let className: Range<Int>
  /// The key.
  let key: Range<Int>
  /// The value.
  let value: Range<Int>
  /// The range from the first byte to the end of the separator.
  let range: Range<Int>
  /// What the checksum shows.
  let integrity: Record.Integrity
  /// How the stored lengths relate to the record's extent.
  let lengths: Lengths
  /// What follows the CRC.
  let ending: Ending
  /// The class name with which the CRC matches, if the stored header is damaged.
  var restoredClassName: [UInt8]?

  /// The offset of the CRC.
  var checksumOffset: Int { value.upperBound }

  /// Whether lengths, CRC and separator agree.
  var isWitnessed: Bool {
    integrity != .contradicted && ending == .separator && lengths == .fitting
  }

  /// Whether the CRC matches over the whole record, corrected or not.
  var isProven: Bool { integrity == .verified || integrity == .corrected }

  /// The record in terms of the layers above.
  var record: Record {
    Record(
      isRemoval ? .remove : .put, in: .data, at: range, key: key, value: value,
      integrity: integrity)
  }

  /// Whether the record removes its key.
  ///
  /// If the CRC does not match, and the record has a class name or a value, its type is what is
  /// damaged.
  private var isRemoval: Bool {
    type == AppleType.removed.rawValue
      && (integrity != .contradicted || className.isEmpty && value.isEmpty)
  }

  /// Returns how many of the first `count` bytes of a record the CRC covers: the engine keeps 16
  /// bits of the count.
  static func coveredCount(_ count: Int) -> Int { count & 0xffff }
}

/// The type of a record's value, as stored.
package enum AppleType: UInt64, Hashable, Sendable {
  case removed
  case null
  case bool
  case int32
  case int64
  case float
  case double
  case string
  case data

  /// The number of bytes in a value of the type; `nil` if it varies.
  var valueCount: Int? {
    switch self {
    case .removed, .null: 0
    case .bool: 1
    case .int32, .float: 4
    case .int64, .double: 8
    case .string, .data: nil
    }
  }
}
