import KVBytes
import KVInput
import KVReport
import KVSystem
import SystemPackage

/// What stores are expected to be: a file about one store, or a folder with a file about each.
///
/// The file about a store has the name of the store and `.jsonl`. For a store in a folder or an
/// archive that the user named, its name is the path below that.
final class ExpectationFiles {
  // A class, because closures that several passes share note in it which files they have used.

  /// What a store is expected to be.
  enum Wanted {
    /// It is compared with these expectations, of the file with the name.
    case expectations(Expectations, file: String)
    /// Nothing is known about it, for the reason.
    case unlisted(String)
  }

  private static let suffix = ".jsonl"
  /// The largest depth of a folder in which files are looked for.
  private static let depthLimit = 128

  /// The file or folder, as the user gave it.
  let name: String
  private let single: Expectations?
  /// The files in the folder, and those of them that no store was compared with yet.
  private var (all, left): (Set<FilePath>, Set<FilePath>) = ([], [])

  /// Reads the file, or the names of the files in the folder, called `name`, and checks them all.
  ///
  /// - Throws: The status for a file that cannot be read or is invalid, after printing the error.
  init(_ name: String) throws(ExitStatus) {
    self.name = name
    let path = ProcessArguments.path(name)
    guard Folder.exists(path) else {
      single = try Self.read(path)
      return
    }
    single = nil
    do throws(FileError) {
      try find(in: path, depth: 0)
    } catch {
      StoreOpening.complain(error.message)
      throw .failed
    }
    if all.isEmpty {
      StoreOpening.complain("\(name) has no file NAME\(Self.suffix) with expectations")
      throw .usage
    }
    left = all
    for file in sorted(all) { _ = try Self.read(file) }
  }

  /// Whether there is a file about each of several stores.
  var areOfSeveral: Bool { single == nil }

  private func find(in folder: FilePath, depth: Int) throws(FileError) {
    guard depth < Self.depthLimit else { return }
    let contents = try Folder.contents(of: folder)
    for name in contents.files + contents.others {
      let path = folder.appending(name)
      if path.removing(suffix: Self.suffix) != nil, Folder.isRegularFile(path) {
        all.insert(path)
      }
    }
    for name in contents.folders { try find(in: folder.appending(name), depth: depth + 1) }
  }

  private func sorted(_ paths: Set<FilePath>) -> [FilePath] {
    paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  private static func read(_ path: FilePath) throws(ExitStatus) -> Expectations {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileImage.read(path).bytes
    } catch {
      StoreOpening.complain(error.message)
      throw .failed
    }
    do throws(ExpectationError) {
      return try Expectations(parsing: bytes)
    } catch {
      let advice =
        error == .nothing ? "; write one with kvfsck check --json or kvfsck dump --json" : ""
      StoreOpening.complain("\(path.text): \(error.message)\(advice)")
      throw .usage
    }
  }

  // MARK: Stores

  /// Returns the name of the store at `path`, which was found in `root`, a folder or an archive; or
  /// was named itself, if `root` is `nil`.
  static func name(of path: FilePath, in root: FilePath?) -> FilePath {
    guard let root else {
      let place = Folder.absolute(path).lexicallyNormalized()
      return place.lastName ?? place
    }
    let own = FilePath(bytes: path.shownBytes).lexicallyNormalized().bytes
    let top = FilePath(bytes: root.shownBytes).lexicallyNormalized().bytes
    guard !top.elementsEqual(".".utf8), own.starts(with: top) else { return FilePath(bytes: own) }
    let isMark = { [UInt8(ascii: "/"), UInt8(ascii: "!")].contains($0) }
    return FilePath(bytes: Array(own.dropFirst(top.count).drop(while: isMark)))
  }

  /// Returns what the store called `store` is expected to be.
  func wanted(_ store: FilePath) -> Wanted {
    if let single { return .expectations(single, file: name) }
    let file = self.file(about: store)
    guard all.contains(file) else { return .unlisted("there is no \(file.text)") }
    guard left.remove(file) != nil else {
      return .unlisted("\(file.text) is about another store of that name")
    }
    guard let expectations = try? Self.read(file) else {
      return .unlisted("\(file.text) has changed since it was read")
    }
    return .expectations(expectations, file: file.text)
  }

  /// Notes that the store called `store` was reported, even if it was not compared.
  func pass(_ store: FilePath) { left.remove(file(about: store)) }

  private func file(about store: FilePath) -> FilePath {
    FilePath(
      bytes: ProcessArguments.path(name).bytes + [UInt8(ascii: "/")] + store.bytes
        + Self.suffix.utf8)
  }

  /// Reports each file about a store that was not found.
  ///
  /// - Returns: `.failed` if there are any.
  func reportMissing(to report: Reports) -> ExitStatus {
    var status: ExitStatus = []
    for file in sorted(left) {
      report(.begun(path: ReportedPath(file)))
      status.formUnion(
        StoreOpening.fail(
          ReportedPath(file),
          "\(file.text): the store that it is about was not found; if that is intended, remove "
            + "the file", report))
    }
    return status
  }
}
