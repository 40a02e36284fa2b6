import KVBytes
import KVInput
import KVReport
import KVSystem
import SystemPackage

/// A file with a document about a check, written in addition to what is printed.
struct DocumentFile {
  /// The reasons for which a report is not written.
  enum Failure: Error {
    case file(FileError)
    case refused(String)

    /// What went wrong and what to do next.
    var message: String {
      switch self {
      case .file(let error): error.message
      case .refused(let reason): reason
      }
    }
  }

  let path: FilePath
  /// The document.
  let contents: CheckDocument

  private var kind: String { contents.form.name }

  /// Writes the document of a run that ends with `exit`; on failure, the file is left unchanged.
  ///
  /// Only a report of an earlier run or an empty file is replaced, and none of `inputs`, whatever
  /// it contains.
  func write(
    exit: Int32, beside inputs: [FilePath], permissions: FilePermissions
  ) throws(Failure) {
    if let input = inputs.first(where: { Folder.isSame(path, $0) }) {
      throw .refused(
        (path == input ? "\(path.text) is an input" : "\(path.text) is \(input.text), an input")
          + ", which is only read; name another file for the \(kind) report")
    }
    // A file with an MMKV meta file beside it is a store, even if the data file is lost or empty.
    if let store = StoreNames.store(joinedBy: [path]) {
      throw .refused(
        "by its name, \(path.text) would belong to the store with \(store.text); name another file")
    }
    let isThere = Folder.isTaken(path)
    if isThere { try checkReplaceable() }
    do throws(FileError) {
      var pending = PendingWrite(existing: isThere ? .replace : .keep, permissions: permissions)
      try pending.add(contents.bytes(exit: exit), at: path)
      try pending.commit()
    } catch {
      throw .file(error)
    }
  }

  private func checkReplaceable() throws(Failure) {
    if Folder.isLink(path) {
      throw .refused("\(path.text) is a symbolic link; name the file that it points to")
    }
    if Folder.exists(path) { throw .refused("\(path.text) is a folder; name a file in it") }
    let old: FileImage
    do throws(FileError) {
      old = try FileImage.read(path)
    } catch {
      throw .file(error)
    }
    let isReport = old.bytes.starts(with: contents.form.opening.utf8)
    guard old.count == 0 || isReport else {
      throw .refused(
        "\(path.text) already exists and is not a \(kind) report of kvfsck, so it is not replaced; name "
          + "another file, or move it away")
    }
  }
}
