/// Work on many small items, done on other threads in parts, ahead of the thread that takes the
/// results.
///
/// Results come in the order in which the items were added.
package struct PartWork<Item: Sendable, Result: Sendable> {
  /// The size, in bytes, at which a part is given to another thread.
  private static var byteCount: Int { 1 << 17 }
  /// The number of items at which a part is given to another thread.
  private static var itemCount: Int { 1 << 9 }
  /// The number of parts that are worked on ahead.
  private static var aheadCount: Int { 4 }

  private let body: @Sendable ([Item]) -> Result
  /// The parts that threads have been given; `nil` before the first.
  private var work: ParallelWork<[Item], Result>?
  private var part: [Item] = []
  private var size = 0

  /// Creates work that calls `body` for each part.
  package init(_ body: @escaping @Sendable ([Item]) -> Result) { self.body = body }

  /// Adds an item that takes `size` bytes, and passes results that are ready to `use`.
  package mutating func add(_ item: Item, _ size: Int, to use: (Result) -> Void) {
    part.append(item)
    self.size += size
    guard part.count == Self.itemCount || self.size >= Self.byteCount else { return }
    let full = takePart()
    if work == nil { work = ParallelWork(body) }
    work?.give(full)
    if let count = work?.pendingCount, count > Self.aheadCount { take(use) }
  }

  /// Passes the results for all items to `use` that it has not had.
  package mutating func finish(to use: (Result) -> Void) {
    while let count = work?.pendingCount, count > 0 { take(use) }
    // The last part is not worth another thread.
    if !part.isEmpty { use(body(takePart())) }
  }

  private mutating func take(_ use: (Result) -> Void) {
    if let result = work?.take() { use(result) }
  }

  private mutating func takePart() -> [Item] {
    defer {
      part = []
      size = 0
    }
    return part
  }
}
