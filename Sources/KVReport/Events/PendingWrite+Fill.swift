import KVSystem
import SystemPackage

extension PendingWrite {
  /// Writes new files at `paths`: `fill` gets empty files in their places, and returns the permissions
  /// that they get; none appears if it returns `nil`.
  static func fill(
    _ paths: [FilePath], in folders: [FilePath] = [],
    _ fill: ([FilePath]) throws(FileError) -> FilePermissions?
  ) throws(FileError) {
    var pending = PendingWrite(existing: .keep, permissions: .ownerReadWrite)
    for folder in folders { try pending.makeFolder(at: folder) }
    var granted: FilePermissions?
    try pending.fill(paths) { (temporary) throws(FileError) in granted = try fill(temporary) }
    if let granted { try pending.commit(granting: granted) }
  }

  /// Writes a single file at `path`, to which `body` writes text, and whose permissions it returns.
  ///
  /// `body` also gets the path of the file until it is complete.
  static func writeText(
    to path: FilePath, _ body: (FileStream, FilePath) -> FilePermissions?
  ) throws(FileError) {
    try fill([path]) { (temporary) throws(FileError) in
      var granted: FilePermissions?
      try FileStream.fill(temporary) { granted = body($0[0], temporary[0]) }
      return granted
    }
  }

  /// Lets `body` fill files at temporary paths, which are renamed to `paths` when the write is
  /// committed.
  ///
  /// - Throws: `.exists`, `.system`, or what `body` throws, with temporary paths replaced by those
  ///   of `paths`.
  private mutating func fill(
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
