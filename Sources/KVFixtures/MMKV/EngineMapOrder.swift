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
    /// The places of the nodes next to it; `nil` at an end.
    var before: Int?
    var after: Int?
  }

  /// The nodes, and places that are free.
  private var nodes: [Node] = []
  private var free: [Int] = []
  /// The place of each key's node.
  private var places: [Key: Int] = [:]
  /// The front of the chain.
  private var front: Int?
  /// The front node of each bucket that is not empty.
  private var fronts: [UInt64: Int] = [:]
  private var bucketCount = 1

  /// The keys in the order in which the engine goes through them.
  var keys: [Key] { chain.map(\.key) }

  /// The nodes from the front to the end.
  private var chain: [Node] {
    var chain: [Node] = []
    chain.reserveCapacity(places.count)
    var place = front
    while let current = place {
      chain.append(nodes[current])
      place = nodes[current].after
    }
    return chain
  }

  /// Adds `key`, which is not in the map.
  ///
  /// - Complexity: O(1), amortized.
  mutating func insert(_ key: Key) {
    if places.count + 1 > bucketCount || bucketCount == 1 {
      grow(to: Self.bucketCounts.first { $0 > bucketCount } ?? bucketCount * 2 + 1)
    }
    link(Node(key: key, hash: Self.hash(key.bytes)))
  }

  /// Takes `key` out, if it is in the map.
  ///
  /// - Complexity: O(1).
  mutating func remove(_ key: Key) {
    guard let place = places.removeValue(forKey: key) else { return }
    let node = nodes[place]
    let bucket = bucket(of: node)
    if fronts[bucket] == place {
      fronts[bucket] = node.after.flatMap { self.bucket(of: nodes[$0]) == bucket ? $0 : nil }
    }
    if let before = node.before { nodes[before].after = node.after } else { front = node.after }
    if let after = node.after { nodes[after].before = node.before }
    free.append(place)
  }

  /// Takes out all keys; the buckets stay.
  mutating func removeAll() {
    (nodes, free, places, front, fronts) = ([], [], [:], nil, [:])
  }

  private mutating func grow(to count: Int) {
    let chain = chain
    removeAll()
    bucketCount = count
    for node in chain { link(node) }
  }

  /// Puts a node to the front of its bucket, or of the chain.
  private mutating func link(_ node: Node) {
    let bucket = bucket(of: node)
    let after = fronts[bucket] ?? front
    let before = after.flatMap { nodes[$0].before }
    let linked = Node(key: node.key, hash: node.hash, before: before, after: after)
    let place = free.popLast() ?? nodes.count
    if place < nodes.count { nodes[place] = linked } else { nodes.append(linked) }
    if let after { nodes[after].before = place }
    if let before { nodes[before].after = place } else { front = place }
    fronts[bucket] = place
    places[node.key] = place
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
