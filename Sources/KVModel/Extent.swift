/// A half-open range of bytes of one file.
public struct Extent: Hashable, Sendable {
  /// The file.
  public let file: FileRole
  /// The range, in bytes from the start of the file.
  public let range: Range<Int>

  /// The bytes `range` of `file`.
  @inlinable public init(_ file: FileRole, _ range: Range<Int>) {
    self.file = file
    self.range = range
  }

  /// The offset of the first byte, from the start of the file.
  @inlinable public var offset: Int { range.lowerBound }

  /// How many bytes it has.
  @inlinable public var count: Int { range.count }

  /// The offset behind the last byte.
  @inlinable public var end: Int { range.upperBound }

  /// Whether a byte of `other` is in this extent.
  public func overlaps(_ other: Extent) -> Bool {
    file == other.file && range.overlaps(other.range)
  }

  /// Whether all bytes of `other` are in this extent.
  public func contains(_ other: Extent) -> Bool {
    file == other.file && range.lowerBound <= other.offset && other.end <= range.upperBound
  }
}
