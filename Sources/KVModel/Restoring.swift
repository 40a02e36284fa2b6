package import KVSystem
package import SystemPackage

/// A format without a log whose files can be written anew, so that the app's library loads them.
package protocol EntryRestorer: EntryReader {
  /// The roles of the files that new ones replace; those of values stay.
  static var replacedRoles: [FileRole] { get }

  /// Whether files that new ones replace are removed first, as a log that would be applied to the new
  /// file; `false` if the old ones are loaded until the new file is complete.
  static var removesFirst: Bool { get }

  /// Returns the name of the file that the library loads, of a store with `files`.
  static func loadedName(of files: [StoreFile]) -> FilePath

  /// Whether the new files have what the reader does not read of those of `table`.
  func keepsUnread(of table: EntryTable) -> Bool

  /// Returns `entry` as the new files will hold it.
  func fitRestored(_ entry: TypedEntry, of table: EntryTable) -> EntryFit

  /// Writes new files with `entries`, which are those of `table` or some of them, into `folder`: of the
  /// form and with the names that the files of `table` have.
  ///
  /// - Returns: What the new files lack besides entries, in words.
  /// - Throws: When a file cannot be written.
  func restore(
    _ entries: [TypedEntry], of table: EntryTable, in folder: FilePath,
    into files: inout PendingWrite
  ) throws(ConversionError) -> [String]
}

extension EntryRestorer {
  /// `false`: the library loads what is beside the file instead of it.
  package static var removesFirst: Bool { false }

  /// Returns the name of the first file.
  package static func loadedName(of files: [StoreFile]) -> FilePath {
    files.first?.path.lastName ?? FilePath(name)
  }

  /// `false`: the files are written from the entries.
  package func keepsUnread(of table: EntryTable) -> Bool { false }

  /// Returns the entry itself, which the format has held.
  package func fitRestored(_ entry: TypedEntry, of table: EntryTable) -> EntryFit {
    EntryFit(entry)
  }
}

/// A format whose files are written anew as a conversion to it writes them.
package protocol EncodingRestorer: EntryRestorer, EntryWriter {
  /// Returns the format that writes files of the form that those of `table` have.
  func writing(like table: EntryTable) -> Self
}

extension EncodingRestorer {
  /// Returns the format itself, which has only one form.
  package func writing(like table: EntryTable) -> Self { self }

  /// Returns the entry as a conversion to the format would hold it.
  package func fitRestored(_ entry: TypedEntry, of table: EntryTable) -> EntryFit {
    writing(like: table).fit(entry)
  }

  /// Writes the entries as a conversion to the format would.
  package func restore(
    _ entries: [TypedEntry], of table: EntryTable, in folder: FilePath,
    into files: inout PendingWrite
  ) throws(ConversionError) -> [String] {
    let name = Self.loadedName(of: table.files)
    try writing(like: table).write(
      EntrySource(name: name.string, formatName: Self.name, entries),
      to: folder.appending(name.components), into: &files)
    return []
  }
}

extension EntryReader where Self: EntryRestorer {
  /// `true`: files of the format are written anew.
  package static var isRestorable: Bool { true }
}
