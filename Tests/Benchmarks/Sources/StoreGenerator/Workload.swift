public import KVModel

/// A kind of store that apps have, but larger.
///
/// The last full rewrite by the engine is at a realistic place. The log before it is a separate
/// state, which a check also replays.
public enum Workload: String, CaseIterable, Sendable {
  /// A million keys, each put once.
  ///
  /// The last rewrite was after half of them.
  case distinctKeys = "distinct-keys"
  /// Ten thousand keys, each put a hundred times.
  ///
  /// The last rewrite was after the first round.
  case repeatedKeys = "repeated-keys"
  /// One key, put a million times.
  ///
  /// The last rewrite was after the first put.
  case hotKey = "hot-key"
  /// A thousand keys with values of 62 kB.
  ///
  /// The last rewrite was after half of them.
  case largeValues = "large-values"
  /// A quarter of a million keys, encrypted with AES-128, immediately after a rewrite.
  case encrypted = "encrypted"
  /// A store of 64 MB in which one bit of a value is flipped.
  case flippedBit = "flipped-bit"
  /// A store of 64 MB in which one page is zeroed.
  case zeroedPage = "zeroed-page"
  /// A store of 64 MB whose last tenth is truncated.
  case cutTail = "cut-tail"

  /// The key of the encrypted store.
  public static let cipherKey = "0123456789abcdef"

  /// A short description of the workload.
  public var title: String {
    switch self {
    case .distinctKeys: "1 M distinct keys"
    case .repeatedKeys: "10 k keys × 100 puts"
    case .hotKey: "1 hot key × 1 M puts"
    case .largeValues: "1 k values of 62 kB"
    case .encrypted: "250 k keys, AES-128"
    case .flippedBit: "64 MB, one bit flipped"
    case .zeroedPage: "64 MB, a page zeroed"
    case .cutTail: "64 MB, its end cut off"
    }
  }

  /// The minimum speed of a check, in percent of the speed of CRC-32, or `nil` if there is no
  /// limit.
  public var limit: Double? {
    switch self {
    case .distinctKeys: 3
    case .repeatedKeys: 15
    case .hotKey: 25
    case .largeValues: 60
    case .encrypted: nil
    case .flippedBit, .zeroedPage, .cutTail: 0.5
    }
  }

  /// Makes the store.
  ///
  /// Its records take 40 bytes each, except for the large values.
  ///
  /// - Throws: `.noCipher` for the encrypted store in a build without the trait `Encryption`.
  public func store() throws(EncodingError) -> GeneratedStore {
    switch self {
    case .distinctKeys: Workload.rounds(of: 1_000_000, seed: 1)
    case .repeatedKeys: Workload.rounds(100, of: 10_000, seed: 2)
    case .hotKey: Workload.rounds(1_000_000, of: 1, seed: 3)
    case .largeValues: Workload.rounds(of: 1000, valueCount: 62_000, seed: 4)
    case .encrypted: try Workload.rounds(of: 250_000, seed: 5).encrypted(with: Workload.cipherKey)
    case .flippedBit: Workload.large(seed: 6) { $0[$0.count / 3] ^= 1 }
    case .zeroedPage:
      Workload.large(seed: 7) { data in
        for offset in data.count / 3 / 4096 * 4096..<data.count / 3 / 4096 * 4096 + 4096 {
          data[offset] = 0
        }
      }
    case .cutTail: Workload.large(seed: 8) { $0.removeLast($0.count / 10) }
    }
  }

  /// Makes a damaged store of a hundred thousand keys, each put sixteen times.
  private static func large(
    seed: UInt64, damage: (inout [UInt8]) -> Void
  ) -> GeneratedStore {
    Workload.rounds(16, of: 100_000, seed: seed).damaged(by: damage)
  }

  /// Makes a store by putting every key once per round, each round in a different order.
  private static func rounds(
    _ rounds: Int = 1, of keyCount: Int, valueCount: Int = 22, seed: UInt64
  ) -> GeneratedStore {
    var random = SplitMix64(seed: seed)
    var log = LogBuilder(seed: seed, reserving: rounds * keyCount * (valueCount + 22))
    var numbers = Array(0..<keyCount)
    for round in 0..<rounds {
      numbers.shuffle(using: &random)
      for (index, number) in numbers.enumerated() {
        if rounds == 1, index == keyCount / 2 { log.confirm() }
        log.put(number, valueCount: valueCount)
      }
      if round == 0, rounds > 1 { log.confirm() }
    }
    return GeneratedStore(log, entryCount: keyCount)
  }
}
