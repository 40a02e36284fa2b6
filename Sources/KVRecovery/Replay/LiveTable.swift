import KVBytes
import KVModel

/// The newest record of each key, while a log is replayed.
///
/// This is an open-addressing table over the keys' bytes in the image, so no key is copied. A slot
/// holds half of a hash next to an index, so most comparisons end without access to a key. A record
/// that removes its key stays in the table as the newest record of that key.
///
/// Records are added in batches. The memory that their keys lead to, in the table and in the image,
/// is accessed for the whole batch before the first comparison. The processor then waits for memory
/// once for each batch, not once for each record.
struct LiveTable {
  /// The number of records in a batch.
  private static let batchCount = 32

  /// A random hash seed, so that nobody can craft a file in which all keys have the same hash.
  ///
  /// All tables share one seed, because a random number costs a system call.
  private static let seed = UInt64.random(in: 0 ... .max)

  private var slots: [UInt64]
  private var newest: [Record] = []
  /// The log that is replayed.
  private let log: Range<Int>
  private var bytes = ByteTally()
  private(set) var recordCount = 0
  /// The records of the unfinished batch; `tags` has half of the hash of each one's key.
  private var batch: [Record] = []
  private var tags = [UInt64](repeating: 0, count: LiveTable.batchCount)
  /// The values that were read ahead of time, combined; if they were unused, the compiler would
  /// remove the accesses.
  private var glimpse: UInt64 = 0

  /// Creates an empty table for the records of `log`.
  init(for log: Range<Int>) {
    self.log = log
    slots = [UInt64](repeating: 0, count: 64)
    batch.reserveCapacity(Self.batchCount)
  }

  /// Adds the next record of the log, whose key is in `image`.
  ///
  /// - Complexity: Expected O(1), plus the length of the key.
  @inline(__always)
  mutating func apply(_ record: Record, in image: borrowing FileImage) {
    recordCount += 1
    if record.operation == .struckPut {
      bytes.removed += record.count
      return
    }
    batch.append(record)
    if batch.count == Self.batchCount { settle(in: image) }
  }

  /// Adds the records of the unfinished batch, whose keys are in `image`.
  private mutating func settle(in image: borrowing FileImage) {
    // An empty batch must not even be cleared: changing storage that is shared with a snapshot
    // copies it.
    guard !batch.isEmpty else { return }
    let mask = slots.count - 1
    let seed = Self.seed
    for index in batch.indices {
      tags[index] = image.storageSpan.hash(in: batch[index].key, seed: seed) >> 32
      glimpse ^= slots[Int(truncatingIfNeeded: tags[index]) & mask]
    }
    for index in batch.indices {
      let slot = slots[Int(truncatingIfNeeded: tags[index]) & mask]
      guard slot >> 32 == tags[index], slot != 0 else { continue }
      let known = newest[Self.position(of: slot)].key
      if !known.isEmpty { glimpse ^= UInt64(image[known.lowerBound]) }
    }
    for index in batch.indices { put(batch[index], tag: tags[index], in: image) }
    batch.removeAll(keepingCapacity: true)
  }

  /// Returns the position in `newest` of the record that `slot` refers to.
  private static func position(of slot: UInt64) -> Int {
    Int(truncatingIfNeeded: slot & 0xffff_ffff) - 1
  }

  @inline(__always)
  private mutating func put(_ record: Record, tag: UInt64, in image: borrowing FileImage) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: tag) & mask
    while slots[index] != 0 {
      let slot = slots[index]
      if slot >> 32 == tag {
        let position = Self.position(of: slot)
        let known = newest[position]
        if image.storageSpan.isEqual(known.key, record.key) {
          replace(known, at: position, with: record)
          return
        }
      }
      index = (index + 1) & mask
    }
    if newest.count == newest.capacity { reserve(at: record.offset) }
    newest.append(record)
    if record.operation == .remove { bytes.removed += record.count }
    slots[index] = tag << 32 | UInt64(newest.count)
    // The table grows when it is half full: a failed probe costs more than the extra slots.
    if newest.count * 2 > slots.count { grow(at: record.offset) }
  }

  /// Reserves space for the number of keys to expect if they continue as they did up to `offset`.
  ///
  /// Unused space costs nothing, but moving the records to a larger space does.
  private mutating func reserve(at offset: Int) {
    let growth = min(16, max(2, 1.01 / done(at: offset)))
    newest.reserveLargeCapacity(32 + Int(Double(newest.count) * growth))
  }

  /// Returns the fraction of the log that has been read at `offset`, from slightly above 0 to 1.
  private func done(at offset: Int) -> Double {
    min(1, Double(max(1, offset - log.lowerBound)) / Double(max(1, log.count)))
  }

  // Inlined, so that records are not packed into registers and unpacked again.
  @inline(__always)
  private mutating func replace(_ known: Record, at position: Int, with record: Record) {
    switch (known.operation, record.operation) {
    case (.put, .put): bytes.superseded += known.count
    case (.put, .remove): bytes.removed += known.count + record.count
    case (.remove, .remove): bytes.removed += record.count
    case (.remove, .put), (.struckPut, _), (_, .struckPut): break
    }
    newest[position] = record
  }

  /// Enlarges the table.
  ///
  /// Once enough of the log has been read, the new size fits the number of keys to expect.
  ///
  /// A table that is larger than necessary is slower, because less of it stays in the caches.
  private mutating func grow(at offset: Int) {
    let done = done(at: offset)
    let expected = done < 1.0 / 32 ? 0 : Int(Double(newest.count) / done)
    let old = slots
    var count = old.count * 2
    while count < expected * 2 { count *= 2 }
    slots = [UInt64](zerosInLargePages: count)
    let mask = slots.count - 1
    for slot in old where slot != 0 {
      var index = Int(truncatingIfNeeded: slot >> 32) & mask
      while slots[index] != 0 { index = (index + 1) & mask }
      slots[index] = slot
    }
  }

  /// Returns the newest record of each key, including removals; the keys are in `image`.
  mutating func newestRecords(in image: borrowing FileImage) -> [Record] {
    settle(in: image)
    return newest
  }

  /// Returns the live records among all that were added, in file order, and the bytes by category;
  /// the keys are in `image`.
  mutating func finished(in image: borrowing FileImage) -> (live: [Record], bytes: ByteTally) {
    settle(in: image)
    var live = newest
    if live.contains(where: { $0.operation == .remove }) {
      live.removeAll { $0.operation == .remove }
    }
    var isSorted = true
    for index in live.indices.dropFirst() where live[index].offset < live[index - 1].offset {
      isSorted = false
      break
    }
    if !isSorted { live.sort { $0.offset < $1.offset } }
    return (live, bytes)
  }
}
