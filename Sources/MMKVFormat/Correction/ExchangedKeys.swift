import KVBytes
import KVModel

/// A search for the record whose key, and nothing else, should be another key of the log.
///
/// An app that is killed during an in-place compaction may have written just the first bytes of a
/// record over those of another. If their keys have the same length, the parser stays in sync and
/// reads a key that never existed: the start of one and the end of the other. The checksum
/// determines what the checksum of the right key must be, and few keys of the log have it.
struct ExchangedKeys {
  /// A key that would explain the checksum.
  struct Exchange {
    /// The wrong key.
    let key: Range<Int>
    /// The key that belongs there, of the same length.
    let other: Range<Int>
  }

  /// What a key must have in common with the right one.
  private struct Identity: Hashable {
    let digest: UInt32
    let count: Int
  }

  /// The exchanges that each explain the checksum.
  private(set) var exchanges: [Exchange] = []
  /// The number of exchanges that were possible.
  private(set) var patternCount = 0

  /// Searches the log at `log` in `image`, in records that begin at `start` or later.
  ///
  /// - Complexity: O(`log.count`), in time and memory.
  init(_ image: FileImage, _ log: Range<Int>, from start: Int, _ syndrome: CRC32Syndrome) {
    var keys: [Range<Int>] = []
    var places: [Identity: Range<Int>] = [:]
    for case .record(let record) in MMKVRecords(image, in: log, mode: .plain, isEncrypted: false) {
      keys.append(record.key)
      places[ExchangedKeys.identity(of: record.key, in: image)] = record.key
    }
    let wrong = syndrome.syndromes(ofFirst: keys.map { $0.upperBound - log.lowerBound })
    for (key, difference) in zip(keys, wrong) where key.lowerBound >= start {
      let own = ExchangedKeys.identity(of: key, in: image)
      // For keys of one length, the XOR of their checksums depends only on the XOR of the keys.
      let wanted = Identity(digest: own.digest ^ difference, count: own.count)
      if let other = places[wanted] { exchanges.append(Exchange(key: key, other: other)) }
    }
    patternCount = keys.count * places.count
  }

  private static func identity(of key: Range<Int>, in image: FileImage) -> Identity {
    Identity(digest: CRC32.digest(of: image, in: key), count: key.count)
  }
}
