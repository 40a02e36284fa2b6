/// A stored checksum, the bytes it speaks of, and what those bytes really give.
public struct ChecksumClaim: Hashable, Sendable {
  /// How a checksum is computed.
  public enum Algorithm: String, Hashable, Sendable {
    /// The CRC-32 of zlib.
    case crc32 = "CRC-32"
    /// The CRC-16 of XMODEM.
    case crc16 = "CRC-16"
    /// Eight XOR lanes, by the offset in the file.
    case xorLanes = "XOR checksum"
  }

  /// How it is computed.
  public let algorithm: Algorithm
  /// The bytes that it speaks of.
  public let covered: Extent
  /// The value as stored.
  public let stored: UInt64
  /// Where it is stored.
  public let storedAt: Extent
  /// The value that the covered bytes give.
  public let computed: UInt64

  /// A claim about `covered`.
  public init(
    _ algorithm: Algorithm, over covered: Extent, stored: UInt64, at storedAt: Extent,
    computed: UInt64
  ) {
    self.algorithm = algorithm
    self.covered = covered
    self.stored = stored
    self.storedAt = storedAt
    self.computed = computed
  }

  /// Whether the bytes give the stored value.
  public var isSatisfied: Bool { stored == computed }

  /// Whether `change` is of a covered byte, or of the stored value.
  public func speaks(of change: ByteChange) -> Bool {
    let byte = Extent(change.file, change.offset..<change.offset + 1)
    return covered.contains(byte) || storedAt.contains(byte)
  }
}
