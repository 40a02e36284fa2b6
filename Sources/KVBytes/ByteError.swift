/// An error that says why a number could not be read from bytes, and where.
public struct ByteError: Error, Hashable, Sendable {
  /// The reasons for which reading fails.
  public enum Cause: Hashable, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// The tenth byte of a variable-length integer says that more bytes follow.
    case malformedVarint
  }

  /// Why reading failed.
  public let cause: Cause

  /// The offset of the value's first byte, from the start of the file.
  public let offset: Int

  /// Creates an error for the value at `offset`.
  @inlinable public init(_ cause: Cause, at offset: Int) {
    self.cause = cause
    self.offset = offset
  }
}
