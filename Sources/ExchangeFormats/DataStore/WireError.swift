import KVBytes

/// Why a field of a protobuf message could not be read, and where.
struct WireError: Error {
  /// What was wrong.
  enum Cause {
    /// The bytes end before the field does.
    case truncated
    /// The bytes are no field, or not what the message has there.
    case malformed
  }

  /// What was wrong.
  let cause: Cause
  /// Where, from the start of the file.
  let offset: Int
  /// What was wrong, for people.
  let message: String

  /// An error at `offset`.
  init(_ cause: Cause, at offset: Int, _ message: String) {
    self.cause = cause
    self.offset = offset
    self.message = message
  }

  /// The error for a number that could not be read.
  init(_ error: ByteError) {
    switch error.cause {
    case .truncated: self.init(.truncated, at: error.offset, "the bytes end within a number")
    case .malformedVarint:
      self.init(.malformed, at: error.offset, "a number goes on past its tenth byte")
    }
  }
}
