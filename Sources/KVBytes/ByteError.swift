/// An error that says why a number could not be read from bytes, and where.
package struct ByteError: Error, Hashable, Sendable {
  /// The reasons for which reading fails.
  package enum Cause: Hashable, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// The tenth byte of a variable-length integer says that more bytes follow.
    case malformedVarint
  }

  /// Why reading failed.
  package let cause: Cause

  /// The offset of the value's first byte, from the start of the file.
  package let offset: Int

  /// Creates an error for the value at `offset`.
  @inlinable package init(_ cause: Cause, at offset: Int) {
    self.cause = cause
    self.offset = offset
  }
}
