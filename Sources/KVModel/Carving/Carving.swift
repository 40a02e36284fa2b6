package import KVBytes
package import KVSystem

/// A file of a store, found in a source: the runs of bytes of which it consists, in order.
package struct CarvedFile: Hashable, Codable, Sendable {
  /// What the names of such files end in.
  package let suffix: String
  /// Bytes before the runs, which are not in the source, if only records were found.
  package let head: [UInt8]
  /// The runs, as ranges of the source, the last one up to the end of a page.
  package let runs: [Range<Int>]
  /// The number of bytes of the runs that are known to be of this file: those up to the end of its
  /// log.
  ///
  /// The others only fill its last page, and another store may begin in them.
  fileprivate let ownCount: Int

  /// Creates the file that consists of `runs`, of which the first `ownCount` bytes are known to be
  /// its own; all of them if that is `nil`.
  package init(
    _ suffix: String, _ runs: [Range<Int>], own ownCount: Int? = nil, after head: [UInt8] = []
  ) {
    self.suffix = suffix
    self.head = head
    self.runs = runs
    self.ownCount = ownCount ?? runs.reduce(0) { $0 + $1.count }
  }

  /// The runs without the bytes that only fill the last page.
  package var ownRuns: [Range<Int>] {
    var left = ownCount
    return runs.compactMap { run in
      let own = run.prefix(left)
      left -= own.count
      return own.isEmpty ? nil : own
    }
  }

  /// Returns the file without the bytes from `end` of the source on that only fill its last page.
  package func ending(before end: Int) -> CarvedFile {
    guard let last = runs.last, let own = ownRuns.last, own.lowerBound == last.lowerBound,
      own.upperBound <= end, end < last.upperBound
    else { return self }
    return CarvedFile(
      suffix, runs.dropLast() + [last.lowerBound..<end], own: ownCount, after: head)
  }
}

/// A store that was found in a source.
package struct CarvedStore: Codable, Sendable {
  /// How far a store that was found is shown to be one.
  package enum Tier: String, Codable, Sendable, CaseIterable {
    /// Checksums of 32 bits or more cover the whole log.
    case proven
    /// The form of its records makes it likely.
    case inferred
  }

  /// The name of the format.
  package let format: String
  /// The files, that with the log first.
  package private(set) var files: [CarvedFile]
  package let tier: Tier
  /// The probability that this is a store of an app.
  package var probability: Probability { Probability((Double(tenThousandths) + 0.5) / 10_000) }
  private let tenThousandths: Int
  /// What shows that it is a store, in a few words.
  package let reason: String
  /// The number of keys with a value; `nil` if the log is encrypted.
  package let entryCount: Int?

  /// Creates a store that was found.
  ///
  /// - Precondition: The first of `files` has a run.
  package init(
    _ format: String, _ files: [CarvedFile], _ tier: Tier, _ probability: Probability,
    because reason: String, entryCount: Int?
  ) {
    precondition(files.first?.runs.isEmpty == false)
    self.format = format
    self.files = files
    self.tier = tier
    tenThousandths = probability.tenThousandths
    self.reason = reason
    self.entryCount = entryCount
  }

  /// Where the log begins.
  package var offset: Int { files[0].runs[0].lowerBound }

  /// Returns the store whose files are what `change` makes of them.
  package func changing(_ change: (CarvedFile) -> CarvedFile) -> CarvedStore {
    var store = self
    store.files = files.map(change)
    return store
  }

  /// Returns whether a store that was decoded can be in a source of `count` bytes.
  package func isSound(in count: Int) -> Bool {
    !files.isEmpty && files.count <= 2 && tenThousandths <= 10_000
      && files.allSatisfy { file in
        (1...2).contains(file.runs.count) && file.head.count <= 64 && file.ownCount >= 0
          && file.runs.allSatisfy { $0.lowerBound <= count }
          && file.suffix.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 > 0x60 && $0 < 0x7b }
      }
  }
}

/// What is known of the stores in a source.
package struct CarvingKnowledge: Sendable {
  /// The keys of records, by which single ones are found.
  package var keys: [[UInt8]] = []
  /// The keys under which stores may be encrypted.
  package var secrets: [[UInt8]] = []
  /// Whether those are for AES-256; `nil` if either is possible.
  package var isAES256: Bool?

  /// Creates the knowledge of nothing.
  package init() {}
}

/// Finds the stores of a format in sources, in several passes over each.
///
/// A carver looks at the first bytes of each sector and rejects nearly all of them. What it keeps
/// in between takes little memory, however large the source is. It can be encoded, so that a search
/// that was stopped is resumed.
package protocol StoreCarver: Codable, Sendable {
  /// Returns whether pass number `pass`, from 0 on, is needed, given what the ones before it found.
  func needs(pass: Int) -> Bool
  /// Looks at the sectors of `window` in pass number `pass`.
  mutating func examine(_ window: CarvingWindow, pass: Int) throws(FileError)
  /// Returns the stores that were found, after the last pass.
  func stores() -> [CarvedStore]
  /// Whether there was more to compare than is worth the time.
  var isLimited: Bool { get }
  /// Takes over what `other` knows of stores, which is not encoded: keys may be among it.
  mutating func learn(from other: Self)
  /// Returns whether a carver that was decoded, and has learned, can have been in a search of a source
  /// of `count` bytes. Then no function of it fails, whoever made it.
  ///
  /// Its numbers are known to be neither negative nor much larger than `count`.
  func isSound(in count: Int) -> Bool
}

/// The time that is spent on what may be stores, in bytes that are read again, in proportion to the
/// size of the source: so no source takes forever, whatever someone put into it.
package struct CarvingBudget: Codable, Sendable {
  private static let perByte = 128
  private static let least = 32 << 20

  private var spent = 0
  /// Whether more was asked for than there is.
  package private(set) var isExceeded = false

  /// Creates a budget of which nothing is spent.
  package init() {}

  /// Spends `count` bytes, and returns whether they were left.
  package mutating func spend(_ count: Int, of source: RawSource) -> Bool {
    spent += min(count, Self.least)
    if spent > max(Self.least, source.count) * Self.perByte { isExceeded = true }
    return !isExceeded
  }
}

/// A part of a source that is in memory.
package struct CarvingWindow: Sendable {
  /// The number of bytes of a sector, at whose start a file may begin.
  package static let sectorCount = 512
  /// The number of bytes of a page, of which files consist.
  package static let pageCount = 4096
  /// The number of bytes of the longest log that is looked for.
  package static let logLimit = 16 << 20

  /// The source.
  package let source: RawSource
  /// The offset of the first byte in the source.
  package let start: Int
  /// The bytes.
  package let image: FileImage

  /// Creates the window with `image`, the bytes of `source` from `start` on.
  package init(_ source: RawSource, at start: Int, _ image: FileImage) {
    self.source = source
    self.start = start
    self.image = image
  }

  /// The offsets in the window of the sectors of which at least `count` bytes are there.
  package func sectors(withAtLeast count: Int) -> StrideTo<Int> {
    stride(from: 0, to: max(0, image.count - count + 1), by: Self.sectorCount)
  }

  /// Returns `count` bytes of the source from `offset` on, or fewer at its end.
  package func bytes(at offset: Int, count: Int) throws(FileError) -> FileImage {
    let end = offset + min(count, source.count - offset)
    if offset >= start, end <= start + image.count {
      return FileImage(image.bytes(in: offset - start..<end - start))
    }
    return try source.read(offset..<end)
  }

  /// Returns `end`, rounded up to whole pages of a file that begins at `start`, within the source.
  package func pageEnd(_ end: Int, of start: Int) -> Int {
    let page = Self.pageCount
    return min(start + (end - start + page - 1) / page * page, source.count)
  }
}
