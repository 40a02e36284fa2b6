package import KVBytes
package import KVSystem

/// Finds records at any offset of a source by keys that are known from a store.
///
/// A key is found where its length is before it, as one byte. Text that contains the key has other
/// characters there.
package struct LooseRecords: Codable, Sendable {
  /// The number of bytes of the shortest key that is distinctive, and of the longest whose length has
  /// one byte.
  private static let usable = 4...127
  /// The number of bytes after a window that a record in it may have.
  private static let overlap = 1 << 16
  /// The largest number of runs, which limits memory.
  private static let runLimit = 1 << 16

  /// Records that follow each other.
  package struct Run: Codable, Sendable {
    /// The bytes of the records.
    package fileprivate(set) var range: Range<Int>
    /// The number of records.
    package fileprivate(set) var count: Int
  }

  private var keys: Set<Key> = []
  /// Whether a key has this length, and begins with these two bytes.
  private var isLength = [Bool](repeating: false, count: 256)
  private var isStart = [Bool](repeating: false, count: 1 << 16)
  /// The runs, in the order of the source.
  package private(set) var runs: [Run] = []

  private enum CodingKeys: CodingKey { case runs }

  /// Creates a search for records with `keys`; those that are too short are left out.
  package init(_ keys: [[UInt8]]) {
    self.keys = Set(keys.filter { Self.usable.contains($0.count) }.map(Key.init))
    for key in self.keys {
      isLength[key.bytes.count] = true
      isStart[Int(key.bytes[0]) << 8 | Int(key.bytes[1])] = true
    }
  }

  /// Takes over the keys of `other`.
  package mutating func learn(from other: LooseRecords) {
    (keys, isLength, isStart) = (other.keys, other.isLength, other.isStart)
  }

  /// Whether a search of a source of `count` bytes can have found what was decoded.
  package func isSound(in count: Int) -> Bool {
    runs.allSatisfy { $0.range.upperBound <= count && !$0.range.isEmpty && $0.count > 0 }
  }

  /// Whether there is no key to search for.
  package var isEmpty: Bool { keys.isEmpty }

  /// Returns whether `key` is one of the keys.
  package func contains(_ key: [UInt8]) -> Bool { keys.contains(Key(key)) }

  /// Returns the bytes of `window` with `count` bytes before it, if there are as many, and with those
  /// that a record in it may have after it; and where they begin in the source.
  package static func bytes(
    around window: CarvingWindow, from count: Int
  ) throws(FileError) -> (image: FileImage, base: Int) {
    let base = max(0, window.start - count)
    let end = window.start + window.image.count + overlap
    return (try window.source.read(base..<end), base)
  }

  /// Looks for records in `window`; `record` returns the record whose key's length is at an offset of
  /// an image, if there is a plausible one, which may begin a byte earlier.
  package mutating func examine(
    _ window: CarvingWindow, _ record: (FileImage, Int) -> Range<Int>?
  ) throws(FileError) {
    let (image, base) = try Self.bytes(around: window, from: 1)
    let bytes = image.storageSpan
    let end = min(window.start - base + window.image.count, image.count - Self.usable.lowerBound)
    for offset in window.start - base..<max(window.start - base, end) {
      guard isLength[Int(bytes[offset])],
        isStart[Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])],
        offset + Int(bytes[offset]) < image.count,
        keys.contains(Key(image.bytes(in: offset + 1..<offset + 1 + Int(bytes[offset])))),
        let range = record(image, offset)
      else { continue }
      add(base + range.lowerBound..<base + range.upperBound)
    }
  }

  /// Adds the record at `range` of the source, after those before it.
  package mutating func add(_ range: Range<Int>) {
    if let last = runs.last, range.lowerBound <= last.range.upperBound {
      // What seems to be a record within another is a part of its value.
      guard range.lowerBound == last.range.upperBound else { return }
      runs[runs.count - 1].range = last.range.lowerBound..<range.upperBound
      runs[runs.count - 1].count += 1
    } else if runs.count < Self.runLimit {
      runs.append(Run(range: range, count: 1))
    }
  }

  /// Returns the stores of the records: one of each run that is in none of `others`, with `head`
  /// before it.
  package func stores(
    _ format: String, _ suffix: String, besides others: [CarvedStore], head: (Run) -> [UInt8]
  ) -> [CarvedStore] {
    let known = others.flatMap { $0.files.flatMap(\.runs) }.sorted { $0.lowerBound < $1.lowerBound }
    let single = runs.filter { run in
      let next = known.partitioningIndex { $0.lowerBound > run.range.lowerBound }
      return next == 0 || known[next - 1].upperBound <= run.range.lowerBound
    }
    return single.map { run in
      CarvedStore(
        format, [CarvedFile(suffix, [run.range], after: head(run))], .inferred,
        Probability(1 - Logarithm.power2(-Double(5 + 3 * run.count))),
        because: "\(run.count.counted("record", "records")) with known keys", entryCount: run.count)
    }
  }
}
