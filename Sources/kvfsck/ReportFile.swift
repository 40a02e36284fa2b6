import KVBytes
import KVInput
import KVReport
import KVSystem
import SystemPackage

/// A file for a report that is a whole document, beside what is printed.
struct ReportFile {
  /// Why a report is not written.
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
  /// What makes the document.
  let reporter: any DocumentReporter

  private var kind: String { type(of: reporter).name }

  /// Writes the document of a run that ends with `exit`: the file is complete, or as it was.
  ///
  /// Only a report of an earlier run and an empty file are replaced. None of `inputs` is, whatever is
  /// in it.
  func write(
    exit: Int32, beside inputs: [FilePath], permissions: FilePermissions
  ) throws(Failure) {
    if let input = inputs.first(where: { Folder.isSame(path, $0) }) {
      throw .refused(
        "\(path) is \(input), which is read and never written to; name another file for the \(kind) "
          + "report")
    }
    // A file that MMKV's side file belongs to is a store, even one whose data file is lost or empty.
    if Folder.isTaken(path.appending(suffix: StoreNames.meta)) {
      throw .refused("\(path).crc says that \(path) is a store; name another file")
    }
    let isThere = Folder.isTaken(path)
    if isThere { try checkReplaceable() }
    do throws(FileError) {
      var pending = PendingWrite(existing: isThere ? .replace : .keep, permissions: permissions)
      try pending.add(reporter.document(exit: exit), at: path)
      try pending.commit()
    } catch {
      throw .file(error)
    }
  }

  private func checkReplaceable() throws(Failure) {
    if Folder.isLink(path) {
      throw .refused("\(path) is a symbolic link; name the file that it leads to")
    }
    if Folder.exists(path) { throw .refused("\(path) is a folder; name a file in it") }
    let old: FileImage
    do throws(FileError) {
      old = try FileImage.read(path)
    } catch {
      throw .file(error)
    }
    let isReport = old.bytes.starts(with: type(of: reporter).opening.utf8)
    guard old.count == 0 || isReport else {
      throw .refused(
        "\(path) is there already and is no \(kind) report of kvfsck, so it is not replaced; name "
          + "another file or move it away")
    }
  }
}
