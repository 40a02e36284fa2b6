import KVSystem
package import SystemPackage

/// An entry with a typed value, wherever it comes from, to be converted or compared.
package struct TypedEntry: Hashable, Sendable {
  /// The key.
  package let key: Key
  /// The value.
  package let value: Value
  /// When the entry expires, in seconds since 1970; 0 for never.
  package let expiry: UInt32
  /// Where it comes from.
  package let origin: EntryOrigin

  /// An entry.
  package init(
    key: Key, value: Value, expiry: UInt32 = 0, origin: EntryOrigin = EntryOrigin(.structure)
  ) {
    self.key = key
    self.value = value
    self.expiry = expiry
    self.origin = origin
  }

  /// Returns the entry with another value.
  package func with(_ value: Value) -> TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin)
  }

  /// The entry without its expiry time.
  package var withoutExpiry: TypedEntry { TypedEntry(key: key, value: value, origin: origin) }

  /// Returns the same entry, marked as coming from `store`, one of several.
  package func within(_ store: FilePath?) -> TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin.within(store))
  }

  /// Returns whether key, value and expiry are the same, bit by bit.
  package func hasSameContent(as other: TypedEntry) -> Bool {
    key == other.key && expiry == other.expiry && value.isSame(as: other.value)
  }
}

/// A finding, and the store that it belongs to.
package struct StoreFinding: Hashable, Sendable {
  /// What was found.
  package let finding: Finding
  /// The data file of the store, if known.
  package let store: FilePath?
  /// The bytes that show it; `nil` if no bytes do.
  package let place: Place?

  /// A finding of the store with `files`.
  package init(_ finding: Finding, in files: [StoreFile]) {
    self.finding = finding
    store = files.first?.path
    place = finding.extent.map { files.roleNames.place($0) }
  }
}

/// The source of a conversion: entries, handed over one by one, and what is known about their
/// origin.
package struct EntrySource {
  /// Hands every entry to its argument, in order.
  package typealias Entries =
    (_ body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) -> Void
  /// Hands every record of the store's history to its argument, in file order.
  package typealias Records =
    (_ body: (HistoricRecord) throws(ConversionError) -> Void) throws(ConversionError) -> Void

  /// The name of the store.
  package let name: String
  /// The name of its format.
  package let formatName: String
  /// The data files of the stores that the entries come from, if known; more than one if several
  /// stores were merged.
  package let stores: [FilePath]
  /// Its files.
  package let files: [StoreFile]
  /// What was found in them.
  package let findings: [StoreFinding]
  /// Hands every entry to its argument.
  package let forEachEntry: Entries
  /// Hands every record of the history to its argument; `nil` if the format has no history.
  package let forEachRecord: Records?

  /// A source.
  package init(
    name: String, formatName: String, stores: [FilePath] = [], files: [StoreFile] = [],
    findings: [StoreFinding] = [], entries: @escaping Entries, records: Records? = nil
  ) {
    self.name = name
    self.formatName = formatName
    self.stores = stores
    self.files = files
    self.findings = findings
    forEachEntry = entries
    forEachRecord = records
  }

  /// A source of these entries.
  package init(name: String, formatName: String, _ entries: [TypedEntry]) {
    self.init(name: name, formatName: formatName) {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      for entry in entries { try body(entry) }
    }
  }

  /// Returns all entries in memory, for formats that are written as a whole.
  package func allEntries() throws(ConversionError) -> [TypedEntry] {
    var entries: [TypedEntry] = []
    try forEachEntry { (entry) throws(ConversionError) in entries.append(entry) }
    return entries
  }
}

/// The content of a file of a format without a log: its entries, and the findings about it.
package struct EntryTable: Sendable {
  /// The format's name.
  package let formatName: String
  /// The files that were read, the one with the entries first.
  package let files: [StoreFile]
  /// The entries, in the order of the file; a key occurs twice only if it does in the file.
  package let entries: [TypedEntry]
  /// The findings; damage if bytes could not be read.
  package let findings: [Finding]

  /// A table.
  package init(
    formatName: String, files: [StoreFile], entries: [TypedEntry], findings: [Finding]
  ) {
    self.formatName = formatName
    self.files = files
    self.entries = entries
    self.findings = findings
  }
}

/// A format without a log, from which typed entries are read.
package protocol EntryReader: Sendable {
  /// The format's name, as `--format` takes it.
  static var name: String { get }
  /// The names of the format's own roles.
  static var roleNames: [FileRole: String] { get }

  /// Finds the files at `path` of `source`: one of them, or a folder that holds one store.
  ///
  /// - Throws: When there is nothing of the format there, or a file cannot be read; never because of
  ///   what is in the files.
  func discover(at path: FilePath, in source: any FileSource) throws(DiscoveryError) -> [StoreFile]

  /// Returns how likely it is that `files`, which ``discover(at:in:)`` found, are of this format.
  func recognition(of files: [StoreFile]) -> Recognition

  /// Returns what the files hold, even if they are damaged.
  func read(_ files: [StoreFile]) -> EntryTable
}

extension EntryReader {
  /// The names of the format's own roles: it has none.
  package static var roleNames: [FileRole: String] { [:] }

  /// Returns what `files` hold, with findings about those that could not be read.
  package func table(_ files: [StoreFile]) -> EntryTable {
    let files = files.numbered(as: Self.roleNames)
    let table = read(files)
    return EntryTable(
      formatName: table.formatName, files: table.files.read, entries: table.entries,
      findings: table.findings + files.unreadFindings + files.flawFindings)
  }
}
