package import SystemPackage

/// A format: how its stores are found, opened and written.
package protocol StoreFormat: Sendable {
  /// The type of the format's stores.
  associatedtype StoreType: Store

  /// The format's name, as `--format` takes it.
  static var name: String { get }

  /// What the format declares for people: its title, findings and evidence rules.
  static var declarations: FormatDeclarations { get }

  /// Finds the files of the store at `path` in `source`: the path is that of its data file, one of
  /// its side files, or a folder that holds one store.
  ///
  /// - Throws: When there is no store at `path` or more than one, or a file cannot be read; never
  ///   because of what the files contain.
  func discover(at path: FilePath, in source: any FileSource) throws(DiscoveryError) -> [StoreFile]

  /// Returns how likely it is that `files`, which ``discover(at:in:)`` found, are a store of this
  /// format, and the store if it had to be opened to tell.
  func recognize(_ files: [StoreFile]) -> Recognized<StoreType>

  /// Returns what a list of stores shows of the store with the data file `path`, if nothing about it
  /// needs a diagnosis; `nil` if it must be discovered and opened to tell.
  ///
  /// The result is that of a diagnosis, in less time.
  func intact(at path: FilePath, in source: any FileSource) -> IntactStore?

  /// Returns the store of these files, as found: no byte is changed, and damage does not prevent
  /// opening.
  func open(_ files: [StoreFile]) -> StoreType

  /// Returns the files of a new store with `contents` and the settings of `store`: version, page
  /// size, expiry.
  ///
  /// - Throws: When the format cannot hold the contents.
  func encode(
    _ contents: StoreContents, like store: StoreType, cipher: CipherChoice
  ) throws(EncodingError) -> [EncodedFile]
}

/// What a format of stores with a log declares for people, in addition to what holds for all logs.
package struct FormatDeclarations: Sendable {
  /// The format's name in prose.
  package let title: String
  /// The kinds of findings that only its stores have.
  package let findings: [FindingCode]
  /// The evidence rules that are applied to its stores only, in that order.
  package let rules: [any EvidenceRule.Type]

  /// Creates the declarations of a format.
  package init(
    title: String, findings: [FindingCode] = [], rules: [any EvidenceRule.Type] = []
  ) {
    self.title = title
    self.findings = findings
    self.rules = rules
  }
}

extension StoreFormat {
  /// The name only.
  package static var declarations: FormatDeclarations { FormatDeclarations(title: name) }

  /// Returns `nil`: every store is opened.
  package func intact(at path: FilePath, in source: any FileSource) -> IntactStore? { nil }
}

/// What a list of stores shows of a store that is intact: whose only state is verified by a checksum,
/// and is what the app will see.
package struct IntactStore: Sendable {
  /// The paths of its files, that of the data file first.
  package let paths: [FilePath]
  /// The number of entries.
  package let entryCount: Int
  /// The records that are not live.
  package let past: PastRecords
  /// The kinds of the findings, none of which is damage.
  package let codes: [FindingCode]

  /// Creates it from its parts.
  package init(
    at paths: [FilePath], entryCount: Int, past: PastRecords, codes: [FindingCode]
  ) {
    self.paths = paths
    self.entryCount = entryCount
    self.past = past
    self.codes = codes
  }
}

/// The result of recognizing files.
package struct Recognized<S: Store>: Sendable {
  /// How likely it is that they are a store of the format.
  package let recognition: Recognition
  /// The store, if it had to be opened to recognize it, so that it need not be opened again.
  package let store: S?

  /// Creates a result, with the store if it was opened.
  package init(_ recognition: Recognition, _ store: S? = nil) {
    self.recognition = recognition
    self.store = store
  }
}

/// A format in which apps identify a store by an id, from which the names of its files are derived.
package protocol IdentifiedStoreFormat: StoreFormat {
  /// Finds the files of the first existing store with one of `ids` below the folder `root` of
  /// `source`.
  ///
  /// - Throws: `.noSuchID` when there is no such store; otherwise the errors of
  ///   ``discover(at:in:)``.
  func discover(
    ids: [String], below root: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile]
}

/// Whether a store's records can be read with the key that was given.
package enum Access: Hashable, Sendable {
  /// The records can be read.
  case readable
  /// The records cannot be read.
  ///
  /// The reason, for people, says what was tried and what to do.
  case unreadable(code: FindingCode, reason: String)
}

/// How a new store is encrypted.
package enum CipherChoice: Hashable, Sendable {
  /// Like the old store: with its key, or not encrypted.
  case keep
  /// Not encrypted.
  case plain
  /// With a new key, for AES-256 or AES-128.
  case rekey([UInt8], isAES256: Bool)
}
