import KVBytes
import KVCryptography
package import KVModel
package import KVSystem
package import SystemPackage

/// The files of a store before they were replaced, and the means to restore them.
///
/// A backup is a folder with copies of the files and two lists in the format of `sha256sum`, so
/// that it can be checked without this program. `BEFORE.sha256` lists the copies. `AFTER.sha256`
/// lists the files that replaced them, which are next to the folder.
package struct Backup: Sendable {
  /// The folder of the backup.
  package let folder: FilePath
  private static let before = "BEFORE.sha256"
  private static let after = "AFTER.sha256"

  /// Creates a backup for what is in `folder`, without reading it.
  package init(at folder: FilePath) {
    // The store is beside the folder, not beside a link to it.
    let isPlain = folder.lastComponent?.kind == .regular && !Folder.isLink(folder)
    self.folder = isPlain ? folder : Folder.resolved(folder)
  }

  /// Whether there is a list of copies in the folder, as in every backup.
  package var isThere: Bool { Folder.isTaken(folder.appending(Backup.before)) }

  /// Finds the backups of each store in `folder` and below it, those of a store from the newest to
  /// the oldest.
  ///
  /// Links are not followed. Folders that cannot be listed are passed to `failed`.
  package static func all(
    below folder: FilePath, failed: (FileError) -> Void
  ) -> [[Backup]] {
    var stores: [[Backup]] = []
    var waiting = [folder]
    while let folder = waiting.popLast() {
      let folders: [FilePath.Component]
      do throws(FileError) {
        folders = try Folder.contents(of: folder).folders
      } catch {
        failed(error)
        continue
      }
      var numbered: [[UInt8]: [(number: Int, backup: Backup)]] = [:]
      for name in folders {
        guard let parts = BackupName.parts(of: name) else { continue }
        let backup = Backup(at: folder.appending(name))
        numbered[Array(parts.store.utf8), default: []].append((parts.number, backup))
      }
      stores += numbered.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { store in
        store.value.sorted { $0.number > $1.number }.map(\.backup)
      }
      waiting += folders.filter { !BackupName.matches($0) }.reversed().map(folder.appending)
    }
    return stores
  }

  /// The folder of the store's files.
  private var home: FilePath { folder.parent }

  /// Returns the backup that ``replace(_:by:writer:into:)`` would make of `files`, which does not
  /// exist yet.
  ///
  /// - Throws: ``BackupError`` if the files cannot be replaced, or if the backup could not be
  ///   checked.
  package static func planned(for files: [StoreFile]) throws(BackupError) -> Backup {
    guard let first = files.first, let name = first.path.lastComponent?.string else {
      throw .nothingToReplace
    }
    if let link = files.first(where: { Folder.isLink($0.path) }) { throw .isLink(link.path) }
    if let odd = files.first(where: { $0.path.lastName?.isUTF8 == false }) {
      throw .notUTF8(odd.path)
    }
    guard Cryptography.isAvailable else { throw .noDigest }
    return Backup(at: try freeFolder(in: first.path.parent, for: name))
  }

  /// Copies those of `files` that are in the same folder as the first into a new folder next to
  /// them, forces the copies to disk, replaces the files with `replacements`, and removes those called
  /// `removed`, which go `first` if they would change what the new files mean.
  ///
  /// - Returns: The backup: `planned`, or one with the next free name.
  ///
  /// - Throws: ``BackupError``; the store is as it was unless the error says otherwise.
  package static func replace(
    _ files: [StoreFile], by replacements: [EncodedFile], removing removed: [FilePath] = [],
    first removesFirst: Bool = false, writer: StoreWriter, into planned: Backup? = nil
  ) throws(BackupError) -> Backup {
    let backup = if let planned { planned } else { try Backup.planned(for: files) }
    guard let first = files.first else { throw .nothingToReplace }
    let home = first.path.parent
    // Files in other folders are not replaced, and could not be restored to their places.
    let files = files.filter { $0.path.parent == home }
    let originals = files.map {
      (name: $0.path.lastComponent?.string ?? "", bytes: $0.foundImage.bytes)
    }
    let names = try backup.write(originals, replacements, writer)
    if let changed = changedFile(among: originals, replacements, in: home) {
      backup.remove(names)
      throw .changedSinceRead(changed)
    }
    // A file that replaces none gets the owner of the store's first file.
    let common = FileAccess(of: first.path)?.limited(to: writer.permissions)
    let unfinished = UnfinishedOutput.removeAbandoned(in: home)
    do throws(FileError) {
      try Folder.synchronize(home)
      func remove() throws(FileError) {
        for name in removed { try Folder.removeFile(home.appending(name.components)) }
        if !removed.isEmpty { try Folder.synchronize(home) }
      }
      if removesFirst { try remove() }
      try writer.replace(replacements, in: home) { FileAccess(of: home.appending($0)) ?? common }
      if !removesFirst { try remove() }
    } catch {
      guard backup.isStoreBack(originals, writer: writer) else {
        throw .halfReplaced(backup.folder, error)
      }
      // Files that were replaced by the same bytes are no reason to refuse the store.
      UnfinishedOutput.discardReplacements(in: home, except: unfinished)
      backup.remove(names)
      throw .file(error)
    }
    return backup
  }

  /// Writes the copies of `originals` and the lists.
  ///
  /// - Returns: The names of the files that were written.
  private func write(
    _ originals: [(name: String, bytes: [UInt8])], _ replacements: [EncodedFile],
    _ writer: StoreWriter
  ) throws(BackupError) -> [String] {
    var copies = originals.map { EncodedFile(.data, named: $0.name, $0.bytes) }
    copies.append(EncodedFile(.data, named: Backup.before, try Backup.list(originals)))
    copies.append(
      EncodedFile(
        .data, named: Backup.after, try Backup.list(replacements.map { ($0.name, $0.bytes) })))
    do throws(FileError) {
      // A copy has the owner and the permissions of its original, so that an undo can restore
      // them.
      _ = try writer.write(copies, into: folder, .provisional) {
        FileAccess(of: home.appending($0))
      }
    } catch {
      throw .file(error)
    }
    return copies.map(\.name)
  }

  /// Returns a file in the folder `home` that is no longer as it was read, or that did not exist
  /// then; `nil` if there is none.
  ///
  /// The app may have written to the store while the user was asked a question. That write would be
  /// in neither the new store nor the backup.
  private static func changedFile(
    among originals: [(name: String, bytes: [UInt8])], _ replacements: [EncodedFile],
    in home: FilePath
  ) -> FilePath? {
    for (name, bytes) in originals {
      let path = home.appending(name)
      guard (try? FileImage.read(path))?.bytes == bytes else { return path }
    }
    let known = Set(originals.map { Array($0.name.utf8) })
    let added = replacements.lazy.filter { !known.contains(Array($0.name.utf8)) }
    return added.map { home.appending($0.name) }.first(where: Folder.isTaken)
  }

  /// Restores the store if it has changed, and returns whether it is as it was.
  private func isStoreBack(
    _ originals: [(name: String, bytes: [UInt8])], writer: StoreWriter
  ) -> Bool {
    let isSame = originals.allSatisfy { original in
      (try? FileImage.read(home.appending(original.name)))?.bytes == original.bytes
    }
    let added = (try? read(Backup.after))?.contains { entry in
      !originals.contains { $0.name == entry.name } && Folder.isTaken(home.appending(entry.name))
    }
    if isSame, added == false { return true }
    // The reason for a failure is not reported, because the same disk has just failed.
    return (try? restore(writer: writer)) != nil
  }

  /// Removes the backup with these files, as far as possible.
  private func remove(_ names: [String]) {
    for name in names { _ = try? Folder.removeFile(folder.appending(name)) }
    Folder.removeIfEmpty(folder)
  }

  /// The result of an undo.
  package struct Restoration: Hashable, Sendable {
    /// The files that were restored.
    package let restored: [FilePath]
    /// The files that the repair had added, and that were removed again.
    package let removed: [FilePath]
  }

  /// Restores the copies, byte for byte and with their owners and permissions, if the store has not
  /// been written to since.
  ///
  /// - Returns: What was restored and what was removed.
  ///
  /// - Throws: ``BackupError``; nothing is changed if the copies or the store are not as they were
  ///   left.
  package func restore(writer: StoreWriter) throws(BackupError) -> Restoration {
    let originals = try read(Backup.before)
    let replacements = try read(Backup.after)
    var files: [EncodedFile] = []
    for entry in originals {
      let copy = try image(folder.appending(entry.name))
      guard try Backup.digest(copy.bytes) == entry.digest else {
        throw .copyChanged(folder.appending(entry.name))
      }
      files.append(EncodedFile(.data, named: entry.name, copy.bytes))
    }
    try checkStore(originals, replacements)
    let known = Set(originals.map { Array($0.name.utf8) })
    do throws(FileError) {
      try writer.replace(files, in: home) { FileAccess(of: folder.appending($0)) }
      let added = replacements.filter { new in
        !known.contains(Array(new.name.utf8)) && Folder.isTaken(home.appending(new.name))
      }
      for entry in added { try Folder.removeFile(home.appending(entry.name)) }
      if !added.isEmpty { try Folder.synchronize(home) }
      return Restoration(
        restored: files.map { home.appending($0.name) },
        removed: added.map { home.appending($0.name) })
    } catch .interrupted {
      // Cancellation is checked only before the first file is restored.
      throw .file(.interrupted)
    } catch {
      throw .halfRestored(folder, error)
    }
  }

  /// Checks that the files beside the backup are as the repair, or an undo that failed, has left
  /// them.
  ///
  /// - Throws: `.isLink`, `.storeChanged`; `.notABackup` if a copy is not listed, so that the file
  ///   would be removed as one that the repair has added.
  private func checkStore(
    _ originals: [Listed], _ replacements: [Listed]
  ) throws(BackupError) {
    var allowed: [[UInt8]: [String]] = [:]
    for entry in originals + replacements {
      allowed[Array(entry.name.utf8), default: []].append(entry.digest)
    }
    for entry in originals + replacements {
      let path = home.appending(entry.name)
      if Folder.isLink(path) { throw .isLink(path) }
      // A file that is gone was deleted since. Or the repair should have added it and did not, or an
      // undo that failed removed it again.
      guard Folder.isTaken(path) else { continue }
      let found = try Backup.digest(try image(path).bytes)
      guard allowed[Array(entry.name.utf8)]?.contains(found) == true else {
        throw .storeChanged(path)
      }
    }
    let copied = Set(originals.map { Array($0.name.utf8) })
    let isUnlisted = replacements.contains {
      !copied.contains(Array($0.name.utf8)) && Folder.isTaken(folder.appending($0.name))
    }
    if isUnlisted { throw .notABackup(folder.appending(Backup.before)) }
  }

  // MARK: Lists

  private struct Listed {
    let name: String
    let digest: String
  }

  private static func list(
    _ files: [(name: String, bytes: [UInt8])]
  ) throws(BackupError) -> [UInt8] {
    var text = ""
    for file in files {
      // As in sha256sum: a line that begins with a backslash has an escaped name.
      let name = escaped(file.name)
      text += (name == file.name ? "" : "\\") + "\(try digest(file.bytes))  \(name)\n"
    }
    return Array(text.utf8)
  }

  private func read(_ list: String) throws(BackupError) -> [Listed] {
    let path = folder.appending(list)
    guard Folder.isTaken(path) else { throw .notABackup(folder) }
    var entries: [Listed] = []
    var names: Set<[UInt8]> = []
    for line in try image(path).bytes.split(separator: UInt8(ascii: "\n")) {
      let isEscaped = line.first == UInt8(ascii: "\\")
      let fields = line.dropFirst(isEscaped ? 1 : 0)
      let written = String(decoding: fields.dropFirst(66), as: UTF8.self)
      // A name with a separator would lead out of the store's folder, and a name that occurs twice
      // would have two contents.
      guard fields.count > 66, let name = isEscaped ? Backup.unescaped(written) : written,
        FilePath(name).components.count == 1, FilePath(name).isRelative, name != "..", name != ".",
        names.insert(Array(name.utf8)).inserted
      else { throw .notABackup(path) }
      entries.append(
        Listed(name: name, digest: String(decoding: fields.prefix(64), as: UTF8.self)))
    }
    if entries.isEmpty { throw .notABackup(path) }
    return entries
  }

  private static func escaped(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// Returns the name for which ``escaped(_:)`` returns `text`; `nil` if an escape is unknown.
  private static func unescaped(_ text: String) -> String? {
    var name = ""
    var scalars = text.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "\\" else {
        name.unicodeScalars.append(scalar)
        continue
      }
      switch scalars.next() {
      case "\\": name += "\\"
      case "n": name += "\n"
      case "r": name += "\r"
      default: return nil
      }
    }
    return name
  }

  private static func digest(_ bytes: [UInt8]) throws(BackupError) -> String {
    guard let digest = Cryptography.sha256(bytes) else { throw .noDigest }
    return Hexadecimal.text(digest)
  }

  private func image(_ path: FilePath) throws(BackupError) -> FileImage {
    do {
      return try FileImage.read(path)
    } catch {
      throw .file(error)
    }
  }

  private static func freeFolder(
    in home: FilePath, for name: String
  ) throws(BackupError) -> FilePath {
    for number in 1...9999 {
      let folder = home.appending(BackupName.text(of: name, number: number))
      if !Folder.isTaken(folder) { return folder }
    }
    throw .tooManyBackups(home)
  }
}
