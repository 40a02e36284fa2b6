import KVModel

/// The order in which the engine's map hands out its keys: that of `std::unordered_map` with texts as
/// keys, as GNU's standard library has it on Linux.
///
/// A chain of all keys is kept, in which those of one bucket stand together. A key goes to the front
/// of its bucket, or to the front of the chain where the bucket is empty. When there are more keys than
/// buckets, all keys are put into more buckets in the order of the chain.
struct EngineMapOrder {
  /// How many buckets there are when a key is added to a full map: about twice as many each time.
  private static let bucketCounts = [
    13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172_933, 351_061,
    712_697, 1_447_153, 2_938_679,
  ]

  private struct Node {
    let key: Key
    let hash: UInt64
  }

  /// The chain, its front at the end of the array.
  private var chain: [Node] = []
  private var bucketCount = 1
  /// How many keys there are in each bucket that is not empty.
  private var counts: [UInt64: Int] = [:]

  /// The keys in the order in which the engine goes through them.
  var keys: [Key] { chain.reversed().map(\.key) }

  /// Adds `key`, which is not in the map.
  mutating func insert(_ key: Key) {
    if chain.count + 1 > bucketCount || bucketCount == 1 {
      grow(to: Self.bucketCounts.first { $0 > bucketCount } ?? bucketCount * 2 + 1)
    }
    link(Node(key: key, hash: Self.hash(key.bytes)))
  }

  /// Takes `key` out, if it is in the map.
  mutating func remove(_ key: Key) {
    guard let index = chain.firstIndex(where: { $0.key == key }) else { return }
    let bucket = bucket(of: chain.remove(at: index))
    counts[bucket] = counts[bucket].flatMap { $0 > 1 ? $0 - 1 : nil }
  }

  /// Takes out all keys; the buckets stay.
  mutating func removeAll() {
    chain = []
    counts = [:]
  }

  private mutating func grow(to count: Int) {
    let nodes = chain.reversed()
    removeAll()
    bucketCount = count
    for node in nodes { link(node) }
  }

  private mutating func link(_ node: Node) {
    let bucket = bucket(of: node)
    if counts[bucket] != nil,
      let front = chain.lastIndex(where: { self.bucket(of: $0) == bucket })
    {
      chain.insert(node, at: front + 1)
    } else {
      chain.append(node)
    }
    counts[bucket, default: 0] += 1
  }

  private func bucket(of node: Node) -> UInt64 { node.hash % UInt64(bucketCount) }

  /// MurmurHash64A with the library's seed, and with its way to end.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    let factor: UInt64 = 0xc6a4_a793_5bd1_e995
    func mixed(_ value: UInt64) -> UInt64 { value ^ value >> 47 }
    func number(_ range: Range<Int>) -> UInt64 {
      bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    var hash = 0xc70f_6907 ^ UInt64(bytes.count) &* factor
    let whole = bytes.count / 8 * 8
    for offset in stride(from: 0, to: whole, by: 8) {
      hash ^= mixed(number(offset..<offset + 8) &* factor) &* factor
      hash = hash &* factor
    }
    if whole < bytes.count {
      hash = (hash ^ number(whole..<bytes.count)) &* factor
    }
    return mixed(mixed(hash) &* factor)
  }
}
