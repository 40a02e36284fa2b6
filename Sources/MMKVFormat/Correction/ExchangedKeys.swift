import KVBytes
import KVModel

/// Finds the record of which the key, and nothing else, should be another key of the log.
///
/// An app that is killed while it rewrites its log in place may just have put the first bytes of a
/// record over those of another. Where their keys are as long, reading stays in sync, and yields a key
/// that never was: the beginning of the one and the end of the other. The digest says what the key's
/// own digest would have to be, and few keys of the log have it.
struct ExchangedKeys {
  /// A key that would explain the digest.
  struct Exchange {
    /// Where the key is that is wrong.
    let key: Range<Int>
    /// Where the one is that belongs there; as long.
    let other: Range<Int>
  }

  /// What two keys have in common that can stand for each other.
  private struct Identity: Hashable {
    let digest: UInt32
    let count: Int
  }

  /// The exchanges that explain the digest, each by itself.
  private(set) var exchanges: [Exchange] = []
  /// How many there were to choose from.
  private(set) var patternCount = 0

  /// Looks through the log at `log` of `image`, at the records that begin at `start` or after it.
  ///
  /// - Complexity: O(count of the log), and as many bytes of memory.
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
      // The digests of texts of one length differ as the texts do.
      let wanted = Identity(digest: own.digest ^ difference, count: own.count)
      if let other = places[wanted] { exchanges.append(Exchange(key: key, other: other)) }
    }
    patternCount = keys.count * places.count
  }

  private static func identity(of key: Range<Int>, in image: FileImage) -> Identity {
    Identity(digest: CRC32.digest(of: image, in: key), count: key.count)
  }
}
