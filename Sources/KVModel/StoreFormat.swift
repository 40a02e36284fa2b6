package import SystemPackage

/// A format: how its stores are found, opened and written.
package protocol StoreFormat: Sendable {
  /// The stores of the format.
  associatedtype StoreType: Store

  /// The format's name, as `--format` takes it.
  static var name: String { get }

  /// Finds the files of the store at `path` of `source`: its data file, one of its side files, or a folder that
  /// holds one store.
  ///
  /// - Throws: When there is no store there or more than one, or a file cannot be read; never
  ///   because of what is in the files.
  func discover(at path: FilePath, in source: any FileSource) throws(DiscoveryError) -> [StoreFile]

  /// How likely `files`, which ``discover(at:in:)`` found, are a store of this format, and the store as
  /// far as it was opened to tell.
  func recognize(_ files: [StoreFile]) -> Recognized<StoreType>

  /// The store of these files, as found: no byte is changed, and damage is no obstacle.
  func open(_ files: [StoreFile]) -> StoreType

  /// The files of a new store with `contents`, which keeps the settings of `store`: version,
  /// page size, expiry.
  ///
  /// - Throws: When the contents cannot be written so.
  func encode(
    _ contents: StoreContents, like store: StoreType, cipher: CipherChoice
  ) throws(EncodingError) -> [EncodedFile]
}

extension StoreFormat {
  /// How likely `files`, which ``discover(at:in:)`` found, are a store of this format.
  package func recognition(of files: [StoreFile]) -> Recognition {
    recognize(files).recognition
  }
}

/// What a format makes of files.
package struct Recognized<S: Store>: Sendable {
  /// How likely they are a store of the format.
  package let recognition: Recognition
  /// The store, where it had to be opened to tell: so that no byte is verified twice.
  package let store: S?

  /// An answer for which `store` was opened.
  package init(_ recognition: Recognition, _ store: S? = nil) {
    self.recognition = recognition
    self.store = store
  }
}

/// A format whose apps know a store by an id, from which the names of its files are made.
package protocol IdentifiedStoreFormat: StoreFormat {
  /// Finds the files of the store with one of `ids` below the folder `root` of `source`; the first that
  /// is there.
  ///
  /// - Throws: `.noSuchID` when there is none; as ``discover(at:in:)``.
  func discover(
    ids: [String], below root: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile]
}

/// Whether a store's records can be read with the key that was given.
package enum Access: Hashable, Sendable {
  /// They can; `note` says what had to be assumed, if anything.
  case readable
  /// They cannot; the reason, for people, says what was tried and what to do.
  case unreadable(code: FindingCode, reason: String)
}

/// How a new store is encrypted.
package enum CipherChoice: Hashable, Sendable {
  /// As the old one: under its key, or not at all.
  case keep
  /// Not at all.
  case plain
  /// Under another key, for AES-256 or AES-128.
  case rekey([UInt8], isAES256: Bool)
}
