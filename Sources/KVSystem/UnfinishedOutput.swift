import KVBytes
package import SystemPackage

/// The files that mark an unfinished write, by which interrupted output is recognized.
///
///     .kvfsck-ID-N.tmp        a new file, or a folder with new files; N is 0 for the write's first
///                             in its folder, which is locked while the process lives
///     .kvfsck-ID.unfinished   the marker while files get their names: for each file, its temporary
///                             and its final name, each followed by a zero byte
///
/// A temporary file that is no longer locked was left by a process that was killed. The next write
/// in the folder removes it.
package enum UnfinishedOutput {
  private static let prefix = ".kvfsck-"
  private static let temporarySuffix = ".tmp"
  private static let markerSuffix = ".unfinished"

  static func temporary(_ id: String, _ number: Int) -> String {
    "\(prefix)\(id)-\(number)\(temporarySuffix)"
  }

  static func marker(_ id: String) -> String { "\(prefix)\(id)\(markerSuffix)" }

  /// Returns whether `name` is that of unfinished output.
  static func isName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && (name.hasSuffix(temporarySuffix) || name.hasSuffix(markerSuffix))
  }

  /// Returns the first of `paths` that is part of unfinished output: some of its files may be
  /// missing or old.
  package static func first(of paths: [FilePath]) -> FilePath? {
    var lists: [FilePath: [String]] = [:]
    return paths.first { path in
      if path.components.contains(where: { isName($0.string) }) { return true }
      let folder = path.removingLastComponent()
      let names =
        lists[folder]
        ?? markers(in: folder).map { entries(of: $0) }.filter { !isComplete($0, in: folder) }
        .flatMap { $0.map(\.final) }
      lists[folder] = names
      return names.contains { path.lastComponent?.string == $0 }
    }
  }

  /// Returns whether all files of a write have their names, so that only leftovers have to be
  /// removed.
  private static func isComplete(
    _ entries: [(temporary: String, final: String)], in folder: FilePath
  ) -> Bool {
    entries.allSatisfy { entry in
      let (temporary, final) = (folder.appending(entry.temporary), folder.appending(entry.final))
      return Folder.isTaken(final)
        && (!Folder.isTaken(temporary) || Folder.isSame(temporary, final))
    }
  }

  /// Returns the content of a marker.
  static func text(_ entries: [(temporary: String, final: String)]) -> [UInt8] {
    entries.flatMap { Array($0.temporary.utf8) + [0] + Array($0.final.utf8) + [0] }
  }

  private static func markers(in folder: FilePath) -> [FilePath] {
    let names = (try? Folder.allNames(in: folder)) ?? []
    return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(markerSuffix) }
      .map { folder.appending($0) }
  }

  private static func entries(of marker: FilePath) -> [(temporary: String, final: String)] {
    let bytes = (try? FileImage.read(marker))?.bytes ?? []
    let names = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    return stride(from: 0, to: names.count - 1, by: 2).map { (names[$0], names[$0 + 1]) }
  }

  // MARK: Removing

  /// Removes what killed writes have left in `folder`, before it is searched.
  package static func removeAbandoned(in folder: FilePath) { _ = remove(in: folder) }

  /// Removes what killed writes have left in `folder`, but not the files of complete writes.
  ///
  /// If an incomplete write was creating files, those that already have their names are removed
  /// too. If it was replacing files, the old ones cannot be restored here: its marker stays until
  /// all the files have been replaced again.
  ///
  /// - Returns: The identifiers of the writes whose markers stay.
  static func remove(in folder: FilePath) -> [String] {
    let names = ((try? Folder.allNames(in: folder)) ?? []).filter(isName)
    var ids: Set<String> = []
    for name in names {
      let end = name.dropFirst(prefix.count).prefix { $0 != "-" && $0 != "." }
      ids.insert(String(end))
    }
    var left: [String] = []
    for id in ids.sorted() {
      let first = folder.appending(temporary(id, 0))
      // If the lock is held, the write is still running. Without the first file, no one can hold
      // it.
      let lock = try? FileDescriptor.open(first, .readOnly, options: [.closeOnExec, .noFollow])
      defer { _ = try? lock?.close() }
      if let lock, !SystemCalls.lock(lock) { continue }
      let marker = folder.appending(marker(id))
      let named = entries(of: marker)
      let entries = named.map {
        (temporary: folder.appending($0.temporary), final: folder.appending($0.final))
      }
      // A final name that is a link to the temporary file was created by that write alone. A file
      // whose temporary name is gone was renamed, and cannot be told from what was there before.
      let linked = entries.filter { Folder.isSame($0.temporary, $0.final) }
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
  static func discard(_ id: String, in folder: FilePath) {
    _ = try? SystemCalls.removeFile(folder.appending(marker(id)))
    let names = ((try? Folder.allNames(in: folder)) ?? []).filter {
      isName($0) && $0.hasPrefix("\(prefix)\(id)-") && $0 != temporary(id, 0)
    }
    for name in names + [temporary(id, 0)] { Folder.removeTree(folder.appending(name)) }
  }
}
