import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// A SQLite database of typed entries with all that is known about their origin.
///
/// The tables are `entries`, `records` (the history, if there is one), `findings` and `files`. See
/// ``SQLiteSchema``. The columns `type` and `value` of `entries` go together:
///
///     type                        storage class  value
///     bool                        INTEGER        0 or 1
///     int32, uint32, int64        INTEGER        the number
///     uint64                      INTEGER        the number, up to 2⁶³ − 1
///                                 TEXT           its decimal digits beyond
///     float, double, date         REAL           the number; a date in seconds since 1970
///                                 TEXT           NaN, ±∞ and −0: JSON, see ``ValueEnvelope``
///     string, json                TEXT           the text itself
///     bytes, raw                  BLOB           the bytes
///     everything else             TEXT           JSON, see ``ValueEnvelope``
///
/// SQLite keeps ±∞ and -0, but turns NaN into NULL. As JSON, these numbers look the same as in the
/// JSON formats, and do not depend on how a tool prints numbers. So a TEXT is JSON unless the type
/// is `string`, `json` or `uint64`.
///
/// Reference: `Docs/CONVERSION.md` § SQLite.
package struct SQLiteFormat: EntryWriter, EntryReader {
  /// The format's name.
  package static var name: String { "sqlite" }
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { SQLiteFiles.roleNames }
  /// The suffix of a file's name.
  package static var suffix: String { ".sqlite" }
  /// Whether the format can store evidence, which it can in columns of a table.
  package static var keepsEvidence: Bool { true }

  /// Creates the format, which has no options.
  package init() {}

  /// Returns `entry` unchanged, because nothing is lost.
  package func fit(_ entry: TypedEntry) -> EntryFit { EntryFit(entry) }

  /// `true`.
  package var holdsAll: Bool { true }

  /// Writes the database at `path`, in one transaction and with bounded memory.
  ///
  /// - Throws: `.library` with SQLite's message, `.file`, or an error that `source` throws.
  /// - Complexity: O(*n* log *n*) for *n* entries, because of the index of their keys.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    try files.adoptFile(at: path) { (temporary) throws(ConversionError) in
      try SQLiteWriter.write(source, to: temporary)
    }
  }

  /// Finds the database at `path`, or if `path` is a folder, the only `.sqlite` file in it.
  ///
  /// The files beside the database are also found.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    try SQLiteFiles.discover(
      in: source,
      at: FileReading.path(in: source, at: path, format: Self.name) { $0.hasSuffix(Self.suffix) })
  }

  /// Judges the file by the application ID in its header, which is certain.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let image = files.first?.image, SQLiteFiles.isDatabase(image) else {
      return Recognition(0, because: ["it has no SQLite header"])
    }
    guard SQLiteFiles.applicationID(of: image) == SQLiteSchema.applicationID else {
      return Recognition(1, because: ["it is an SQLite database, but not one written by kvfsck"])
    }
    return Recognition(100, because: ["its application id is that of kvfsck"])
  }
}
