/// Why a number could not be read from bytes, and where.
public struct ByteError: Error, Hashable, Sendable {
  /// What was wrong.
  public enum Cause: Hashable, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// A variable-length integer goes on past its tenth byte.
    case malformedVarint
  }

  /// What was wrong.
  public let cause: Cause

  /// The offset at which the value begins, in bytes from the start of the file.
  public let offset: Int

  /// A failure to read the value at `offset`.
  @inlinable public init(_ cause: Cause, at offset: Int) {
    self.cause = cause
    self.offset = offset
  }
}
