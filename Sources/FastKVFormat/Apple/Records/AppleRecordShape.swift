import KVModel

/// A record of FastKV for iOS: where its parts are, and what speaks for it.
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
///     4W+4+C+K+V      2      CRC-16 of all before it, see ``checked``
///     4W+6+C+K+V             separator, not under the CRC
///
/// W is the width of a pointer. All numbers are little-endian.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Records.
struct AppleRecordShape: Hashable, Sendable {
  /// What stands after the CRC.
  enum Ending: Hashable, Sendable {
    /// The separator.
    case separator
    /// Bytes that are the separator but for some.
    case damagedSeparator
    /// Less than the separator, or nothing of it.
    case missingSeparator
  }

  /// What is right about the lengths that a record states.
  enum Lengths: Hashable, Sendable {
    /// They fit.
    case fitting
    /// They were wrong when the record was written: its CRC holds.
    case misstated
    /// Some are damaged: where its parts are, the others say, and what other records have.
    case divided
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
  /// From the first byte to the end of the separator.
  let range: Range<Int>
  /// What the checksum says.
  let integrity: Record.Integrity
  /// What is right about the stored lengths.
  let lengths: Lengths
  /// What stands after the CRC.
  let ending: Ending
  /// The class name with which the CRC holds, where the header that is stored is damaged.
  var restoredClassName: [UInt8]?

  /// Where the CRC is.
  var checksumOffset: Int { value.upperBound }

  /// Whether lengths, CRC and separator agree.
  var isWitnessed: Bool {
    integrity != .contradicted && ending == .separator && lengths == .fitting
  }

  /// Whether the CRC holds over all of it, corrected or not.
  var isProven: Bool { integrity == .verified || integrity == .corrected }

  /// The record for the layers above.
  var record: Record {
    Record(
      isRemoval ? .remove : .put, in: .data, at: range, key: key, value: value,
      integrity: integrity)
  }

  /// Whether it removes its key: not where its CRC does not hold and it has a class or a value, so that its
  /// type is what is damaged.
  private var isRemoval: Bool {
    type == AppleType.removed.rawValue
      && (integrity != .contradicted || className.isEmpty && value.isEmpty)
  }

  /// How many of the first `count` bytes of a record the engine puts under its CRC: it keeps 16 bits
  /// of the count.
  static func coveredCount(_ count: Int) -> Int { count & 0xffff }
}

/// What a value is, as a record stores it.
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

  /// How many bytes a value of the type has; `nil` where that differs.
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
