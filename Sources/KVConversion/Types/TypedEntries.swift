import KVModel
import KVRecovery
import KVSystem

/// The entries that a plan keeps, returned one by one with typed values.
///
/// Judging the type of a value takes longer than reading and writing it. Other threads do this
/// ahead, for the entries that come next.
struct TypedEntries<S: Store> {
  /// The largest part that a thread gets at a time, in entries and in bytes.
  private static var partCount: Int { 1 << 10 }
  private static var partByteCount: Int { 1 << 19 }
  /// The number of parts that are weighed ahead.
  private static var aheadCount: Int { 8 }

  /// An entry, with the losses of typing it.
  private struct Typed: Sendable {
    let entry: TypedEntry
    let losses: [Loss]
  }

  private let entries: [RepairPlan.KeptEntry]
  private let typing: ValueTyping<S>
  private var work: ParallelWork<ArraySlice<RepairPlan.KeptEntry>, [Typed]>
  /// The number of entries that are weighed or have been given to a thread.
  private var index = 0
  /// The entries that come next, in reverse order.
  private var ready: [Typed] = []

  init(_ entries: [RepairPlan.KeptEntry], typedBy typing: ValueTyping<S>) {
    self.entries = entries
    self.typing = typing
    work = ParallelWork { Self.weighed($0, by: typing) }
  }

  /// Returns the next entry, with the losses of typing it.
  ///
  /// - Precondition: Not all entries have been returned.
  mutating func next() -> (entry: TypedEntry, losses: [Loss]) {
    if ready.isEmpty { fill() }
    let typed = ready.removeLast()
    return (typed.entry, typed.losses)
  }

  private mutating func fill() {
    // If records have types, nothing is weighed, and a long value may be in a separate file: such
    // entries are taken one by one.
    let limit = typing.weighs ? Self.partCount : 1
    while index < entries.count, work.pendingCount < Self.aheadCount {
      let part = part(atMost: limit)
      // The last part, and entries that need not be weighed, are not worth another thread.
      if work.pendingCount == 0, limit == 1 || index == entries.count {
        ready = Self.weighed(part, by: typing)
        return
      }
      work.give(part)
    }
    ready = work.take()
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

  /// Returns the entries of `part` with typed values, in reverse order.
  private static func weighed(
    _ part: ArraySlice<RepairPlan.KeptEntry>, by typing: ValueTyping<S>
  ) -> [Typed] {
    var weighed = WeighedValues()
    return part.reversed().map {
      let (entry, losses) = typing.entry($0, &weighed)
      return Typed(entry: entry, losses: losses)
    }
  }
}
