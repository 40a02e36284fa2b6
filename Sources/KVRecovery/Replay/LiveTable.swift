import KVBytes
import KVModel

/// The newest record of each key, while a log is replayed.
///
/// An open-addressing table over the keys' bytes in the image: no key is copied. A slot holds half of
/// a hash beside an index, so that most comparisons end without looking at a key. A record that
/// removes its key stays in the table, as the newest of that key.
///
/// Records are taken in some at a time: what their keys lead to in the table and in the image is looked at
/// for all of them before the first is compared, so that the machine waits for memory once and not for each.
struct LiveTable {
  /// How many records are taken in at a time.
  private static let batchCount = 32

  /// What nobody who makes a file knows: else all its keys could have the same hash.
  ///
  /// One for all tables, as a random number is a system call.
  private static let seed = UInt64.random(in: 0 ... .max)

  private var slots: [UInt64]
  private var newest: [Record] = []
  /// Where the log is that is replayed.
  private let log: Range<Int>
  private var bytes = ByteTally()
  private(set) var recordCount = 0
  /// The records that are not taken in yet, and later half a hash of each one's key.
  private var batch: [Record] = []
  private var tags = [UInt64](repeating: 0, count: LiveTable.batchCount)
  /// What was looked at ahead of time, which says nothing: without it, nothing would be.
  private var glimpse: UInt64 = 0

  /// An empty table, for the records of `log`.
  init(for log: Range<Int>) {
    self.log = log
    slots = [UInt64](repeating: 0, count: 64)
    batch.reserveCapacity(Self.batchCount)
  }

  /// Takes in the next record of the log; `image` has its key.
  ///
  /// - Complexity: O(1) expected, and the length of the key.
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

  /// Takes in the records that are not taken in yet; `image` has their keys.
  private mutating func settle(in image: borrowing FileImage) {
    // Not even to empty it: what is shared with a snapshot would be copied.
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

  /// Where the record stands in `newest` that `slot` is about.
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
    // At one half: a probe that misses costs more than the slots that it would save.
    if newest.count * 2 > slots.count { grow(at: record.offset) }
  }

  /// Makes room for as many keys as there will be if they go on as up to `offset`: room that is not used
  /// costs nothing, and to move the records to where there is more does.
  private mutating func reserve(at offset: Int) {
    let growth = min(16, max(2, 1.01 / done(at: offset)))
    newest.reserveLargeCapacity(32 + Int(Double(newest.count) * growth))
  }

  /// How much of the log is done at `offset`, from a little above 0 to 1.
  private func done(at offset: Int) -> Double {
    min(1, Double(max(1, offset - log.lowerBound)) / Double(max(1, log.count)))
  }

  // Inlined, so that records are not packed into registers and out of them again.
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

  /// Makes the table larger: for as many keys as there will be, once enough of the log is done to tell.
  ///
  /// A table that is larger than it must be is slower, as less of it stays in the caches.
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

  /// The newest record of each key, also where that removes the key; `image` has the keys.
  mutating func newestRecords(in image: borrowing FileImage) -> [Record] {
    settle(in: image)
    return newest
  }

  /// The live records of all that was taken in, in file order, and how many bytes are what; `image` has
  /// the keys.
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
