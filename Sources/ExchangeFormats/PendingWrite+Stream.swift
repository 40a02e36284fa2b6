import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension PendingWrite {
  /// Passes `body` a stream, which writes to a temporary path until `commit()`.
  ///
  /// - Throws: `.file`, or an error that `body` throws.
  mutating func writeStream(
    to path: FilePath, _ body: (FileStream) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    do throws(StreamError<ConversionError>) {
      try stream(to: path, body)
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .body(let error): throw error
      }
    }
  }

  /// Lets `body` create a file at a temporary path, where it stays until `commit()`.
  ///
  /// - Throws: `.file`, or an error that `body` throws.
  mutating func adoptFile(
    at path: FilePath, _ body: (FilePath) throws(ConversionError) -> Void
  ) throws(ConversionError) {
    do throws(StreamError<ConversionError>) {
      try adopt([path]) { (paths) throws(ConversionError) in try body(paths[0]) }
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      // The message of a library names at most the temporary file.
      case .body(.library(let words)): throw .library("\(path.text): \(words)")
      case .body(let error): throw error
      }
    }
  }
}
