import KVBytes
import KVModel

/// The newest record of each key, while a log is replayed.
///
/// This is an open-addressing table over the keys' bytes in the image, so no key is copied. A slot
/// holds an index, and in the bits that no index needs, those of the hash that do not lead to the
/// slot, so most comparisons end without access to a key. A record that removes its key stays in the
/// table as the newest record of that key.
///
/// The memory that keys lead to, in the table and in the image, is accessed for a group of records
/// before the first comparison. The processor then waits for memory once for each group, not once
/// for each record.
struct LiveTable {
  /// The number of records in a group.
  private static let groupCount = 32

  /// The number of keys for which space may be reserved before there are many.
  private static let roomCount = 1 << 20

  /// A random hash seed, so that nobody can craft a file in which all keys have the same hash.
  ///
  /// All tables share one seed, because a random number costs a system call.
  private static let seed = UInt64.random(in: 0 ... .max)

  private var slots: [UInt32]
  /// The newest record of each key, including removals.
  private(set) var newest: [Record] = []
  /// The log that is replayed.
  private let log: Range<Int>
  private var bytes = ByteTally()
  /// The records that are not live.
  private var past = PastRecords()
  private(set) var recordCount = 0
  /// Whether one of the newest records is a removal.
  private var hasRemovals = false
  /// Whether the newest records are in file order.
  private var isSorted = true
  /// The values that were read ahead of time, combined; if they were unused, the compiler would
  /// remove the accesses.
  private var glimpse: UInt32 = 0

  /// Creates an empty table for the records of `log`.
  init(for log: Range<Int>) {
    self.log = log
    slots = [UInt32](repeating: 0, count: 64)
  }

  /// Returns half of the hash of the key of `record`, which is in `image`.
  @inline(__always)
  static func tag(of record: Record, in image: borrowing FileImage) -> UInt32 {
    UInt32(truncatingIfNeeded: image.storageSpan.hash(in: record.key, seed: seed) >> 32)
  }

  /// Adds the next records of the log, whose keys are in `image`.
  ///
  /// - Complexity: Expected O(*n*) for *n* records, plus the length of their keys.
  mutating func add(_ batch: RecordBatch, in image: borrowing FileImage) {
    recordCount += batch.recordCount
    bytes.removed += batch.struckByteCount
    past.removed += batch.struckCount
    let (records, tags) = (batch.records, batch.tags)
    var start = 0
    while start < records.count {
      let group = start..<min(start + Self.groupCount, records.count)
      touch(tags[group], in: image)
      for index in group { put(records[index], tag: tags[index], in: image) }
      start = group.upperBound
    }
  }

  /// Accesses the memory that is needed to look `tags` up.
  @inline(__always)
  private mutating func touch(_ tags: ArraySlice<UInt32>, in image: borrowing FileImage) {
    let mask = self.mask
    for tag in tags { glimpse ^= slots[Int(tag & mask)] }
    for tag in tags {
      let slot = slots[Int(tag & mask)]
      guard slot != 0, (slot ^ tag) & ~mask == 0 else { continue }
      let known = newest[Int(slot & mask) - 1].key
      if !known.isEmpty { glimpse ^= UInt32(image[known.lowerBound]) }
    }
  }

  /// The bits of a tag that lead to its slot, and those of a slot with its position in `newest`,
  /// counted from 1: at most half of the slots are used.
  private var mask: UInt32 { UInt32(truncatingIfNeeded: slots.count - 1) }

  @inline(__always)
  private mutating func put(_ record: Record, tag: UInt32, in image: borrowing FileImage) {
    let mask = self.mask
    var index = Int(tag & mask)
    while slots[index] != 0 {
      let slot = slots[index]
      if (slot ^ tag) & ~mask == 0 {
        let position = Int(slot & mask) - 1
        let known = newest[position]
        if image.storageSpan.isEqual(known.key, record.key) {
          replace(known, at: position, with: record)
          return
        }
      }
      index = (index + 1) & Int(mask)
    }
    if newest.count == newest.capacity { reserve(at: record.offset) }
    newest.append(record)
    if record.operation == .remove {
      bytes.removed += record.count
      past.removed += 1
      hasRemovals = true
    }
    slots[index] = tag & ~mask | UInt32(newest.count)
    // The table grows when it is half full: a failed probe costs more than the extra slots.
    if newest.count * 2 > slots.count { grow(at: record.offset, in: image) }
  }

  /// Reserves space for the number of keys to expect if they continue as they did up to `offset`.
  ///
  /// Unused space costs nothing, but moving the records to a larger space does. A file may promise
  /// more keys than memory has room for, so space for many is only reserved if many are there.
  private mutating func reserve(at offset: Int) {
    let expected = Int(1.01 * Double(newest.count) / done(at: offset))
    let limit = max(Self.roomCount, newest.count * 16)
    newest.moveIntoLargePages(capacity: 32 + min(limit, max(expected, newest.count * 2)))
  }

  /// Returns the fraction of the log that has been read at `offset`, from slightly above 0 to 1.
  private func done(at offset: Int) -> Double {
    min(1, Double(max(1, offset - log.lowerBound)) / Double(max(1, log.count)))
  }

  // Inlined, so that records are not packed into registers and unpacked again.
  @inline(__always)
  private mutating func replace(_ known: Record, at position: Int, with record: Record) {
    switch (known.operation, record.operation) {
    case (.put, .put):
      bytes.superseded += known.count
      past.superseded += 1
    case (.put, .remove):
      bytes.removed += known.count + record.count
      past.removed += 2
    case (.remove, .remove):
      bytes.removed += record.count
      past.removed += 1
    case (.remove, .put), (.struckPut, _), (_, .struckPut): break
    }
    newest[position] = record
    isSorted = false
    if record.operation == .remove { hasRemovals = true }
  }

  /// Enlarges the table.
  ///
  /// Once enough of the log has been read, the new size fits the number of keys to expect.
  ///
  /// A table that is larger than necessary is slower, because less of it stays in the caches.
  private mutating func grow(at offset: Int, in image: borrowing FileImage) {
    let done = done(at: offset)
    let expected = done < 1.0 / 32 ? 0 : Int(Double(newest.count) / done)
    var count = slots.count * 2
    while count < expected * 2 { count *= 2 }
    // The old table need not be in memory: the keys are, in the order in which they are hashed.
    slots = []
    slots = [UInt32](zerosInLargePages: count)
    let mask = self.mask
    for (position, record) in newest.enumerated() {
      let tag = Self.tag(of: record, in: image)
      var index = Int(tag & mask)
      while slots[index] != 0 { index = (index + 1) & Int(mask) }
      slots[index] = tag & ~mask | UInt32(position + 1)
    }
  }

  /// Returns the live records among all that were added, in file order, the bytes by category, and
  /// the number of other records.
  func finished() -> (live: [Record], bytes: ByteTally, past: PastRecords) {
    var live = newest
    if hasRemovals { live.removeAll { $0.operation == .remove } }
    if !isSorted { live.sort { $0.offset < $1.offset } }
    return (live, bytes, past)
  }

  /// Copies the records, which a snapshot may share with the table, into large pages of the table's
  /// own; the next change would copy them into small ones.
  mutating func separate() {
    newest.moveIntoLargePages(capacity: newest.capacity)
  }
}
