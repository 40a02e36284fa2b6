import KVBytes
import KVModel

/// The newest record of each key, while a log is replayed.
///
/// An open-addressing table over the keys' bytes in the image: no key is copied. A slot holds half of
/// a hash beside an index, so that most comparisons end without looking at a key. A record that
/// removes its key stays in the table, as the newest of that key.
struct LiveTable {
  private var slots: [UInt64]
  private var newest: [Record] = []
  private let seed = UInt64.random(in: 0 ... .max)
  private(set) var bytes = ByteTally()
  private(set) var recordCount = 0

  /// An empty table.
  init() { slots = [UInt64](repeating: 0, count: 64) }

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
    let tag = image.storageSpan.hash(in: record.key, seed: seed) >> 32
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: tag) & mask
    while slots[index] != 0 {
      let slot = slots[index]
      if slot >> 32 == tag {
        let position = Int(truncatingIfNeeded: slot & 0xffff_ffff) - 1
        let known = newest[position]
        if image.storageSpan.isEqual(known.key, record.key) {
          replace(known, at: position, with: record)
          return
        }
      }
      index = (index + 1) & mask
    }
    newest.append(record)
    if record.operation == .remove { bytes.removed += record.count }
    slots[index] = tag << 32 | UInt64(newest.count)
    // At one half: a probe that misses costs more than the slots that it would save.
    if newest.count * 2 > slots.count { grow() }
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

  private mutating func grow() {
    let old = slots
    slots = [UInt64](repeating: 0, count: old.count * 2)
    let mask = slots.count - 1
    for slot in old where slot != 0 {
      var index = Int(truncatingIfNeeded: slot >> 32) & mask
      while slots[index] != 0 { index = (index + 1) & mask }
      slots[index] = slot
    }
  }

  /// The live records, in file order.
  consuming func live() -> [Record] {
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
    return live
  }
}
