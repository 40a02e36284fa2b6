import KVInput
package import KVModel
package import SystemPackage

/// A format with a log as damage and scores need it: its name, how its stores are opened, and which
/// parts they have that an operator can act on.
///
/// No simulator is needed to damage a store or to score its repair; see ``SimulatedFormat``.
package struct FixtureFormat: Sendable {
  /// A part of a store that not every format has.
  package enum Part: Hashable, Sendable, CaseIterable {
    /// Bytes between a record's key and its value, such as the value's length.
    case valueLength
    /// Bytes after a record's value, such as the record's checksum.
    case recordTail
    /// A stored checksum over the whole log.
    case logDigest
    /// A stored vector of the cipher.
    case vector
    /// Header fields other than the log's size and checksum.
    case otherFields
    /// A side file, or a second copy of the log.
    case sideFile
    /// Files that hold one value each.
    case valueFile
    /// Several copies of the log.
    case copies
  }

  /// The format's name, as answer keys and corpora give it.
  package let name: String
  /// The parts that stores of the format have.
  package let parts: Set<Part>
  /// How many bytes a block of the log's cipher has that depends on the block before it; `nil` where
  /// the log is not one chain of blocks.
  let chainedBlockCount: Int?
  private let make: @Sendable (StoreKey?, UInt32) -> any StoreFormat

  /// A format whose stores `make` opens, with a key and a clock in seconds since 1970.
  ///
  /// An operator that finds nothing to act on in a store leaves it as it is, so that `parts` can say
  /// too much, but not too little.
  package init(
    _ name: String, parts: Set<Part> = Set(Part.allCases), chainedBlockCount: Int? = nil,
    _ make: @escaping @Sendable (StoreKey?, UInt32) -> any StoreFormat
  ) {
    self.name = name
    self.parts = parts
    self.chainedBlockCount = chainedBlockCount
    self.make = make
  }

  /// Returns the format for opening its stores.
  func storeFormat(key: StoreKey?, now: UInt32) -> any StoreFormat { make(key, now) }

  /// Returns the files of the store at `path`.
  ///
  /// - Throws: When there is no store there or more than one, or a file cannot be read.
  package func storeFiles(at path: FilePath) throws(DiscoveryError) -> [StoreFile] {
    try storeFormat(key: nil, now: 0).discover(at: path)
  }
}
