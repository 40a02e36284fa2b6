package import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// An archive, or a backup with an index, that has been found but not opened.
package struct ArchiveFile: Sendable {
  /// The kind of file.
  private enum Form {
    /// An archive.
    case archive(ArchiveKind)
    /// The folder of a backup of an iOS device, of which there may be nothing but the index.
    case backup(isCertain: Bool)
  }

  /// The path of the archive, or of the backup's folder.
  package let path: FilePath
  private let form: Form
  /// The tree that contains it; `nil` if it is on disk.
  private let home: (any MemberTree)?

  private init(_ path: FilePath, _ form: Form, in home: (any MemberTree)?) {
    self.path = path
    self.form = form
    self.home = home
  }

  /// Creates an archive of type `kind` at `path`, a member of `home` or a file on disk.
  init(_ path: FilePath, _ kind: ArchiveKind, in home: (any MemberTree)? = nil) {
    self.init(path, .archive(kind), in: home)
  }

  /// Creates a backup of an iOS device from the folder at `path`, in `home` or on disk, which has
  /// `contents`; `nil` if it is not a backup.
  init?(backup path: FilePath, _ contents: Folder.Contents, in home: (any MemberTree)?) {
    guard BackupTree.mayBeBackup(contents) else { return nil }
    self.init(path, .backup(isCertain: BackupTree.isBackup(contents)), in: home)
  }

  /// Creates the archive or backup at `path` on disk; `nil` if there is none.
  package init?(at path: FilePath) {
    if Folder.exists(path) {
      guard let contents = try? Folder.contents(of: path) else { return nil }
      self.init(backup: path, contents, in: nil)
      return
    }
    guard let head = try? FileImage.head(of: path, count: ArchiveKind.headCount) else {
      return nil
    }
    self.init(path, beginningWith: head)
  }

  /// Creates the archive at `path`, a member of `home` or a file on disk, which begins with `head`;
  /// `nil` if it is not an archive.
  ///
  /// If the start is damaged, the file is an archive if its name and a later part of it say so.
  package init?(
    _ path: FilePath, beginningWith head: FileImage, in home: (any MemberTree)? = nil
  ) {
    var known = ArchiveKind(head.bytes)
    if known == nil, head.count > 0 {
      known = ArchiveKind(named: path) { () throws(FileError) in
        try home?.read(path, limit: ArchiveLimits.memberByteCount)
      }
    }
    guard let known else { return nil }
    self.init(path, known, in: home)
  }

  /// Returns whether the file at `path` in `source` is certainly an archive.
  ///
  /// A file that is named like a store's is one only if it is named like an archive too. A program or
  /// document is opened only if the user names it.
  static func isFound(
    at path: FilePath, isNamedAsStore: Bool, in source: any FileSource
  ) -> Bool {
    guard !isNamedAsStore || ArchiveKind.isNamed(path), !ArchiveKind.isPackage(path),
      let head = try? source.head(of: path, count: ArchiveKind.headCount)
    else { return false }
    let home = MemberPath.isMember(path) ? source : nil
    let kind =
      ArchiveKind(head.bytes)
      ?? ArchiveKind(named: path) { () throws(FileError) in
        try home?.read(path, limit: ArchiveLimits.memberByteCount)
      }
    return kind.map { !ArchiveFile(path, $0).isUncertain } ?? false
  }

  /// Whether the file may be something other than an archive.
  ///
  /// Such a file is compressed as some archives are, but not named like one, or it is a database
  /// named like the index of a backup. If it cannot be read, that is not reported.
  package var isUncertain: Bool {
    switch form {
    case .archive(let kind): [.gzip, .filtered].contains(kind) && !ArchiveKind.isNamed(path)
    case .backup(let isCertain): !isCertain
    }
  }

  /// Why files of its kind are not searched; `nil` if they are.
  var refusal: String? {
    if case .archive(let kind) = form { kind.refusal } else { nil }
  }

  /// Lists the files in the archive or backup.
  ///
  /// - Throws: If it cannot be read.
  package func tree() throws(FileError) -> any MemberTree {
    let depth = (home?.depth ?? 0) + 1
    guard depth <= ArchiveLimits.depth else {
      throw FileError.member(
        path: path, reason: "it is an archive inside \(depth - 1) others and is not searched")
    }
    guard case .archive(let kind) = form else {
      return try BackupTree(at: path, in: home, depth: depth)
    }
    if let refusal = kind.refusal { throw FileError.member(path: path, reason: refusal) }
    do throws(ArchiveFailure) {
      return try ArchiveTree(self, depth: depth, try budget())
    } catch {
      throw FileError.member(path: path, reason: error.reason)
    }
  }

  /// Returns a walk over the files in the folder of the backup that are not in `tree`, which is what
  /// its index lists; `nil` for an archive.
  ///
  /// The index may be damaged, or that of another kind of database with the same name.
  package func rest(besides tree: (any MemberTree)?) -> TreeWalk? {
    guard case .backup = form else { return nil }
    return TreeWalk(backup: path, in: home, except: Set((tree as? BackupTree)?.places ?? []))
  }

  /// Returns the budget that limits how many bytes the archive may unpack to.
  private func budget() throws(ArchiveFailure) -> UnpackBudget {
    if let budget = home?.budget { return budget }
    do throws(FileError) {
      guard let home else { return UnpackBudget(packedCount: try InputFile(path).count) }
      let image = try home.read(path, limit: ArchiveLimits.memberByteCount)
      return UnpackBudget(packedCount: image.count)
    } catch {
      throw ArchiveFailure(reason: error.cause)
    }
  }

  /// Returns a pass over the members of the archive.
  ///
  /// - Precondition: The file is an archive, not a backup.
  func pass(_ budget: UnpackBudget?) throws(ArchiveFailure) -> ArchivePass {
    guard case .archive(let kind) = form else { preconditionFailure("a backup is no archive") }
    let bytes: ArchiveBytes
    do throws(FileError) {
      let image = try home?.read(path, limit: ArchiveLimits.memberByteCount)
      if let image { FileLedger.current?.noteRead(path, image) }
      bytes = image.map { .image($0) } ?? .file(path)
    } catch {
      throw ArchiveFailure(reason: error.cause)
    }
    return try ArchivePass(bytes, kind, budget, isUncertain: isUncertain)
  }
}
