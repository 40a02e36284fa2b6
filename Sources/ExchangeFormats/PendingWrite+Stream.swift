import KVBytes
import KVModel
import SystemPackage

extension PendingWrite {
  /// Writes what `body` hands to its stream, where it stays until `commit()`.
  ///
  /// - Throws: `.file`; what `body` throws.
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
}
