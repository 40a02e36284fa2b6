import KVSystem
import SystemPackage

extension PendingWrite {
  /// Lets `body` fill files at temporary paths, which become `paths` when the write is complete.
  ///
  /// - Throws: `.exists`, `.system`; what `body` throws, of the paths that the files are to have.
  mutating func fill(
    _ paths: [FilePath], _ body: ([FilePath]) throws(FileError) -> Void
  ) throws(FileError) {
    var temporary: [FilePath] = []
    do throws(StreamError<FileError>) {
      try adopt(paths) { (made) throws(FileError) in
        temporary = made
        try body(made)
      }
    } catch {
      switch error {
      case .body(.system(let operation, let path, let errno)):
        let index = temporary.firstIndex(of: path)
        throw .system(operation: operation, path: index.map { paths[$0] } ?? path, errno: errno)
      case .file(let error), .body(let error): throw error
      }
    }
  }
}
