import KVModel
import KVRecovery
import KVSystem

/// The entries that a plan keeps, returned one by one with typed values.
///
/// Judging the type of a value takes longer than reading and writing it. Other threads do this
/// ahead, for the entries that come next.
struct TypedEntries {
  /// The largest part that a thread gets at a time, in entries and in bytes.
  private static let partCount = 1 << 10
  private static let partByteCount = 1 << 19
  /// The number of parts that are weighed ahead.
  private static let aheadCount = 8

  /// An entry, with the losses of typing it.
  typealias Typed = (entry: TypedEntry, losses: [Loss])

  private let entries: [RepairPlan.KeptEntry]
  /// The number of entries that a thread gets at a time.
  private let limit: Int
  /// Returns the entries of a part with typed values, in reverse order.
  private let typed: @Sendable (ArraySlice<RepairPlan.KeptEntry>) -> [Typed]
  private var work: ParallelWork<ArraySlice<RepairPlan.KeptEntry>, [Typed]>
  /// The number of entries that are weighed or have been given to a thread.
  private var index = 0
  /// The entries that come next, in reverse order.
  private var ready: [Typed] = []

  init<S: Store>(_ entries: [RepairPlan.KeptEntry], typedBy typing: ValueTyping<S>) {
    self.entries = entries
    // If records have types, nothing is weighed, and a long value may be in a separate file: such
    // entries are taken one by one.
    limit = typing.weighs ? Self.partCount : 1
    typed = { part in
      var weighed = WeighedValues()
      return part.reversed().map { typing.entry($0, &weighed) }
    }
    work = ParallelWork(typed)
  }

  /// Returns the next entry, with the losses of typing it.
  ///
  /// - Precondition: Not all entries have been returned.
  mutating func next() -> Typed {
    if ready.isEmpty { fill() }
    return ready.removeLast()
  }

  private mutating func fill() {
    while index < entries.count, work.pendingCount < Self.aheadCount {
      let part = part(atMost: limit)
      // The last part, and entries that need not be weighed, are not worth another thread.
      if work.pendingCount == 0, limit == 1 || index == entries.count {
        ready = typed(part)
        return
      }
      work.add(part)
    }
    work.finishFirst { ready = $0 }
  }

  /// Takes the next entries: `limit`, or fewer if they are large.
  private mutating func part(atMost limit: Int) -> ArraySlice<RepairPlan.KeptEntry> {
    let start = index
    var byteCount = 0
    while index < entries.count, index - start < limit, byteCount < Self.partByteCount {
      byteCount += entries[index].record.extent.count
      index += 1
    }
    return entries[start..<index]
  }
}
