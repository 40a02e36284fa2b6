/// A position in the bytes of a file, from which values are read one after another.
///
/// A read either consumes the whole value or throws and consumes nothing.
public struct ByteCursor: ~Escapable {
  @usableFromInline let bytes: Span<UInt8>
  @usableFromInline var position: Int

  /// The offset of the next byte, from the start of the file.
  @inlinable public var offset: Int { position }

  /// The offset at which reading ends.
  public let end: Int

  /// Creates a cursor over `range` of `bytes`.
  ///
  /// - Precondition: `range` lies within `bytes`.
  @inlinable @_lifetime(copy bytes)
  public init(_ bytes: Span<UInt8>, in range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// The number of bytes left to read.
  @inlinable public var remaining: Int { end - offset }

  /// Whether no bytes are left.
  @inlinable public var isAtEnd: Bool { offset == end }

  /// Reads the next byte.
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
  /// - Throws: `.truncated` if fewer bytes are left, or if `count` is negative.
  @inlinable public mutating func readRange(count: Int) throws(ByteError) -> Range<Int> {
    guard count >= 0, count <= remaining else { throw ByteError(.truncated, at: offset) }
    let start = offset
    position += count
    return start..<position
  }

  /// Consumes the zero bytes up to the first nonzero byte and returns their range.
  ///
  /// - Complexity: O(*n*), where *n* is the number of zero bytes.
  package mutating func readZeros() -> Range<Int> {
    let start = offset
    position = bytes.firstNonzero(in: offset..<end) ?? end
    return start..<offset
  }

  /// Moves back to `start`.
  ///
  /// - Precondition: This cursor has been at offset `start` before.
  @inlinable public mutating func rewind(to start: Int) {
    precondition(start >= 0 && start <= offset)
    position = start
  }
}
