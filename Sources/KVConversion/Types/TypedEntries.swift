import KVModel
import KVRecovery
import KVSystem

/// The entries that a plan keeps, one after the other, with types for their values.
///
/// To weigh what a value can be takes longer than to read and to write it: that is done for many at once, on
/// all processors.
struct TypedEntries<S: Store> {
  /// What is weighed at once: so many entries, or fewer if they have so many bytes.
  private static var batchCount: Int { 1 << 13 }
  private static var batchByteCount: Int { 1 << 21 }
  /// Entries in a part that one processor has at a time.
  private static var partCount: Int { 1 << 10 }

  private let entries: [RepairPlan.KeptEntry]
  private let typing: ValueTyping<S>
  private var batch: [(entry: TypedEntry, losses: [Loss])] = []
  private var batchStart = 0
  private var index = 0

  init(_ entries: [RepairPlan.KeptEntry], typedBy typing: ValueTyping<S>) {
    self.entries = entries
    self.typing = typing
  }

  /// Returns the next entry, with what its type costs.
  ///
  /// - Precondition: There is one.
  mutating func next() -> (entry: TypedEntry, losses: [Loss]) {
    if index == batchStart + batch.count { fill() }
    defer { index += 1 }
    return batch[index - batchStart]
  }

  private mutating func fill() {
    batchStart = index
    // A value of a type that its record says may be in a file of its own, and long.
    guard typing.weighs else {
      var weighed = WeighedValues()
      batch = [typing.entry(entries[index], &weighed)]
      return
    }
    var end = index
    var byteCount = 0
    while end < entries.count, end - index < Self.batchCount, byteCount < Self.batchByteCount {
      byteCount += entries[end].record.extent.count
      end += 1
    }
    let parts = stride(from: index, to: end, by: Self.partCount).map {
      entries[$0..<min($0 + Self.partCount, end)]
    }
    batch = ParallelWork.map(parts) { [typing] part in
      var weighed = WeighedValues()
      return part.map { typing.entry($0, &weighed) }
    }.flatMap(\.self)
  }
}
