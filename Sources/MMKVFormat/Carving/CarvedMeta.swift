import KVBytes
import KVModel

/// A meta file that was found in a source, by its form.
struct CarvedMeta: Hashable, Codable, Sendable {
  /// The size of the largest log that is not looked for, as it holds no record.
  static let emptyLimit = 5

  /// Where it is.
  let offset: Int
  /// The size of the log; 0 if only the log's own header states it.
  let size: Int
  /// The CRC-32 of the log.
  let digest: UInt32
  /// The vector for decryption, if the file has one.
  let vector: [UInt8]?

  /// What the file says of the log, which copies of it say too.
  struct Content: Hashable {
    let size: Int
    let digest: UInt32
  }
  var content: Content { Content(size: size, digest: digest) }

  /// Whether this, decoded, can be in a source of `count` bytes.
  func isSound(in count: Int) -> Bool {
    offset < count && size <= CarvingWindow.logLimit && vector?.count ?? 16 == 16
  }

  /// Reads the meta file in the sector at `start` of `window`; `nil` if there is none, or if it
  /// describes an empty log.
  init?(_ window: CarvingWindow, at start: Int) {
    let bytes = window.image.storageSpan
    let word = bytes.word(at: start)
    // Two fields reject nearly all sectors.
    guard (1..<UInt64(MetaInfo.Version.suspicious)).contains(word >> 32), word & 0xffff_ffff != 0
    else { return nil }
    var cursor = ByteCursor(bytes, in: start..<start + MetaInfo.byteCount)
    guard let info = try? MetaInfo(parsing: &cursor), info.flags <= 1,
      info.actualCount <= CarvingWindow.logLimit, info.confirmedCount <= CarvingWindow.logLimit,
      window.image.isZero(
        in: start + MetaInfo.Field.reserved.lowerBound..<start + MetaInfo.Field.flags.lowerBound),
      window.image.isZero(in: cursor.offset..<start + CarvingWindow.sectorCount)
    else { return nil }
    let isSizeHere = info.version >= MetaInfo.Version.actualCount
    let holdsRecords = isSizeHere ? info.actualCount > Self.emptyLimit : info.actualCount == 0
    guard holdsRecords, isSizeHere || info.flags == 0 else { return nil }
    offset = window.start + start
    size = Int(info.actualCount)
    digest = info.digest
    vector = info.version >= MetaInfo.Version.vector ? info.vector : nil
  }
}

/// The logs that meta files describe, for comparison with bytes that may be one of them.
struct MetaIndex: Codable, Sendable {
  /// The logs of one size, by their checksums, as positions in ``metas``, in the order of the offsets.
  struct Group: Sendable {
    let size: Int
    var byDigest: [UInt32: [Int]]
  }

  /// The largest number of meta files, which limits memory.
  private static let limit = 1 << 18

  private(set) var metas: [CarvedMeta] = []
  /// The groups with known sizes, in ascending order.
  private(set) var groups: [Group] = []
  /// The logs whose own headers state their sizes.
  private(set) var unsized = Group(size: 0, byDigest: [:])

  /// The groups follow from the rest.
  private enum CodingKeys: CodingKey { case metas }

  /// Adds `meta`, to be compared after ``sort()``.
  mutating func add(_ meta: CarvedMeta) {
    if metas.count < Self.limit { metas.append(meta) }
  }

  /// Groups the meta files.
  mutating func sort() {
    let bySize = Dictionary(grouping: metas.indices) { metas[$0].size }
    let all = bySize.map { size, positions in
      Group(
        size: size,
        byDigest: Dictionary(grouping: positions.sorted { metas[$0].offset < metas[$1].offset }) {
          metas[$0].digest
        })
    }
    groups = all.filter { $0.size > 0 }.sorted { $0.size < $1.size }
    unsized = all.first { $0.size == 0 } ?? unsized
  }

  /// Returns the groups whose logs have `size` bytes: one or none.
  func groups(ofSize size: Int) -> ArraySlice<Group> {
    let first = groups.partitioningIndex { $0.size >= size }
    return groups[first...].prefix { $0.size == size }
  }

  /// Returns the meta file among those at `positions`, of a group, that is nearest to `offset`.
  func nearest(_ positions: [Int], to offset: Int) -> CarvedMeta? {
    let next = positions.partitioningIndex { metas[$0].offset >= offset }
    return positions[max(0, next - 1)..<min(next + 1, positions.count)].map { metas[$0] }
      .min { abs($0.offset - offset) < abs($1.offset - offset) }
  }
}
