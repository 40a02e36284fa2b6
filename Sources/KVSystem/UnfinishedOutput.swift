import KVBytes
package import SystemPackage

/// The files that mark an unfinished write, by which interrupted output is recognized.
///
///     .kvfsck-ID-N.tmp        a new file, or a folder with new files; N is 0 for the write's first
///                             in its folder, which is locked while the process lives
///     .kvfsck-ID.unfinished   the marker while files get their names: for each file, its temporary
///                             name, its final name and its inode, each followed by a zero byte
///
/// A temporary file that is no longer locked was left by a process that was killed. The next write
/// in the folder removes it.
///
/// The folder may be evidence, and its names may have been made to deceive: only the exact names
/// above count. A marker is ignored, and everything with its ID stays, unless each temporary name
/// in it has the marker's ID and each final name is one of the same folder. Files are removed only if
/// their inodes are those in the marker, which an archive that was unpacked cannot have foreseen.
package enum UnfinishedOutput {
  private static let prefix = ".kvfsck-"
  private static let temporarySuffix = ".tmp"
  private static let markerSuffix = ".unfinished"
  /// The largest number of bytes of a marker.
  private static let markerLimit = 1 << 24

  /// The temporary and the final name of a file, and its inode.
  struct Naming: Hashable {
    let temporary: FilePath.Component
    let final: FilePath.Component
    let inode: UInt64
  }

  static func temporary(_ id: String, _ number: Int) -> String {
    "\(prefix)\(id)-\(number)\(temporarySuffix)"
  }

  static func marker(_ id: String) -> String { "\(prefix)\(id)\(markerSuffix)" }

  /// Returns whether `name` is that of unfinished output.
  static func isName(_ name: String) -> Bool { parts(of: name) != nil }

  /// Returns the ID in `name`, and whether it is the name of a marker; `nil` if it is not a name of
  /// unfinished output.
  private static func parts(of name: String) -> (id: String, isMarker: Bool)? {
    // By bytes: an accent after a hyphen or a point would otherwise be part of that character.
    let bytes = name.utf8
    guard bytes.starts(with: prefix.utf8) else { return nil }
    let rest = bytes.dropFirst(prefix.utf8.count)
    let id = rest.prefix { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    guard !id.isEmpty else { return nil }
    let end = rest[id.endIndex...]
    if end.elementsEqual(markerSuffix.utf8) { return (String(Substring(id)), true) }
    let number = end.dropFirst().prefix(while: isDigit)
    guard end.first == UInt8(ascii: "-"), !number.isEmpty,
      end[number.endIndex...].elementsEqual(temporarySuffix.utf8)
    else { return nil }
    return (String(Substring(id)), false)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Returns why a store with the files at `paths` is not read, for people: one of them is part of
  /// unfinished output; `nil` if none is.
  package static func refusal(of paths: [FilePath]) -> String? {
    first(of: paths).map {
      "\($0.text) is part of an incomplete output: kvfsck was killed while writing it. Run that command "
        + "again; after a repair in place, run kvfsck undo with the backup beside it"
    }
  }

  /// Returns the first of `paths` that is part of unfinished output: some of its files may be
  /// missing or old.
  package static func first(of paths: [FilePath]) -> FilePath? {
    var lists: [FilePath: [FilePath.Component]] = [:]
    return paths.first { path in
      if path.components.contains(where: { isName($0.string) }) { return true }
      let folder = path.parent
      let names =
        lists[folder]
        ?? idsUnlessSettled(in: folder).compactMap { entries(of: $0, in: folder) }
        .filter { !isComplete($0, in: folder) }.flatMap { $0.map(\.final) }
      lists[folder] = names
      return path.lastComponent.map(names.contains) ?? false
    }
  }

  /// Returns whether all files of a write have their names, so that only leftovers have to be
  /// removed.
  private static func isComplete(_ entries: [Naming], in folder: FilePath) -> Bool {
    entries.allSatisfy { entry in
      let (temporary, final) = (folder.appending(entry.temporary), folder.appending(entry.final))
      return Folder.isTaken(final)
        && (!Folder.isTaken(temporary) || Folder.isSameFile(temporary, final))
    }
  }

  /// Returns the content of a marker.
  static func text(_ entries: [Naming]) -> [UInt8] {
    var text: [UInt8] = []
    for entry in entries {
      for field in [entry.temporary.bytes, entry.final.bytes, Array(String(entry.inode).utf8)] {
        text += field
        text.append(0)
      }
    }
    return text
  }

  /// The last folders that had no unfinished output, the newest last, so that a check of every store in
  /// a large folder, or in two that are compared, does not list them as often.
  private static let settled = Guarded<[FolderState]>([])
  private static let settledLimit = 8

  /// Returns what ``ids(in:)`` returns, without listing the folder if nothing has changed in it since
  /// it was listed last.
  private static func idsUnlessSettled(in folder: FilePath) -> [String] {
    guard let state = FolderState(of: folder) else { return ids(in: folder) }
    if settled.use({ $0.contains(state) }) { return [] }
    let ids = ids(in: folder)
    if ids.isEmpty, state.isOld {
      settled.use { $0 = $0.suffix(settledLimit - 1) + [state] }
    }
    return ids
  }

  /// Returns the sorted IDs of the writes that have unfinished output in `folder`.
  private static func ids(in folder: FilePath) -> [String] {
    let names = (try? Folder.allNames(in: folder, startingWith: prefix)) ?? []
    return Set(names.compactMap { parts(of: $0)?.id }).sorted()
  }

  /// Returns the names that the marker of the write `id` lists, none if there is no marker; `nil` if
  /// the marker is not one that a write makes.
  ///
  /// A marker that was cut lists only the names before that: no file has its name until all of the
  /// marker is on the disk.
  private static func entries(of id: String, in folder: FilePath) -> [Naming]? {
    let marker = folder.appending(marker(id))
    guard Folder.isTaken(marker) else { return [] }
    guard Folder.isRegularFile(marker), !Folder.isLink(marker),
      let bytes = (try? FileImage.read(marker, limit: markerLimit))?.bytes
    else { return nil }
    let fields = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    var entries: [Naming] = []
    for index in stride(from: 0, to: fields.count - 2, by: 3) {
      guard let temporary = name(Array(fields[index])), let final = name(Array(fields[index + 1])),
        let inode = UInt64(digits: String(decoding: fields[index + 2], as: UTF8.self), radix: 10),
        let own = parts(of: temporary.string), own.id.utf8.elementsEqual(id.utf8), !own.isMarker,
        !isName(final.string)
      else { return nil }
      entries.append(Naming(temporary: temporary, final: final, inode: inode))
    }
    return entries
  }

  /// Returns the name of a file in a folder that `bytes` are; `nil` if they are a path or empty.
  private static func name(_ bytes: [UInt8]) -> FilePath.Component? {
    guard !bytes.contains(UInt8(ascii: "/")), let name = FilePath(bytes: bytes).lastComponent,
      name.kind == .regular
    else { return nil }
    return name
  }

  // MARK: Removing

  /// Removes what incomplete writes other than `known` have left in `folder`, where all files are as
  /// they were before.
  package static func discardReplacements(in folder: FilePath, except known: [String]) {
    for id in removeAbandoned(in: folder) {
      if !known.contains(where: { $0.utf8.elementsEqual(id.utf8) }) { discard(id, in: folder) }
    }
  }

  /// Removes what killed writes have left in `folder`, but not the files of complete writes.
  ///
  /// If an incomplete write was creating files, those that already have their names are removed
  /// too. If it was replacing files, the old ones cannot be restored here: its marker stays until
  /// all the files have been replaced again.
  ///
  /// - Returns: The identifiers of the writes whose markers stay.
  @discardableResult
  package static func removeAbandoned(in folder: FilePath) -> [String] {
    var left: [String] = []
    for id in ids(in: folder) {
      let first = folder.appending(temporary(id, 0))
      // If the lock is held, the write is still running. Without the first file, no one can hold
      // it. Opening a pipe of that name must not wait for its writer.
      let lock = try? FileDescriptor.open(
        first, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
      defer { _ = try? lock?.close() }
      if let lock, !SystemCalls.lock(lock) { continue }
      guard let named = entries(of: id, in: folder),
        named.allSatisfy({
          let inode = Folder.inode(of: folder.appending($0.temporary))
          return inode == nil || inode == $0.inode
        })
      else { continue }
      let entries = named.map {
        (temporary: folder.appending($0.temporary), final: folder.appending($0.final))
      }
      // A final name that is a link to the temporary file was created by that write alone. A file
      // whose temporary name is gone was renamed, and cannot be told from what was there before.
      let linked = entries.filter { Folder.isSameFile($0.temporary, $0.final) }
      let isRenamed = entries.contains { !Folder.isTaken($0.temporary) }
      let isComplete = isComplete(named, in: folder)
      if isRenamed, !isComplete {
        // The remaining temporary files show which files are still old.
        left.append(id)
      } else {
        if !isComplete { for entry in linked { _ = try? SystemCalls.removeFile(entry.final) } }
        discard(id, in: folder)
      }
    }
    return left
  }

  /// Removes the marker of a write and its temporary files, the lock last.
  ///
  /// Whatever else has such a name, such as a symbolic link, was not written by kvfsck, and stays.
  static func discard(_ id: String, in folder: FilePath) {
    _ = try? SystemCalls.removeFile(folder.appending(marker(id)))
    let all = (try? Folder.allNames(in: folder, startingWith: prefix)) ?? []
    let names = all.filter { name in
      guard let own = parts(of: name), !own.isMarker else { return false }
      return own.id.utf8.elementsEqual(id.utf8)
        && !name.utf8.elementsEqual(temporary(id, 0).utf8)
    }
    for path in (names + [temporary(id, 0)]).map({ folder.appending($0) })
    where Folder.isWritten(path) {
      Folder.removeTree(path)
    }
  }
}
