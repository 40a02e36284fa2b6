/// A search for the end up to which bytes have a certain CRC-32.
///
/// Ends are collected before they are examined: the checksums up to many ends that are close
/// together are computed faster at once.
package struct CRC32EndSearch {
  /// The number of ends that are examined at once.
  private static let limit = 1024

  private let wanted: UInt32
  /// The checksum of the bytes up to `start`.
  private var digest: UInt32 = 0
  private var start: Int
  /// The ends after `start` that have not been examined.
  private var ends: [Int] = []
  private var found: Int?

  /// Creates a search for the end up to which the bytes from `start` have the checksum `wanted`.
  package init(for wanted: UInt32, from start: Int) {
    self.wanted = wanted
    self.start = start
  }

  /// Adds `end`, which is not before the ends that were added earlier.
  ///
  /// - Precondition: `end` lies within `bytes`, which are the same in every call.
  package mutating func add(_ end: Int, in bytes: Span<UInt8>) {
    guard found == nil else { return }
    ends.append(end)
    if ends.count == Self.limit { examine(bytes) }
  }

  /// Returns the first end that was added up to which `bytes` have the checksum; `nil` if there is
  /// none.
  package mutating func end(in bytes: Span<UInt8>) -> Int? {
    if found == nil { examine(bytes) }
    return found
  }

  private mutating func examine(_ bytes: Span<UInt8>) {
    guard let last = ends.last else { return }
    found = Zlib.firstEnd(among: ends, of: bytes, from: start, &digest, at: wanted).map {
      ends[$0]
    }
    start = last
    ends.removeAll(keepingCapacity: true)
  }
}
