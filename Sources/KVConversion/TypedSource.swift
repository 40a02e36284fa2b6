package import KVModel
import KVSystem
package import SystemPackage

/// The entries of a store with typed values, ready to be converted.
package struct TypedSource {
  /// Passes every entry, with the losses of typing it, to its argument, in order.
  package typealias Entries =
    (_ body: (TypedEntry, [Loss]) throws(ConversionError) -> Void) throws(ConversionError) -> Void

  /// The name of the store.
  package let name: FilePath
  /// The name of its format.
  let formatName: String
  /// The data file of each store that the entries come from; more than one if several stores were
  /// merged.
  package let stores: [FilePath]
  /// The store's files.
  package let files: [StoreFile]
  /// The findings about the files.
  package let findings: [StoreFinding]
  /// Notes about the entries that were found but are not converted.
  let omitted: [ConversionNote]
  /// Whether the format stores the types of values.
  package let storesTypes: Bool
  /// The number of entries.
  package let count: Int
  /// Passes every entry to its argument.
  package let forEachEntry: Entries
  /// Passes every record of the history to its argument; `nil` if the format has no history.
  let forEachRecord: EntrySource.Records?
  /// Returns a rule with the chosen type for each entry, so that the user can correct it.
  package let types: () -> [TypeSchema.Rule]

  init(
    name: FilePath, formatName: String, stores: [FilePath]? = nil, files: [StoreFile],
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

  /// Creates a source of the entries of a format without a log.
  ///
  /// If a key occurs more than once, its last entry is used.
  package init(_ table: EntryTable) {
    var last: [Key: Int] = [:]
    for (index, entry) in table.entries.enumerated() { last[entry.key] = index }
    let entries = table.entries.enumerated().filter { last[$0.element.key] == $0.offset }
      .map(\.element)
    self.init(
      name: table.files.first?.path.nameOfCopy ?? "store", formatName: table.formatName,
      files: table.files,
      findings: table.findings.map { StoreFinding($0, in: table.files) },
      count: entries.count,
      entries: TypedSource.list(entries.map { ($0, []) }),
      records: table.past.map(TypedSource.list),
      types: {
        entries.map { TypeSchema.Rule(.key($0.key), $0.value.kind) }
      })
  }

  /// Returns a function that passes what `past` finds to its argument.
  private static func list(
    _ past: @escaping @Sendable () -> [PastRecord]
  ) -> EntrySource.Records {
    {
      (body: (HistoricRecord) throws(ConversionError) -> Void) throws(ConversionError) in
      for record in past() { try body(record.historic) }
    }
  }

  /// Returns a function that passes `entries` to its argument.
  static func list(_ entries: [(TypedEntry, [Loss])]) -> Entries {
    {
      (body: (TypedEntry, [Loss]) throws(ConversionError) -> Void) throws(ConversionError) in
      for (entry, losses) in entries { try body(entry, losses) }
    }
  }
}
