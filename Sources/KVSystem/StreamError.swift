import KVBytes

/// An error in writing a file piece by piece.
package enum StreamError<Failure: Error>: Error {
  /// The file could not be written.
  case file(FileError)
  /// The code that supplies the content failed.
  case body(Failure)
}
