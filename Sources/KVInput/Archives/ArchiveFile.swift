import KVBytes
package import KVSystem
package import SystemPackage

/// An archive, or a backup with an index, that was found, and not opened yet.
package struct ArchiveFile: Sendable {
  /// How its files are found.
  private enum Form {
    /// It is an archive.
    case archive(ArchiveKind)
    /// It is the folder of a backup of an iOS device.
    case backup
  }

  /// Where it is.
  package let path: FilePath
  private let form: Form
  /// The tree that it is in; `nil` for one of the disk.
  private let home: (any MemberTree)?

  private init(_ path: FilePath, _ form: Form, in home: (any MemberTree)?) {
    self.path = path
    self.form = form
    self.home = home
  }

  /// The archive at `path` of the sort `kind`, a member of `home` or a file of the disk.
  init(_ path: FilePath, _ kind: ArchiveKind, in home: (any MemberTree)? = nil) {
    self.init(path, .archive(kind), in: home)
  }

  /// The backup of an iOS device in the folder at `path` of `home`, or of the disk, which has `contents`;
  /// `nil` where that is none.
  init?(backup path: FilePath, _ contents: Folder.Contents, in home: (any MemberTree)?) {
    guard BackupTree.isBackup(contents) else { return nil }
    self.init(path, .backup, in: home)
  }

  /// The archive or the backup at `path` of the disk; `nil` where there is none.
  package init?(at path: FilePath) {
    if Folder.exists(path) {
      guard let contents = try? Folder.contents(of: path) else { return nil }
      self.init(backup: path, contents, in: nil)
      return
    }
    guard let head = try? FileImage.head(of: path, count: ArchiveKind.headCount),
      let kind = ArchiveKind(head.bytes)
    else { return nil }
    self.init(path, kind)
  }

  /// Whether it may be something else that is packed as archives are, and has not their name: no words
  /// are lost on it if it cannot be read.
  package var isUncertain: Bool {
    guard case .archive(let kind) = form else { return false }
    return [.gzip, .filtered].contains(kind) && !ArchiveKind.isNamed(path)
  }

  /// Lists it.
  ///
  /// - Throws: When it cannot be read.
  package func tree() throws(FileError) -> any MemberTree {
    let depth = (home?.depth ?? 0) + 1
    guard depth <= ArchiveLimits.depth else {
      throw FileError.member(
        path: path, reason: "it is an archive within \(depth - 1) others, and is not looked into")
    }
    guard case .archive(let kind) = form else {
      return try BackupTree(at: path, in: home, depth: depth)
    }
    guard kind != .encryptedBackup else {
      throw FileError.member(path: path, reason: "the backup is encrypted")
    }
    do throws(ArchiveFailure) {
      return try ArchiveTree(self, depth: depth, try budget())
    } catch {
      throw FileError.member(path: path, reason: error.reason)
    }
  }

  /// What it may unpack to.
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

  /// A way through it.
  ///
  /// - Precondition: It is an archive.
  func pass(_ budget: UnpackBudget?) throws(ArchiveFailure) -> ArchivePass {
    guard case .archive(let kind) = form else { preconditionFailure("a backup is no archive") }
    let bytes: ArchiveBytes
    do throws(FileError) {
      let image = try home?.read(path, limit: ArchiveLimits.memberByteCount)
      bytes = image.map { .image($0) } ?? .file(path)
    } catch {
      throw ArchiveFailure(reason: error.cause)
    }
    return try ArchivePass(bytes, kind, budget)
  }
}
