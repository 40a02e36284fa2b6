/// One operation that a log holds: where it is, not what it says.
///
/// A record is trivial and small (28 bytes) because a store has one for each write. Its key and its
/// value are read from the store when they are asked for.
public struct Record: Hashable, Sendable {
  /// What a record does to its key.
  public enum Operation: UInt8, Hashable, Sendable {
    /// Sets the key to a value.
    case put
    /// Removes the key.
    case remove
    /// Set the key to a value, and was struck out where it stands: its engine steps over it, and it
    /// says nothing of what the key is now.
    case struckPut

    /// The operation's name in JSON.
    public var name: String { self == .remove ? "remove" : "put" }
  }

  /// What a checksum of the record's own says of it.
  public enum Integrity: UInt8, Hashable, Sendable {
    /// It has none, or one that does not cover all of it.
    case unchecked
    /// It holds.
    case verified
    /// It holds after bytes of the record were put right, which a finding names.
    case corrected
    /// It does not hold, though the record's lengths fit what is around it.
    case contradicted
  }

  /// The file that holds the record.
  public let file: FileRole
  /// What a checksum of the record's own says of it.
  public let integrity: Integrity
  /// What it does.
  public let operation: Operation
  @usableFromInline let start: UInt32
  @usableFromInline let end: UInt32
  @usableFromInline let keyStart: UInt32
  @usableFromInline let keyEnd: UInt32
  @usableFromInline let valueStart: UInt32
  @usableFromInline let valueEnd: UInt32

  /// A record at `range` of `file`; `key` and `value` are offsets from the start of the file.
  ///
  /// - Precondition: the ranges end within the 4 GiB that a `FileImage` can have.
  @inlinable public init(
    _ operation: Operation, in file: FileRole, at range: Range<Int>, key: Range<Int>,
    value: Range<Int>, integrity: Integrity = .unchecked
  ) {
    self.file = file
    self.integrity = integrity
    self.operation = operation
    start = UInt32(range.lowerBound)
    end = UInt32(range.upperBound)
    keyStart = UInt32(key.lowerBound)
    keyEnd = UInt32(key.upperBound)
    valueStart = UInt32(value.lowerBound)
    valueEnd = UInt32(value.upperBound)
  }

  /// The offset of the record's first byte.
  @inlinable public var offset: Int { Int(start) }
  /// How many bytes the whole record has.
  @inlinable public var count: Int { Int(end - start) }
  /// The bytes of the whole record.
  @inlinable public var extent: Extent { Extent(file, Int(start)..<Int(end)) }
  /// The key's bytes, from the start of the file.
  @inlinable public var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
  /// The value's bytes, from the start of the file; empty for a removal.
  @inlinable public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}
