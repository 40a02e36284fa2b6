import ExchangeFormats
import FastKVFormat
package import KVModel
import MMKVFormat

/// The known formats.
///
/// To add a format, add one line to ``standard``; everything else is derived from it.
package struct FormatCatalog: Sendable {
  /// A format with its name and its capabilities.
  package struct Entry: Sendable {
    /// The name, as `--format` and `--to` take it.
    package let name: String
    /// The variants in which the format can be written.
    package fileprivate(set) var variants: FormatVariants
    /// Makes the format of stores with a log; `nil` for a format without one.
    private let store: (@Sendable (FormatOptions) -> any StoreFormat)?
    /// Makes the reader of entries from files without a log, if the options have what it needs;
    /// `nil` for a format that is not read in this way.
    fileprivate let reader: (@Sendable (FormatOptions) -> (any EntryReader)?)?
    /// Makes the encoder of entries; `nil` for a format that is only read.
    package let encoder: (@Sendable (FormatOptions) -> any EntryEncoder)?
    /// What the format declares for people; `nil` for one that is only written.
    let declarations: FormatDeclarations?

    /// Where a scan finds files of a format without a log.
    package enum Finding: Sendable {
      /// Nowhere: many files merely have the form of one, such as any JSON document.
      case never
      /// Where apps keep such files, because there are many others.
      case whereKept
      /// Anywhere.
      case always
    }
    fileprivate var finding = Finding.never
    /// Returns whether an app keeps a file of the format at a location.
    fileprivate var keepsFile: @Sendable (FileLocation) -> Bool = { _ in false }

    /// Returns the same format, whose files a scan finds.
    package func found(_ finding: Finding = .always) -> Entry {
      var entry = self
      entry.finding = finding
      return entry
    }

    /// Makes what finds stores of the format in sources such as disk images, and what is known to it
    /// leads to; `nil` if nothing does.
    package fileprivate(set) var carver: (@Sendable (CarvingKnowledge) -> any StoreCarver)?

    /// Returns the same format, whose stores `carver` finds in sources such as disk images.
    package func carved(
      by carver: @escaping @Sendable (CarvingKnowledge) -> any StoreCarver
    ) -> Entry {
      var entry = self
      entry.carver = carver
      return entry
    }

    /// Whether a key can be given for a store of the format.
    package private(set) var takesKeys = false

    /// Returns the same format, whose stores can be encrypted under a key that is given.
    func opened(withKeys takesKeys: Bool) -> Entry {
      var entry = self
      entry.takesKeys = takesKeys
      return entry
    }

    /// Whether a repair writes files of the format, which has no log, anew.
    package fileprivate(set) var isRestorable = false
    /// Whether stores of the format have a log of records.
    package var hasLog: Bool { store != nil }
    /// Whether files of the format can be read.
    package var isReadable: Bool { store != nil || reader != nil }
    /// Whether the format can be written.
    package var isWritable: Bool { encoder != nil }

    /// Returns the format of stores with a log, made with `options`.
    ///
    /// - Precondition: ``hasLog``.
    package func storeFormat(_ options: FormatOptions) -> any StoreFormat {
      guard let store else { preconditionFailure("\(name) has no log") }
      return store(options)
    }

    /// Creates the entry of a format of stores with a log.
    package static func log<F: StoreFormat>(
      _ format: @escaping @Sendable (FormatOptions) -> F
    ) -> Entry {
      Entry(
        name: F.name, variants: [], store: format, reader: nil, encoder: nil,
        declarations: F.declarations)
    }

    /// Creates the entry of a format of stores with a log, to which other formats can also be
    /// converted.
    package static func log<F: StoreEncoder>(
      _ format: @escaping @Sendable (FormatOptions) -> F
    ) -> Entry {
      Entry(
        name: F.name, variants: [], store: format, reader: nil, encoder: format,
        declarations: F.declarations)
    }

    /// Returns the same format, which can be written in these variants too.
    func written(in variants: FormatVariants) -> Entry {
      var entry = self
      entry.variants.formUnion(variants)
      return entry
    }

    /// Creates the entry of a format of files without a log, which can be read and written.
    static func table<F: EntryReader & EntryWriter>(
      _ variants: FormatVariants = [], format: @escaping @Sendable (FormatOptions) -> F
    ) -> Entry {
      var entry = Entry(
        name: F.name, variants: variants, store: nil, reader: format, encoder: format,
        declarations: FormatDeclarations(title: F.name, findings: F.findings))
      entry.keepsFile = F.keepsFile
      entry.isRestorable = F.isRestorable
      return entry
    }

    /// Creates the entry of a format that is only read, if the options have what it needs.
    package static func reader<F: EntryReader>(
      _ format: @escaping @Sendable (FormatOptions) -> F?
    ) -> Entry {
      var entry = Entry(
        name: F.name, variants: [], store: nil, reader: format, encoder: nil,
        declarations: FormatDeclarations(title: F.name, findings: F.findings))
      entry.keepsFile = F.keepsFile
      entry.isRestorable = F.isRestorable
      return entry
    }

    /// Creates the entry of a format that is only written.
    static func encoder<F: EntryWriter>(
      _ format: @escaping @Sendable (FormatOptions) -> F
    ) -> Entry {
      Entry(
        name: F.name, variants: [], store: nil, reader: nil, encoder: format, declarations: nil)
    }
  }

  /// The formats of kvfsck.
  package static let standard = FormatCatalog([
    .log {
      MMKVFormat(keys: $0.keys, isAES256: $0.isAES256, now: $0.now, candidateIDs: $0.ids)
    }.written(in: .encrypted).opened(withKeys: true).carved { MMKVCarver($0) },
    .log { AppleFastKVFormat(pointerWidth: $0.pointerWidth) }.carved { AppleFastKVCarver($0) },
    .log { AndroidFastKVFormat(keys: $0.keys) }.opened(withKeys: true)
      .carved { AndroidFastKVCarver($0) },
    .table(.plainJSON) { JSONFormat(isPlain: $0.variants.contains(.plainJSON)) },
    .table { _ in JSONLinesFormat() },
    .table(.xml) { PropertyListFormat(isXML: $0.variants.contains(.xml)) }
      .found(.whereKept),
    .table { _ in SharedPreferencesFormat() }.found(),
    .table { _ in DataStoreFormat() }.found(),
    .table { _ in SQLiteFormat() },
    .reader { $0.table },
    .reader { AsyncStorageReader(candidateKeys: $0.candidateKeys) }.found(),
    .table { YYCacheFormat(candidateKeys: $0.candidateKeys, time: Int64($0.now)) }.found(),
    .reader { WCDBReader(reading: $0.table) },
    .encoder { _ in CSVFormat() },
    .encoder { _ in TSVFormat() },
  ])

  /// The formats, in the order in which they are listed.
  package let entries: [Entry]

  /// Creates a catalog of `entries`.
  ///
  /// - Precondition: No two have the same name.
  package init(_ entries: [Entry]) {
    precondition(Set(entries.map(\.name)).count == entries.count)
    self.entries = entries
  }

  /// The format called `name`; `nil` if there is none.
  package subscript(name: String) -> Entry? { entries.first { $0.name == name } }

  /// Returns the formats with a log; only the one called `name`, if a name is given.
  package func stores(_ options: FormatOptions, named name: String? = nil) -> [any StoreFormat] {
    entries.compactMap { entry in
      entry.hasLog && (name == nil || entry.name == name) ? entry.storeFormat(options) : nil
    }
  }

  /// Returns the formats without a log that a file at `location`, which the user did not name, may
  /// have.
  func readers(
    _ options: FormatOptions, foundAt location: FileLocation
  ) -> [any EntryReader] {
    entries.compactMap { entry in
      switch entry.finding {
      case .always: entry.reader?(options)
      case .whereKept: entry.keepsFile(location) ? entry.reader?(options) : nil
      case .never: nil
      }
    }
  }

  /// Returns whether an app keeps a file at `location` in a format that a scan finds.
  func keepsFile(at location: FileLocation) -> Bool {
    entries.contains { $0.finding != .never && $0.keepsFile(location) }
  }

  /// Returns the formats without a log for which the options have what they need; only the one
  /// called `name`, if a name is given.
  package func readers(_ options: FormatOptions, named name: String? = nil) -> [any EntryReader] {
    entries.compactMap { entry in
      name == nil || entry.name == name ? entry.reader?(options) : nil
    }
  }
}
