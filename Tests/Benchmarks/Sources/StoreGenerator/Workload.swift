public import KVModel

/// A kind of store that apps have, made larger than theirs are.
///
/// The last full rewrite by the engine is where a real one would be; the log before it is a state of
/// its own, which a check replays as well.
public enum Workload: String, CaseIterable, Sendable {
  /// A million keys, each put once; the last rewrite was at half of them.
  case distinctKeys = "distinct-keys"
  /// Ten thousand keys, each put a hundred times; the last rewrite was after the first round.
  case repeatedKeys = "repeated-keys"
  /// One key, put a million times; the last rewrite was after the first.
  case hotKey = "hot-key"
  /// A thousand keys with values of 62 kB; the last rewrite was at half of them.
  case largeValues = "large-values"
  /// A quarter of a million keys under AES-128, directly after a rewrite.
  case encrypted = "encrypted"
  /// 64 MB in which one bit of a value is flipped.
  case flippedBit = "flipped-bit"
  /// 64 MB in which one page is zeros.
  case zeroedPage = "zeroed-page"
  /// 64 MB of which the last tenth is cut off.
  case cutTail = "cut-tail"

  /// The key that the encrypted store is made with.
  public static let cipherKey = "0123456789abcdef"

  /// The workload in a few words.
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

  /// How fast a check has to be, in percent of the speed of CRC-32; `nil` where nothing is asked.
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

  /// Makes the store, whose records take 40 bytes each, but for the large values.
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

  /// A hundred thousand keys, each put sixteen times, with damage.
  private static func large(
    seed: UInt64, damage: (inout [UInt8]) -> Void
  ) -> GeneratedStore {
    Workload.rounds(16, of: 100_000, seed: seed).damaged(by: damage)
  }

  /// Puts every key once a round, each round in an order of its own.
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
