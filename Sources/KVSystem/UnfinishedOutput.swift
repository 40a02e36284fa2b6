import KVBytes
package import SystemPackage

/// The files that a write uses until it is complete, by which an output that was cut short is known.
///
///     .kvfsck-ID-N.tmp        a new file, or a folder with new files; the first of a write in a folder,
///                             number 0, is locked as long as the process lives
///     .kvfsck-ID.unfinished   files get their names: for each, its temporary name and its own, each
///                             followed by a zero byte
///
/// Whatever is not locked any more was left by a process that was killed. The next write in the folder
/// removes it.
package enum UnfinishedOutput {
  private static let prefix = ".kvfsck-"
  private static let temporarySuffix = ".tmp"
  private static let markerSuffix = ".unfinished"

  static func temporary(_ id: String, _ number: Int) -> String {
    "\(prefix)\(id)-\(number)\(temporarySuffix)"
  }

  static func marker(_ id: String) -> String { "\(prefix)\(id)\(markerSuffix)" }

  /// Whether `name` is that of a file or folder that is no output yet.
  static func isName(_ name: String) -> Bool {
    name.hasPrefix(prefix) && (name.hasSuffix(temporarySuffix) || name.hasSuffix(markerSuffix))
  }

  /// The first of `paths` that is part of an output whose writing was cut short: some of its files may
  /// be missing, or be old ones.
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

  /// Whether all files of a write have their names: nothing but the marker is left to remove then.
  private static func isComplete(
    _ entries: [(temporary: String, final: String)], in folder: FilePath
  ) -> Bool {
    entries.allSatisfy { entry in
      let (temporary, final) = (folder.appending(entry.temporary), folder.appending(entry.final))
      return Folder.isTaken(final)
        && (!Folder.isTaken(temporary) || Folder.isSame(temporary, final))
    }
  }

  /// The text of a marker.
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

  /// Removes what writes that were killed have left in `folder`, before anything is looked for there.
  package static func removeAbandoned(in folder: FilePath) { _ = remove(in: folder) }

  /// Removes what writes that were killed have left in `folder`; what complete ones have written stays.
  ///
  /// New files of an incomplete one that had their names already go with the rest. Where old ones were
  /// being replaced, they cannot come back here: the markers of such writes stay, until all files have
  /// been replaced again.
  ///
  /// - Returns: What those writes are called by.
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
      // Who holds the lock is at work. Without the first file there is nobody to hold it.
      let lock = try? FileDescriptor.open(first, .readOnly, options: [.closeOnExec, .noFollow])
      defer { _ = try? lock?.close() }
      if let lock, !SystemCalls.lock(lock) { continue }
      let marker = folder.appending(marker(id))
      let named = entries(of: marker)
      let entries = named.map {
        (temporary: folder.appending($0.temporary), final: folder.appending($0.final))
      }
      // A link to the temporary file is the work of that write, and nobody else's. A file without its
      // temporary one was renamed: it cannot be told from what was there.
      let linked = entries.filter { Folder.isSame($0.temporary, $0.final) }
      let isRenamed = entries.contains { !Folder.isTaken($0.temporary) }
      let isComplete = isComplete(named, in: folder)
      if isRenamed, !isComplete {
        // The temporary files say which ones are still old.
        left.append(id)
      } else {
        if !isComplete { for entry in linked { _ = try? SystemCalls.removeFile(entry.final) } }
        discard(id, in: folder)
      }
    }
    return left
  }

  /// Removes the marker of a write and its temporary files, the first of them last.
  static func discard(_ id: String, in folder: FilePath) {
    _ = try? SystemCalls.removeFile(folder.appending(marker(id)))
    let names = ((try? Folder.allNames(in: folder)) ?? []).filter {
      isName($0) && $0.hasPrefix("\(prefix)\(id)-") && $0 != temporary(id, 0)
    }
    for name in names + [temporary(id, 0)] { Folder.removeTree(folder.appending(name)) }
  }
}
