import KVSystem
public import SystemPackage

/// An entry with a typed value, wherever it comes from: what is converted and compared.
public struct TypedEntry: Hashable, Sendable {
  /// The key.
  public let key: Key
  /// The value.
  public let value: Value
  /// When the entry expires, in seconds since 1970; 0 for never.
  public let expiry: UInt32
  /// Where it comes from.
  public let origin: EntryOrigin

  /// An entry.
  public init(
    key: Key, value: Value, expiry: UInt32 = 0, origin: EntryOrigin = EntryOrigin(.structure)
  ) {
    self.key = key
    self.value = value
    self.expiry = expiry
    self.origin = origin
  }

  /// The entry with another value.
  public func with(_ value: Value) -> TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin)
  }

  /// The entry without its time of expiry.
  public var withoutExpiry: TypedEntry { TypedEntry(key: key, value: value, origin: origin) }

  /// Whether key, value and expiry are the same, by their bits.
  public func hasSameContent(as other: TypedEntry) -> Bool {
    key == other.key && expiry == other.expiry && value.isSame(as: other.value)
  }
}

/// What is converted: entries, handed over one by one, and what is known of where they come from.
public struct EntrySource {
  /// Hands every entry to its argument, in order.
  public typealias Entries =
    (_ body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) -> Void
  /// Hands every record of the store's history to its argument, in file order.
  public typealias Records =
    (_ body: (HistoricRecord) throws(ConversionError) -> Void) throws(ConversionError) -> Void

  /// The name of the store.
  public let name: String
  /// The name of its format.
  public let formatName: String
  /// Its files.
  public let files: [StoreFile]
  /// What was found in them.
  public let findings: [Finding]
  /// Hands every entry to its argument.
  public let forEachEntry: Entries
  /// Hands every record of the history to its argument; nothing where the format has no history.
  public let forEachRecord: Records?

  /// A source.
  public init(
    name: String, formatName: String, files: [StoreFile] = [], findings: [Finding] = [],
    entries: @escaping Entries, records: Records? = nil
  ) {
    self.name = name
    self.formatName = formatName
    self.files = files
    self.findings = findings
    forEachEntry = entries
    forEachRecord = records
  }

  /// A source of these entries.
  public init(name: String, formatName: String, _ entries: [TypedEntry]) {
    self.init(name: name, formatName: formatName) {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      for entry in entries { try body(entry) }
    }
  }

  /// All entries in memory, for formats that are written as a whole.
  public func allEntries() throws(ConversionError) -> [TypedEntry] {
    var entries: [TypedEntry] = []
    try forEachEntry { (entry) throws(ConversionError) in entries.append(entry) }
    return entries
  }
}

/// What a file of a format without a log holds: its entries, and what is remarkable about it.
public struct EntryTable: Sendable {
  /// The format's name.
  public let formatName: String
  /// The files that were read, the one with the entries first.
  public let files: [StoreFile]
  /// The entries, in the order of the file; a key can be there twice only if the file has it twice.
  public let entries: [TypedEntry]
  /// What was found; damage where bytes could not be read.
  public let findings: [Finding]

  /// A table.
  public init(
    formatName: String, files: [StoreFile], entries: [TypedEntry], findings: [Finding]
  ) {
    self.formatName = formatName
    self.files = files
    self.entries = entries
    self.findings = findings
  }
}

/// A format without a log that typed entries are read from.
public protocol EntryReader: Sendable {
  /// The format's name, as `--format` takes it.
  static var name: String { get }

  /// Finds the files at `path` of `source`: one of them, or a folder that holds one store.
  ///
  /// - Throws: When there is nothing of the format there, or a file cannot be read; never because of
  ///   what is in the files.
  func discover(at path: FilePath, in source: any FileSource) throws(DiscoveryError) -> [StoreFile]

  /// How likely `files`, which ``discover(at:in:)`` found, are of this format.
  func recognition(of files: [StoreFile]) -> Recognition

  /// What the files hold; damage is no obstacle.
  func read(_ files: [StoreFile]) -> EntryTable
}

extension EntryReader {
  /// What `files` hold, with what is to be said of those that could not be read.
  public func table(_ files: [StoreFile]) -> EntryTable {
    let files = files.numbered
    let table = read(files)
    return EntryTable(
      formatName: table.formatName, files: table.files.read, entries: table.entries,
      findings: table.findings + files.unreadFindings)
  }
}
