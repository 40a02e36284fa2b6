import KVModel

/// The iteration order of the engine's map: a `std::unordered_map` with string keys, as libstdc++
/// implements it on Linux.
///
/// All keys are in one linked list, in which the keys of a bucket are adjacent. A new key goes to
/// the front of its bucket, or to the front of the list if the bucket is empty. When there are more
/// keys than buckets, the number of buckets grows, and all keys are inserted again in the order of
/// the list.
struct EngineMapOrder {
  /// The numbers of buckets to grow to, each about twice the previous one.
  private static let bucketCounts = [
    13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172_933, 351_061,
    712_697, 1_447_153, 2_938_679,
  ]

  private struct Node {
    let key: Key
    let hash: UInt64
    /// The indices of the adjacent nodes, or `nil` at an end of the list.
    var before: Int?
    var after: Int?
  }

  /// The nodes, including unused ones, whose indices are in `free`.
  private var nodes: [Node] = []
  private var free: [Int] = []
  /// The index of each key's node.
  private var places: [Key: Int] = [:]
  /// The index of the first node of the list.
  private var front: Int?
  /// The index of the first node of each bucket that is not empty.
  private var fronts: [UInt64: Int] = [:]
  private var bucketCount = 1

  /// The keys in the engine's iteration order.
  var keys: [Key] { chain.map(\.key) }

  /// The nodes in list order.
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

  /// Inserts `key`, which must not be in the map.
  ///
  /// - Complexity: Amortized O(1).
  mutating func insert(_ key: Key) {
    if places.count + 1 > bucketCount || bucketCount == 1 {
      grow(to: Self.bucketCounts.first { $0 > bucketCount } ?? bucketCount * 2 + 1)
    }
    link(Node(key: key, hash: Self.hash(key.bytes)))
  }

  /// Removes `key`, if it is in the map.
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

  /// Removes all keys, and keeps the number of buckets.
  mutating func removeAll() {
    (nodes, free, places, front, fronts) = ([], [], [:], nil, [:])
  }

  private mutating func grow(to count: Int) {
    let chain = chain
    removeAll()
    bucketCount = count
    for node in chain { link(node) }
  }

  /// Links a node at the front of its bucket, or of the list if the bucket is empty.
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

  /// Returns the hash of a key: MurmurHash64A, with the seed and the finalization of libstdc++.
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
