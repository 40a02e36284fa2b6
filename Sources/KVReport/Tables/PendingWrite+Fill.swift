import KVSystem
import SystemPackage

extension PendingWrite {
  /// Lets `body` fill files at temporary paths, which are renamed to `paths` when the write is
  /// committed.
  ///
  /// - Throws: `.exists`, `.system`, or what `body` throws, with temporary paths replaced by those
  ///   of `paths`.
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
