import KVInput
package import KVModel
package import SystemPackage

/// A format as damage operators and scores need it: its name, how to open its stores, and the parts
/// that operators can act on.
///
/// Damaging a store and scoring its repair do not need a simulator. See ``SimulatedFormat``.
package struct FixtureFormat: Sendable {
  /// A part of a store that not every format has.
  package enum Part: Hashable, Sendable, CaseIterable {
    /// Bytes between a record's key and its value, such as the value's length.
    case valueLength
    /// Bytes after a record's value, such as the record's checksum.
    case recordTail
    /// A stored checksum of the whole log.
    case logDigest
    /// A stored initialization vector.
    case vector
    /// Header fields other than the log's size and checksum.
    case otherFields
    /// A side file or a second copy of the log.
    case sideFile
    /// Files that hold one value each.
    case valueFile
    /// Several copies of the log.
    case copies
  }

  /// The name of the format in answer keys and corpora.
  package let name: String
  /// The parts that stores of the format have.
  let parts: Set<Part>
  private let make: @Sendable (StoreKey?, UInt32) -> any StoreFormat

  /// Creates a format whose stores `make` opens, given a key and the current time in seconds since
  /// 1970.
  ///
  /// `parts` may list too many parts, but not too few: an operator that finds nothing to act on
  /// changes nothing.
  package init(
    _ name: String, parts: Set<Part> = Set(Part.allCases),
    _ make: @escaping @Sendable (StoreKey?, UInt32) -> any StoreFormat
  ) {
    self.name = name
    self.parts = parts
    self.make = make
  }

  /// Returns the store format that opens the stores.
  package func storeFormat(key: StoreKey?, now: UInt32) -> any StoreFormat { make(key, now) }

  /// Returns the files of the store at `path`.
  ///
  /// - Throws: ``DiscoveryError`` if there is no store or more than one, or a file cannot be read.
  package func storeFiles(at path: FilePath) throws(DiscoveryError) -> [StoreFile] {
    try storeFormat(key: nil, now: 0).discover(at: path)
  }
}
