import KVBytes

/// The reason why a field of a protobuf message could not be read, and where.
struct WireError: Error {
  /// What is wrong with a field.
  enum Cause {
    /// The bytes end before the field does.
    case truncated
    /// The bytes are not a field, or not a field that the message has.
    case malformed
    /// There is no content where there must be one.
    case empty
  }

  /// What is wrong.
  let cause: Cause
  /// The file offset of the error.
  let offset: Int
  /// A description for people to read.
  let message: String

  /// Creates an error at `offset`.
  init(_ cause: Cause, at offset: Int, _ message: String) {
    self.cause = cause
    self.offset = offset
    self.message = message
  }

  /// Creates the error for a number that could not be read.
  init(_ error: ByteError) {
    switch error.cause {
    case .truncated: self.init(.truncated, at: error.offset, "the data ends inside a number")
    case .malformedVarint:
      self.init(.malformed, at: error.offset, "a number has more than ten bytes")
    }
  }
}
