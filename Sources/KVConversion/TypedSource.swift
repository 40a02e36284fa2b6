package import KVModel
import KVSystem
package import SystemPackage

/// A store whose values have types, ready to be converted.
package struct TypedSource {
  /// Hands every entry, with what its type costs, to its argument, in order.
  package typealias Entries =
    (_ body: (TypedEntry, [Loss]) throws(ConversionError) -> Void) throws(ConversionError) -> Void

  /// The name of the store.
  package let name: String
  /// The name of its format.
  package let formatName: String
  /// The data file of each store that the entries are of; more than one if several were merged.
  package let stores: [FilePath]
  /// Its files.
  package let files: [StoreFile]
  /// What was found in them.
  package let findings: [StoreFinding]
  /// Entries that are there and not converted.
  package let omitted: [ConversionNote]
  /// Whether the format says what types values have.
  package let storesTypes: Bool
  /// How many entries there are.
  package let count: Int
  /// Hands every entry to its argument.
  package let forEachEntry: Entries
  /// Hands every record of the history to its argument; `nil` where the format has no history.
  package let forEachRecord: EntrySource.Records?
  /// What the values were taken for, for a person to correct.
  package let types: () -> [TypeSchema.Rule]

  init(
    name: String, formatName: String, stores: [FilePath]? = nil, files: [StoreFile],
    findings: [StoreFinding], omitted: [ConversionNote] = [], storesTypes: Bool = true, count: Int,
    entries: @escaping Entries,
    records: EntrySource.Records? = nil, types: @escaping () -> [TypeSchema.Rule]
  ) {
    self.name = name
    self.formatName = formatName
    self.stores = stores ?? files.prefix(1).map(\.path)
    self.files = files
    self.findings = findings
    self.omitted = omitted
    self.storesTypes = storesTypes
    self.count = count
    forEachEntry = entries
    forEachRecord = records
    self.types = types
  }

  /// The entries of a format without a log; of a key that is there twice, the last.
  package init(_ table: EntryTable) {
    var last: [Key: Int] = [:]
    for (index, entry) in table.entries.enumerated() { last[entry.key] = index }
    let entries = table.entries.enumerated().filter { last[$0.element.key] == $0.offset }
      .map(\.element)
    self.init(
      name: table.files.first?.path.lastComponent?.string ?? "store", formatName: table.formatName,
      files: table.files,
      findings: table.findings.map { StoreFinding($0, in: table.files) },
      count: entries.count,
      entries: TypedSource.list(entries.map { ($0, []) }),
      types: {
        entries.map { TypeSchema.Rule(.key($0.key), $0.value.kind) }
      })
  }

  /// What hands over these entries.
  static func list(_ entries: [(TypedEntry, [Loss])]) -> Entries {
    {
      (body: (TypedEntry, [Loss]) throws(ConversionError) -> Void) throws(ConversionError) in
      for (entry, losses) in entries { try body(entry, losses) }
    }
  }
}
