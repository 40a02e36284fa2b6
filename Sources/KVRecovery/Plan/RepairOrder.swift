import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// All that a repair writes, decided before the first byte is written: a dry run shows it, and a run
/// carries it out.
package struct RepairOrder: Sendable {
  /// Where the new files go.
  package enum Destination: Hashable, Sendable {
    /// Nowhere: nobody has said where.
    case nowhere
    /// Into this folder, in which nothing is overwritten.
    case folder(FilePath)
    /// In the place of the old ones, of which a backup is kept.
    case inPlace
  }

  /// What is kept, and why.
  package let plan: RepairPlan
  /// How the new store is encrypted.
  package let cipher: CipherChoice
  /// The new files: those of the store, then that of what is set aside.
  package let files: [EncodedFile]
  /// The folder that the files go to; `nil` where nobody has said where.
  package let folder: FilePath?
  /// The backup of the files that are replaced; `nil` where none are.
  package let backup: Backup?

  /// The order to write `encoded`, and what is set aside.
  ///
  /// `lostAndFound` makes the file of what is set aside, for the folder that it goes to.
  ///
  /// - Throws: `BackupError` where the files cannot be replaced, or the new ones cannot be written.
  package init<S: Store>(
    _ plan: RepairPlan, of store: S, as encoded: [EncodedFile], cipher: CipherChoice,
    to destination: Destination, lostAndFound: (FilePath) -> EncodedFile?
  ) throws(BackupError) {
    self.plan = plan
    self.cipher = cipher
    let home = store.files.first?.path.removingLastComponent() ?? ""
    switch destination {
    case .nowhere:
      folder = nil
      backup = nil
    case .folder(let folder):
      self.folder = folder
      backup = nil
    case .inPlace:
      folder = home
      backup = try Backup.planned(for: store.files)
    }
    files = encoded + (lostAndFound(folder ?? home).map { [$0] } ?? [])
    if case .folder(let folder) = destination { try checkFree(folder) }
  }

  /// Where each of the files goes; its name alone where nobody has said where.
  package var paths: [FilePath] {
    files.map { file in folder?.appending(file.name) ?? FilePath(file.name) }
  }

  private func checkFree(_ folder: FilePath) throws(BackupError) {
    let parent = folder.lexicallyNormalized().removingLastComponent()
    guard Folder.isTaken(folder) || parent.isEmpty || Folder.exists(parent) else {
      throw .file(.system(operation: "make", path: folder, errno: .noSuchFileOrDirectory))
    }
    if let taken = paths.first(where: { Folder.isTaken($0) }) { throw .file(.exists(path: taken)) }
  }

  /// Writes the files.
  ///
  /// - Precondition: `originals` are the files of the store that the order was made for.
  /// - Throws: ``BackupError``; the store is as it was unless the error says otherwise.
  package func execute(
    on originals: [StoreFile], writer: StoreWriter
  ) throws(BackupError) {
    if let backup {
      _ = try Backup.replace(originals, by: files, writer: writer, into: backup)
      return
    }
    guard let folder else { return }
    do throws(FileError) {
      _ = try writer.write(files, into: folder)
    } catch {
      throw .file(error)
    }
  }
}
