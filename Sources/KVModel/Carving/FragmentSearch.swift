package import KVBytes
package import KVSystem

/// A checksum that is computed over bytes in order, and from which that of the rest of a file follows.
package protocol ContinuedDigest: Sendable {
  associatedtype Value: FixedWidthInteger & Sendable
  /// Creates the checksum of no bytes.
  init()
  /// Adds `range` of `bytes`.
  mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>)
  /// The checksum of the bytes so far.
  var value: Value { get }
  /// Returns the checksum that the `count` bytes after these have if that of all is `whole`.
  func rest(of whole: Value, count: Int) -> Value
}

extension CRC32: ContinuedDigest {
  package init() { self.init(resuming: 0) }
}
extension XORLanes: ContinuedDigest {
  package func rest(of whole: UInt64, count: Int) -> UInt64 { whole ^ value }
}

/// Finds files in two parts: the pages of a source that continue the beginning of a file so that its
/// checksum matches.
///
/// The checksums of the beginning and of the whole determine that of the rest. So each page is read
/// once, and its checksums are looked up among those of all rests.
package struct FragmentSearch<Digest: ContinuedDigest>: Codable, Sendable {
  /// A beginning of a file.
  package struct Beginning: Codable, Sendable {
    /// Where it is.
    package let offset: Int
    /// The number of bytes, which are whole pages.
    package let count: Int
    /// The number of bytes of the file up to the last one that the checksum covers.
    package let wholeCount: Int
    /// What the caller calls the file, and the checksum.
    package let part: Int
    package let whole: Int

    /// Creates the beginning of a file.
    package init(offset: Int, count: Int, wholeCount: Int, part: Int, whole: Int) {
      self.offset = offset
      self.count = count
      self.wholeCount = wholeCount
      self.part = part
      self.whole = whole
    }
  }
  /// A beginning of a file, and where it continues.
  package struct Match: Codable, Sendable {
    package let beginning: Beginning
    package let rest: Int
    /// The number of bytes between the two parts, or from the later to the earlier one.
    package var distance: Int { abs(rest - beginning.offset - beginning.count) }
    /// The runs of the file, the last one up to the end of a page.
    package var runs: [Range<Int>] {
      let page = CarvingWindow.pageCount
      let count = (beginning.wholeCount - beginning.count + page - 1) / page * page
      return [beginning.offset..<beginning.offset + beginning.count, rest..<rest + count]
    }
  }

  /// The number of bytes of the longest rest that is looked for.
  private static var restLimit: Int { 1 << 17 }
  /// The largest numbers of beginnings and of matches, which limit memory.
  private static var limit: Int { 1 << 20 }
  private static var matchLimit: Int { 1 << 12 }
  /// The number of beginnings that are looked for in any source, and for how many bytes of it there may
  /// be one more.
  private static var usualLimit: Int { 1 << 16 }
  private static var bytesForOne: Int { 1 << 4 }

  private var beginnings: [Beginning] = []
  /// The rests, by their numbers of bytes and their checksums, as positions in ``beginnings``.
  private var rests: [Int: [Digest.Value: [Int]]] = [:]
  /// The same, in the order of their numbers of bytes.
  private var ordered: [(count: Int, byDigest: [Digest.Value: [Int]])] = []
  /// Whether a checksum of a rest ends in these bits: most others need not be looked up.
  private var endings: [Bool] = []
  private var alignments: Set<Int> = []
  /// The ranges of files that are known, in order.
  private var known: [Range<Int>] = []
  private var trials = 0
  private var budget = CarvingBudget()
  /// Whether there was more to compare than is worth the time.
  package var isLimited: Bool { budget.isExceeded || isFull }
  /// Whether no more beginnings can be added; encoded, as what is decoded has no limit of its own.
  package private(set) var isFull = false
  /// The nearest match of each part.
  package private(set) var matches: [Int: Match] = [:]

  private var beginningCount = 0
  /// The largest number of beginnings, in proportion to the source.
  private var limit = Self.limit
  /// Whether the files are known; they are not encoded, as the caller can add them again.
  package private(set) var hasFiles = false

  private enum CodingKeys: CodingKey { case trials, budget, matches, beginningCount, isFull }

  /// Creates a search in `source` that leaves out `known`, ranges in order.
  package init(in source: RawSource, without known: [Range<Int>]) {
    self.known = known
    limit = min(Self.limit, max(Self.usualLimit, source.count / Self.bytesForOne))
    hasFiles = true
  }

  /// Goes on from where `other` was, a search for the same files that was decoded.
  package mutating func goOn(from other: FragmentSearch) {
    (trials, budget, matches) = (other.trials, other.budget, other.matches)
  }

  /// Whether what was decoded can have been found in a source of `count` bytes, with the numbers of
  /// parts and of whole checksums in `parts` and `wholes`.
  package func isSound(in count: Int, _ parts: Range<Int>, _ wholes: Range<Int>) -> Bool {
    beginningCount <= Self.limit
      && matches.allSatisfy { number, match in
        let beginning = match.beginning
        let limit = CarvingWindow.logLimit + CarvingWindow.pageCount
        return number == beginning.part && parts.contains(number)
          && wholes.contains(beginning.whole) && beginning.offset <= count && match.rest <= count
          && (CarvingWindow.pageCount..<beginning.wholeCount).contains(beginning.count)
          && beginning.wholeCount <= limit
      }
  }

  /// Adds a file that begins with `beginning`, over which the checksum is `digest`, and whose whole
  /// checksum is `whole`.
  package mutating func add(_ beginning: Beginning, _ digest: Digest, of whole: Digest.Value) {
    let count = beginning.wholeCount - beginning.count
    guard count > 0, count <= Self.restLimit, !isFull else { return }
    let value = digest.rest(of: whole, count: count)
    rests[count, default: [:]][value, default: []].append(beginnings.count)
    beginnings.append(beginning)
    beginningCount += 1
    isFull = beginningCount >= limit
    alignments.insert(beginning.offset % CarvingWindow.pageCount)
    ordered = []
    if endings.isEmpty { endings = [Bool](repeating: false, count: 1 << 16) }
    endings[Int(UInt16(truncatingIfNeeded: value))] = true
  }

  /// Compares the pages of `window` with the rests.
  package mutating func examine(_ window: CarvingWindow) throws(FileError) {
    if ordered.isEmpty { ordered = rests.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    guard let longest = ordered.last?.count else { return }
    for start in window.sectors(withAtLeast: 16) {
      let offset = window.start + start
      guard alignments.contains(offset % CarvingWindow.pageCount),
        !window.image.isZero(in: start..<start + 16), !isKnown(offset),
        budget.spend(longest + ordered.count * 64, of: window.source)
      else { continue }
      if start + longest <= window.image.count {
        compare(window.image, at: start, offset)
      } else {
        compare(try window.bytes(at: offset, count: longest), at: 0, offset)
      }
    }
  }

  private func isKnown(_ offset: Int) -> Bool {
    let next = known.partitioningIndex { $0.lowerBound > offset }
    return next > 0 && known[next - 1].contains(offset)
  }

  /// Compares the bytes at `start` of `image`, which are at `offset` of the source.
  @specialized(where Digest == CRC32)
  @specialized(where Digest == XORLanes)
  private mutating func compare(_ image: FileImage, at start: Int, _ offset: Int) {
    let bytes = image.storageSpan
    var digest = Digest()
    var position = start
    for number in ordered.indices {
      let end = start + ordered[number].count
      guard end <= bytes.count else { return }
      digest.update(bytes, in: position..<end)
      position = end
      trials += ordered[number].byDigest.count
      let value = digest.value
      guard endings[Int(UInt16(truncatingIfNeeded: value))] else { continue }
      for index in ordered[number].byDigest[value] ?? [] {
        add(Match(beginning: beginnings[index], rest: offset))
      }
    }
  }

  private mutating func add(_ match: Match) {
    let beginning = match.beginning
    guard (match.rest - beginning.offset) % CarvingWindow.pageCount == 0,
      !(beginning.offset..<beginning.offset + beginning.count).contains(match.rest)
    else { return }
    if let other = matches[beginning.part] {
      guard match.distance < other.distance else { return }
    } else if matches.count >= Self.matchLimit {
      return
    }
    matches[beginning.part] = match
  }

  /// Returns how many rests were compared as near as that of `match`, at most.
  package func trials(for match: Match) -> Int {
    min(trials, beginningCount * 2 * (match.distance / CarvingWindow.pageCount + 1))
  }
}
