import KVModel
import KVRecovery
import KVSystem

/// The entries that a plan keeps, one after the other, with types for their values.
///
/// To weigh what a value can be takes longer than to read and to write it: other threads do that for the
/// entries that come next.
struct TypedEntries<S: Store> {
  /// What one thread has at a time: so many entries, or fewer if they have so many bytes.
  private static var partCount: Int { 1 << 10 }
  private static var partByteCount: Int { 1 << 19 }
  /// How many parts are weighed ahead of the entries that are taken.
  private static var aheadCount: Int { 8 }

  /// An entry, with what its type costs.
  private struct Typed: Sendable {
    let entry: TypedEntry
    let losses: [Loss]
  }

  private let entries: [RepairPlan.KeptEntry]
  private let typing: ValueTyping<S>
  private var work: ParallelWork<ArraySlice<RepairPlan.KeptEntry>, [Typed]>
  /// The entries up to here are weighed, or given to be.
  private var index = 0
  /// Those that come next, the first one last.
  private var ready: [Typed] = []

  init(_ entries: [RepairPlan.KeptEntry], typedBy typing: ValueTyping<S>) {
    self.entries = entries
    self.typing = typing
    work = ParallelWork { Self.weighed($0, by: typing) }
  }

  /// Returns the next entry, with what its type costs.
  ///
  /// - Precondition: There is one.
  mutating func next() -> (entry: TypedEntry, losses: [Loss]) {
    if ready.isEmpty { fill() }
    let typed = ready.removeLast()
    return (typed.entry, typed.losses)
  }

  private mutating func fill() {
    // A value of a type that its record says may be in a file of its own, and long.
    let limit = typing.weighs ? Self.partCount : 1
    while index < entries.count, work.pendingCount < Self.aheadCount {
      let part = part(atMost: limit)
      // What is left needs no thread of its own, and neither does what need not be weighed.
      if work.pendingCount == 0, limit == 1 || index == entries.count {
        ready = Self.weighed(part, by: typing)
        return
      }
      work.give(part)
    }
    ready = work.take()
  }

  /// Takes off the next entries: `limit`, or fewer if they are large.
  private mutating func part(atMost limit: Int) -> ArraySlice<RepairPlan.KeptEntry> {
    let start = index
    var byteCount = 0
    while index < entries.count, index - start < limit, byteCount < Self.partByteCount {
      byteCount += entries[index].record.extent.count
      index += 1
    }
    return entries[start..<index]
  }

  /// The entries of `part`, the first one last.
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
