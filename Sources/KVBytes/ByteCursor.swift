/// A position in the bytes of a file, from which values are read one after the other.
///
/// A read either consumes the whole value or throws and consumes nothing.
public struct ByteCursor: ~Escapable {
  @usableFromInline let bytes: Span<UInt8>
  @usableFromInline var position: Int

  /// The offset of the next byte, from the start of the file.
  @inlinable public var offset: Int { position }

  /// The offset at which reading ends.
  public let end: Int

  /// A cursor over `range` of `bytes`.
  ///
  /// - Precondition: `range` lies within `bytes`.
  @inlinable @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>, in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// How many bytes are left.
  @inlinable public var remaining: Int { end - offset }

  /// Whether nothing is left.
  @inlinable public var isAtEnd: Bool { offset == end }

  /// The next byte, consumed.
  ///
  /// - Throws: `.truncated` at the end.
  @inlinable public mutating func readByte() throws(ByteError) -> UInt8 {
    guard offset < end else { throw ByteError(.truncated, at: offset) }
    let byte = bytes[position]
    position += 1
    return byte
  }

  /// Consumes `count` bytes and returns their range.
  ///
  /// - Throws: `.truncated` if fewer are left, or if `count` is negative.
  @inlinable public mutating func readRange(count: Int) throws(ByteError) -> Range<Int> {
    guard count >= 0, count <= remaining else { throw ByteError(.truncated, at: offset) }
    let start = offset
    position += count
    return start..<position
  }

  /// Consumes zero bytes up to the first that is not zero, and returns their range.
  ///
  /// - Complexity: O(count of zero bytes).
  public mutating func readZeros() -> Range<Int> {
    let start = offset
    position = bytes.firstNonzero(in: offset..<end) ?? end
    return start..<offset
  }

  /// Goes back to `start`.
  ///
  /// - Precondition: `start` was an offset of this cursor before.
  @inlinable public mutating func rewind(to start: Int) {
    precondition(start >= 0 && start <= offset)
    position = start
  }
}
