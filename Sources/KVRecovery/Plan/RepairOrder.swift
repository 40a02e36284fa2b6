import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// Everything that a repair writes, decided before the first byte is written.
///
/// A dry run only displays the order.
package struct RepairOrder: Sendable {
  /// The destination of the new files.
  package enum Destination: Hashable, Sendable {
    /// Nowhere, because no destination was given.
    case nowhere
    /// A folder, in which nothing is overwritten.
    case folder(FilePath)
    /// A folder below `root`, in which nothing is overwritten; the folders between are created.
    case subfolder(FilePath, below: FilePath)
    /// The place of the old files, which are backed up first.
    case inPlace
  }

  /// How the new store is encrypted.
  package let cipher: CipherChoice
  /// The new files: those of the store, then the file with the entries that are set aside.
  package let files: [EncodedFile]
  /// The folder that the files go to; `nil` if none was given.
  package let folder: FilePath?
  /// The backup of the files that are replaced; `nil` if no files are replaced.
  package let backup: Backup?
  /// The names of old files that are removed, if files are replaced.
  package let removed: [FilePath]
  /// Whether they are removed before others are replaced, and not after that.
  private let removesFirst: Bool

  /// Creates the order to write `encoded` in place of the store with the files `originals`, of which
  /// `removed` must not remain, and the entries that are set aside.
  ///
  /// `lostAndFound` returns the file with these entries, given the folder that it will be in.
  ///
  /// - Throws: `BackupError` when the old files cannot be replaced, or the new ones cannot be
  ///   written.
  package init(
    of originals: [StoreFile], as encoded: [EncodedFile], cipher: CipherChoice = .keep,
    to destination: Destination, removing removed: [FilePath] = [], first: Bool = false,
    lostAndFound: (FilePath) -> EncodedFile? = { _ in nil }
  ) throws(BackupError) {
    self.cipher = cipher
    removesFirst = first
    self.removed = destination == .inPlace ? removed : []
    let home = originals.first?.path.parent ?? ""
    switch destination {
    case .nowhere:
      folder = nil
      backup = nil
    case .folder(let folder), .subfolder(let folder, below: _):
      self.folder = folder
      backup = nil
    case .inPlace:
      folder = home
      backup = try Backup.planned(for: originals)
    }
    files = encoded + (lostAndFound(folder ?? home).map { [$0] } ?? [])
    switch destination {
    case .nowhere, .inPlace: break
    case .folder(let folder): try checkFree(folder)
    case .subfolder(_, below: let root): try checkFree(root)
    }
  }

  /// The path of each file; only its name if no destination was given.
  package var paths: [FilePath] {
    files.map { file in folder.map(file.path(in:)) ?? file.path }
  }

  /// Checks that `folder` exists or can be created, and that no file is where one will be written.
  private func checkFree(_ folder: FilePath) throws(BackupError) {
    let parent = folder.lexicallyNormalized().parent
    guard Folder.isTaken(folder) || parent.isEmpty || Folder.exists(parent) else {
      throw .file(.system(operation: "make", path: folder, errno: .noSuchFileOrDirectory))
    }
    guard !Folder.isTaken(folder) || Folder.exists(folder) else {
      throw .file(.system(operation: "write to", path: folder, errno: .notDirectory))
    }
    if let taken = paths.first(where: { Folder.isTaken($0) }) { throw .file(.exists(path: taken)) }
  }

  /// Writes the files.
  ///
  /// - Precondition: `originals` are the files of the store that the order was made for.
  /// - Throws: ``BackupError``; the store is unchanged unless the error says otherwise.
  package func execute(
    on originals: [StoreFile], writer: StoreWriter
  ) throws(BackupError) {
    if let backup {
      _ = try Backup.replace(
        originals, by: files, removing: removed, first: removesFirst, writer: writer, into: backup)
      return
    }
    guard let folder else { return }
    do throws(FileError) {
      try Folder.makeAll(folder.lexicallyNormalized().parent)
      _ = try writer.write(files, into: folder)
    } catch {
      throw .file(error)
    }
  }
}
