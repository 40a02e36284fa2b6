public import KVModel
import KVSystem
import SystemPackage

/// A store whose values have types, ready to be converted.
public struct TypedSource {
  /// Hands every entry, with what its type costs, to its argument, in order.
  public typealias Entries =
    (_ body: (TypedEntry, [Loss]) throws(ConversionError) -> Void) throws(ConversionError) -> Void

  /// The name of the store.
  public let name: String
  /// The name of its format.
  public let formatName: String
  /// Its files.
  public let files: [StoreFile]
  /// What was found in them.
  public let findings: [Finding]
  /// Entries that are there and not converted.
  public let omitted: [ConversionNote]
  /// Whether the format says what types values have.
  public let storesTypes: Bool
  /// How many entries there are.
  public let count: Int
  /// Hands every entry to its argument.
  public let forEachEntry: Entries
  /// Hands every record of the history to its argument; nothing where the format has no history.
  public let forEachRecord: EntrySource.Records?
  /// What the values were taken for, for a person to correct.
  public let types: () -> [TypeSchema.Rule]

  init(
    name: String, formatName: String, files: [StoreFile], findings: [Finding],
    omitted: [ConversionNote] = [], storesTypes: Bool = true, count: Int,
    entries: @escaping Entries,
    records: EntrySource.Records? = nil, types: @escaping () -> [TypeSchema.Rule]
  ) {
    self.name = name
    self.formatName = formatName
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
  public init(_ table: EntryTable) {
    var last: [Key: Int] = [:]
    for (index, entry) in table.entries.enumerated() { last[entry.key] = index }
    let entries = table.entries.enumerated().filter { last[$0.element.key] == $0.offset }
      .map(\.element)
    self.init(
      name: table.files.first?.path.lastComponent?.string ?? "store", formatName: table.formatName,
      files: table.files, findings: table.findings, count: entries.count,
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
