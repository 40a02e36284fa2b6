import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The plan to write the files of a format without a log anew.
///
/// The plan is complete: what it shows is what its files hold.
package struct TablePlan: Sendable {
  /// The entries to write.
  package enum Choice: Sendable {
    /// Those that the app will have at its next launch.
    case loaded
    /// The newest readable value of each key.
    case newest
    /// Those of the newest without a caution.
    case certain
    /// Those that an emptied store had, as the files of its values show.
    case beforeReset
  }

  /// What is kept, in words.
  package let origin: String
  /// The entries that are kept.
  package let kept: [TypedEntry]
  /// The entries that are kept in another form than they had, and what changes.
  package let changes: [ConversionNote]
  /// The entries that the new files cannot hold, and those that the choice leaves out, with the reasons.
  package let dropped: [(entry: TypedEntry, reason: String)]
  /// What the new files lack besides entries, in words.
  package let lacking: [String]
  /// Whether something is damaged, or the app would not have all of what is kept.
  package let isNeeded: Bool
  /// Whether something may be missing from what is kept.
  package let isLossy: Bool
  /// The new files.
  package let files: [EncodedFile]
  /// The names of files that must not lie beside the new ones, because the library would load them.
  package let removed: [FilePath]
  /// Whether they are removed before the new files take their places.
  package let removesFirst: Bool

  /// Creates the plan to write the entries that `choice` names of `table`, by its format.
  ///
  /// The new files are written to a temporary folder in `temporary`, and read from there.
  ///
  /// - Throws: When a file cannot be written.
  package init(
    _ choice: Choice, of table: EntryTable, by restorer: any EntryRestorer,
    in temporary: FilePath
  ) throws(ConversionError) {
    let newest = table.newest
    let loaded = table.loads.first?.entries ?? newest
    let chosen =
      switch choice {
      case .loaded: loaded
      case .newest: newest
      case .certain: newest.filter(\.origin.cautions.isEmpty)
      case .beforeReset: table.entries
      }
    origin = Self.origin(of: choice, in: table)
    let fitted = Self.fitted(chosen, of: table, by: restorer)
    let written = try Self.write(fitted.kept, of: table, by: restorer, in: temporary)
    (files, lacking) = (written.files, written.lacking)
    // What a database refuses, for instance, is not in it.
    let refused = fitted.kept.entries(notIn: written.entries)
    let refusedKeys = Set(refused.map(\.key))
    kept = fitted.kept.filter { !refusedKeys.contains($0.key) }
    changes = fitted.changes.filter { !refusedKeys.contains($0.key) }
    let others = newest.entries(notIn: chosen)
    dropped =
      fitted.dropped
      + refused.map { ($0, "the entry is left out: the new file does not hold it") }
      + others.map { ($0, "the answer leaves it out") }
    isNeeded = table.verdict != .clean || newest.count(notIn: loaded) > 0
    let isAll =
      dropped.isEmpty && lacking.isEmpty
      && !changes.contains { $0.loss.severity > .note }
      && (restorer.keepsUnread(of: table) || !table.findings.contains(where: \.losesContent))
    isLossy = !isAll || !table.isNewestWhole
    let names = Set(files.map(\.path))
    removesFirst = type(of: restorer).removesFirst
    let replaced = type(of: restorer).replacedRoles
    removed = table.files.filter { replaced.contains($0.role) }
      .compactMap(\.path.lastName).filter { !names.contains($0) }
  }

  /// The entries as the new files will hold them, what changes, and those that they cannot hold.
  private typealias Fitted = (
    kept: [TypedEntry], changes: [ConversionNote], dropped: [(entry: TypedEntry, reason: String)]
  )

  private static func fitted(
    _ entries: [TypedEntry], of table: EntryTable, by restorer: any EntryRestorer
  ) -> Fitted {
    var fitted: Fitted = ([], [], [])
    for entry in entries {
      let fit = restorer.fitRestored(entry, of: table)
      guard let held = fit.entry else {
        fitted.dropped.append((entry, fit.losses.first?.message ?? ""))
        continue
      }
      fitted.kept.append(held)
      fitted.changes += fit.losses.map { ConversionNote(entry.key, $0, at: entry.origin.place) }
    }
    return fitted
  }

  private static func origin(of choice: Choice, in table: EntryTable) -> String {
    let names = table.files.filter { $0.role != .external }.map(\.path.name)
    return switch choice {
    case .loaded: "what the app would load"
    case .newest: "the newest readable values in \(names.joined(separator: ", "))"
    case .certain:
      "the newest values in \(names.joined(separator: ", ")) that nothing makes doubtful"
    case .beforeReset: "the values whose files are still there"
    }
  }

  /// What was written: the files, the entries that are read from them, and what they lack.
  private typealias Written = (files: [EncodedFile], entries: [TypedEntry], lacking: [String])

  private static func write(
    _ entries: [TypedEntry], of table: EntryTable, by restorer: any EntryRestorer,
    in temporary: FilePath
  ) throws(ConversionError) -> Written {
    let result: Result<Written, ConversionError>
    do throws(FileError) {
      result = try Folder.withTemporary(in: temporary) { folder in
        Result { () throws(ConversionError) in
          var pending = PendingWrite(existing: .keep, permissions: .ownerReadWrite)
          let lacking: [String]
          do throws(ConversionError) {
            lacking = try restorer.restore(entries, of: table, in: folder, into: &pending)
          } catch .library(let words) {
            // The folder is gone when somebody reads that.
            let prefix = Array((folder.text + "/").utf8)
            let rest =
              words.utf8.starts(with: prefix) ? words.utf8.dropFirst(prefix.count) : words.utf8[...]
            throw .library(String(decoding: rest, as: UTF8.self))
          }
          let paths = pending.paths
          do throws(FileError) {
            try pending.commit()
            let files = try paths.map { (path) throws(FileError) in
              StoreFile(
                paths.first == path ? .data : .external, at: path, try FileImage.read(path))
            }
            return (
              files.map { EncodedFile($0.role, at: $0.path.below(folder), $0.image.bytes) },
              restorer.read(files.numbered()).entries, lacking
            )
          } catch {
            throw .file(error)
          }
        }
      }
    } catch {
      throw .file(error)
    }
    return try result.get()
  }
}

extension FilePath {
  /// Returns the path relative to `folder`, which contains it.
  fileprivate func below(_ folder: FilePath) -> FilePath {
    FilePath(root: nil, components.dropFirst(folder.components.count))
  }
}
