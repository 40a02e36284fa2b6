/// Bytes of a log in which no record could be read.
public struct Gap: Hashable, Sendable {
  /// Why reading stopped at the gap's start.
  public enum Cause: UInt8, Hashable, Sendable, CaseIterable {
    /// A length says that more bytes follow than there are.
    case lengthBeyondEnd
    /// A length is negative in the 32 bits that the engine keeps of it.
    case negativeLength
    /// A length has ten continuation bytes, or the log ends inside it.
    case malformedLength
    /// A record that the engine of today refuses, though its lengths are consistent.
    case refusedByEngine
    /// Zeros where records should be, more than the engine ever writes.
    case zeros
    /// Bytes that decode by accident: what they spell is no key and value.
    case implausible
    /// The record's own checksum does not hold, and nothing else says where it ends.
    case checksum

    /// The cause as a finding's code spells it.
    public var code: String {
      switch self {
      case .lengthBeyondEnd: "record.length-beyond-end"
      case .negativeLength: "record.negative-length"
      case .malformedLength: "record.malformed-length"
      case .refusedByEngine: "record.refused-by-engine"
      case .zeros: "record.zeros"
      case .implausible: "record.implausible"
      case .checksum: "record.checksum-mismatch"
      }
    }
  }

  /// The bytes without a record.
  public let extent: Extent
  /// Why reading stopped there.
  public let cause: Cause

  /// A gap at `extent`.
  public init(_ extent: Extent, _ cause: Cause) {
    self.extent = extent
    self.cause = cause
  }
}
