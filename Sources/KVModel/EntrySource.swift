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
