import KVBytes

/// Why a file could not be written piece by piece.
package enum StreamError<Failure: Error>: Error {
  /// The file cannot be written.
  case file(FileError)
  /// Whoever writes has failed.
  case body(Failure)
}
