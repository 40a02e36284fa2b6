package import KVSystem
package import SystemPackage

/// An entry with a typed value from any source, to be converted or compared.
package struct TypedEntry: Hashable, Sendable {
  /// The key.
  package let key: Key
  /// The value.
  package let value: Value
  /// When the entry expires, in seconds since 1970; 0 for never.
  package let expiry: UInt32
  /// The entry's origin.
  package let origin: EntryOrigin

  /// Creates an entry.
  package init(
    key: Key, value: Value, expiry: UInt32 = 0, origin: EntryOrigin = EntryOrigin(.structure)
  ) {
    self.key = key
    self.value = value
    self.expiry = expiry
    self.origin = origin
  }

  /// Returns the same entry with another value.
  package func with(_ value: Value) -> TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin)
  }

  /// The same entry without its expiry time.
  var withoutExpiry: TypedEntry { TypedEntry(key: key, value: value, origin: origin) }

  /// The same entry with the caution that it may be damaged.
  package var doubted: TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin.doubted)
  }

  /// Returns the same entry, marked as coming from `store`, one of several.
  package func within(_ store: FilePath?) -> TypedEntry {
    TypedEntry(key: key, value: value, expiry: expiry, origin: origin.within(store))
  }

  /// Returns the same entry with `caution`, because damage is in it or next to it.
  package func cautioned(_ caution: Caution = .mayBeDamaged) -> TypedEntry {
    guard !origin.cautions.contains(caution) else { return self }
    return TypedEntry(
      key: key, value: value, expiry: expiry,
      origin: EntryOrigin(
        origin.evidence, cautions: origin.cautions + [caution], at: origin.place, raw: origin.raw,
        in: origin.store))
  }

  /// Returns whether the keys, values and expiry times are identical, bit by bit.
  package func hasSameContent(as other: TypedEntry) -> Bool {
    key == other.key && expiry == other.expiry && value.isSame(as: other.value)
  }
}

/// A finding and the store that it belongs to.
package struct StoreFinding: Hashable, Sendable {
  /// What was found.
  package let finding: Finding
  /// The data file of the store, if known.
  package let store: FilePath?
  /// The bytes that show the finding; `nil` if no bytes do.
  package let place: Place?

  /// Creates a finding about the store with `files`.
  package init(_ finding: Finding, in files: [StoreFile]) {
    self.finding = finding
    store = files.first?.path
    place = finding.extent.map { files.roleNames.place($0) }
  }
}

/// The source of a conversion: entries, passed on one by one, and what is known about their origin.
package struct EntrySource {
  /// Passes every entry to its argument, in order.
  package typealias Entries =
    (_ body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) -> Void
  /// Passes every record of the store's history to its argument, in file order.
  package typealias Records =
    (_ body: (HistoricRecord) throws(ConversionError) -> Void) throws(ConversionError) -> Void

  /// The name of the store.
  package let name: String
  /// The name of its format.
  package let formatName: String
  /// The data files of the stores that the entries come from, if known; more than one if stores
  /// were merged.
  package let stores: [FilePath]
  /// The files of the store.
  package let files: [StoreFile]
  /// The findings about the files.
  package let findings: [StoreFinding]
  /// Passes every entry to its argument.
  package let forEachEntry: Entries
  /// Passes every record of the history to its argument; `nil` if the format has no history.
  package let forEachRecord: Records?

  /// Creates a source.
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

  /// Creates a source with these entries.
  package init(name: String, formatName: String, _ entries: [TypedEntry]) {
    self.init(name: name, formatName: formatName) {
      (body: (TypedEntry) throws(ConversionError) -> Void) throws(ConversionError) in
      for entry in entries { try body(entry) }
    }
  }

  /// Returns all entries as an array, for formats that are written as a whole.
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
  /// The entries, in the order of the file; a key occurs twice only if it does so in the file.
  ///
  /// The last ``strayCount`` of them are not in the index of the store, so the app does not see
  /// them.
  package let entries: [TypedEntry]
  /// The number of entries at the end that only their files show, such as values without an index.
  ///
  /// A key that is unknown is replaced by the name of the file.
  package let strayCount: Int
  /// What the files beside the main one contain, if they are other versions of it.
  package let versions: [EntryVersion]
  /// Looks for entries that the format no longer has, which takes as long as reading the files;
  /// `nil` if its files keep none.
  package let past: (@Sendable () -> [PastRecord])?
  /// The findings; they include damage if bytes could not be read.
  package let findings: [Finding]
  /// Whether the app's library cannot parse the file, and so has none of its entries.
  package let isRefused: Bool
  /// What the app's library does with the files at the app's next launch, one for each premise; empty
  /// if that is not known.
  package let loads: [LibraryLoad]
  /// The reason why nothing was read, if it is not in the files; entries and findings then say
  /// nothing about them.
  package let obstacle: FileError?

  /// Creates a table.
  package init(
    formatName: String, files: [StoreFile], entries: [TypedEntry], findings: [Finding],
    strayCount: Int = 0, versions: [EntryVersion] = [],
    past: (@Sendable () -> [PastRecord])? = nil, isRefused: Bool = false,
    loads: [LibraryLoad] = [], obstacle: FileError? = nil
  ) {
    self.past = past
    self.formatName = formatName
    self.files = files
    self.entries = entries
    self.strayCount = strayCount
    self.versions = versions
    self.findings = findings
    self.isRefused = isRefused
    self.loads = loads
    self.obstacle = obstacle
  }
}

extension EntryTable {
  /// The number of entries that the app sees, apart from those that only their files show.
  package var indexedCount: Int { entries.count - strayCount }

  /// The number of entries that can be recovered beyond those that the app sees: values without an
  /// index, and what another version has.
  package var recoverableCount: Int {
    strayCount + (versions.map { $0.entries.count(notIn: entries) }.max() ?? 0)
  }

  /// Returns the table without the entries that have expired at `now`, in seconds since 1970.
  package func withoutEntries(expiredAt now: UInt32) -> EntryTable {
    let isKept = entries.map { $0.expiry == 0 || $0.expiry > now }
    return EntryTable(
      formatName: formatName, files: files, entries: zip(entries, isKept).filter(\.1).map(\.0),
      findings: findings, strayCount: isKept[indexedCount...].count { $0 }, versions: versions,
      past: past, isRefused: isRefused, loads: loads, obstacle: obstacle)
  }

  /// Whether nothing is damaged, but the index of the store is empty and values are still there.
  package var isEmptied: Bool { verdict == .clean && indexedCount == 0 && strayCount > 0 }

  /// The number of entries of the newest version that the app will not have after its next launch;
  /// `nil` if that is not known.
  package var lostCount: Int? { loads.first.map { newest.count(notIn: $0.entries) } }
}

extension [TypedEntry] {
  /// Returns the number of entries that `others` do not have, or have with another value.
  package func count(notIn others: [TypedEntry]) -> Int { entries(notIn: others).count }

  /// Returns the entries that `others` do not have, or have with another value.
  package func entries(notIn others: [TypedEntry]) -> [TypedEntry] {
    var known: [Key: TypedEntry] = [:]
    for entry in others { known[entry.key] = entry }
    return filter { !(known[$0.key]?.hasSameContent(as: $0) ?? false) }
  }
}

/// The entries of a file beside the main one that is another version of it: what was being written
/// when the app was stopped, or what was there before.
package struct EntryVersion: Sendable {
  /// What the app does with the file at its next launch.
  package enum Fate: Sendable {
    /// It is loaded, and replaces the main file.
    case restored
    /// It is loaded: it is the main file.
    case loaded
    /// It is deleted.
    case discarded
    /// It is neither read nor deleted.
    case ignored
  }

  /// The name of the version: `current` if the app loads it, otherwise `newer`.
  package var name: String { fate == .loaded || fate == .restored ? "current" : "newer" }
  /// The path of the file.
  package let path: FilePath
  /// The entries.
  package let entries: [TypedEntry]
  /// Whether the file has no damage.
  package let isWhole: Bool
  /// What the app does with the file at its next launch.
  package let fate: Fate
  /// Whether the file can be read on its own, unlike a log.
  package let isReadable: Bool

  /// Creates a version.
  package init(
    at path: FilePath, _ entries: [TypedEntry], isWhole: Bool, isReadable: Bool = true, _ fate: Fate
  ) {
    self.isReadable = isReadable
    self.path = path
    self.entries = entries
    self.isWhole = isWhole
    self.fate = fate
  }

  /// Returns the same version, with each entry replaced.
  package func map(_ replacement: (TypedEntry) -> TypedEntry) -> EntryVersion {
    EntryVersion(
      at: path, entries.map(replacement), isWhole: isWhole, isReadable: isReadable, fate)
  }
}

/// A format without a log from which typed entries can be read.
package protocol EntryReader: Sendable {
  /// The format's name, as `--format` takes it.
  static var name: String { get }
  /// The names of the format's own roles.
  static var roleNames: [FileRole: String] { get }
  /// The kinds of findings that files of the format have.
  static var findings: [FindingCode] { get }
  /// Whether the format is an ``EntryRestorer``.
  static var isRestorable: Bool { get }

  /// Finds the files at `path` of `source`: one of them, or a folder that holds one store.
  ///
  /// - Throws: When nothing at `path` has the format, or a file cannot be read; never because of
  ///   what the files contain.
  func discover(at path: FilePath, in source: any FileSource) throws(DiscoveryError) -> [StoreFile]

  /// Returns whether a file at `location` is one that an app keeps in this format, whatever its
  /// bytes: damage does not change what it is.
  static func keepsFile(at location: FileLocation) -> Bool

  /// Returns how likely it is that `files`, which ``discover(at:in:)`` found, are of this format, by
  /// what they contain and their own names.
  func recognition(of files: [StoreFile]) -> Recognition

  /// Returns the entries of the files, even if they are damaged, and the findings about them.
  func read(_ files: [StoreFile]) -> EntryTable

  /// Returns what the app's library does with the files of `table` if it cannot parse them, one for
  /// each premise; `nil` if nothing is known about the library.
  static func refusals(of table: EntryTable) -> [LibraryRefusal]?
}

extension EntryReader {
  /// An empty dictionary: the format has no roles of its own.
  package static var roleNames: [FileRole: String] { [:] }

  /// `false`: files of the format are only read.
  package static var isRestorable: Bool { false }

  /// An empty array: the format has no findings of its own.
  package static var findings: [FindingCode] { [] }

  /// Returns `nil`: no library is known that reads the format at the launch of an app.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? { nil }

  /// Returns `false`: only its content shows that a file has the format.
  package static func keepsFile(at location: FileLocation) -> Bool { false }

  /// Returns what the app's library does with `files`, of which `table` was read.
  ///
  /// The library finds the files as they are, even if a change by a copy was undone to read them.
  private func loads(of table: EntryTable, _ files: [StoreFile]) -> [LibraryLoad] {
    let found = files.areUndone ? read(files.map(\.asFound)) : table
    return Self.refusals(of: found).map(found.loads) ?? []
  }

  /// Returns the entries of `files`, with findings about the files that could not be read.
  ///
  /// - Throws: `.file` with the obstacle, if there was one.
  package func table(_ files: [StoreFile]) throws(DiscoveryError) -> EntryTable {
    let files = files.numbered(as: Self.roleNames)
    let table = read(files)
    if let obstacle = table.obstacle { throw .file(obstacle) }
    let isDamaged = table.findings.contains { $0.severity == .damage }
    let copyFindings =
      files.undoneFindings(because: "all of it can be read")
      + (isDamaged ? files.suspectedCopyFindings(mixedCount: nil) : [])
    return EntryTable(
      formatName: table.formatName, files: table.files.read, entries: table.entries,
      findings: table.findings + files.unreadFindings + files.flawFindings + copyFindings,
      strayCount: table.strayCount, versions: table.versions, past: table.past,
      isRefused: table.isRefused, loads: loads(of: table, files))
  }
}
