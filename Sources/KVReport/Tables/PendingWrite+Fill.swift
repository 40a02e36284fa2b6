import KVSystem
import SystemPackage

extension PendingWrite {
  /// Lets `body` fill files at temporary paths, which become `paths` when the write is complete.
  ///
  /// - Throws: `.exists`, `.system`; what `body` throws.
  mutating func fill(
    _ paths: [FilePath], _ body: ([FilePath]) throws(FileError) -> Void
  ) throws(FileError) {
    do throws(StreamError<FileError>) {
      try adopt(paths, body)
    } catch {
      switch error {
      case .file(let error), .body(let error): throw error
      }
    }
  }
}
