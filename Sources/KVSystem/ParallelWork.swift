import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Work on a stream of items, done on other threads in groups, ahead of the thread that takes the
/// results.
///
/// Results are taken in the order of the items, although several groups are worked on at a time. A
/// group may have any number of results, and those that are there can be taken before it is done.
/// The progress reports and the deadline of the work are those of the task that adds the items.
///
/// A group that no other thread has begun is done by the thread that waits for it, as the system may
/// give no threads.
package struct ParallelWork<Item: Sendable, Result: Sendable> {
  /// Does the work on a group, and passes on each result.
  package typealias Body = @Sendable (_ group: [Item], _ give: (Result) -> Void) -> Void

  /// The size of small items, in bytes, at which a group of them is full.
  private static var byteCount: Int { 1 << 17 }
  /// The number of small items at which a group of them is full.
  private static var itemCount: Int { 1 << 9 }
  /// The number of groups of small items that are worked on ahead.
  private static var aheadCount: Int { 4 }
  /// How often a thread looks for a result before it sleeps; about a tenth of a millisecond.
  private static var lookCount: Int { 256 }

  private let queue: GroupQueue<Item, Result>
  private let groupCount: Int
  /// The group that is being filled, and its size in bytes.
  private var group: [Item] = []
  private var size = 0

  /// Creates work that calls `body` for each group of at most `groupCount` items.
  ///
  /// At most `threadCount` groups are worked on at a time, or one for each processor. If `limit` is
  /// given, a group is not worked on further while it has so many results that are not taken.
  package init(
    groupsOf groupCount: Int, threads threadCount: Int? = nil, atMostReady limit: Int? = nil,
    _ body: @escaping Body
  ) {
    self.groupCount = groupCount
    queue = GroupQueue(threadCount ?? Self.processorCount, limit, body)
  }

  /// Creates work on single items, each of which has one result.
  package init(_ body: @escaping @Sendable (Item) -> Result) {
    self.init(groupsOf: 1) { group, give in group.forEach { give(body($0)) } }
  }

  /// Returns work on groups of small items, each of which has one result.
  package static func onSmallItems(_ body: @escaping @Sendable ([Item]) -> Result) -> Self {
    Self(groupsOf: itemCount) { group, give in give(body(group)) }
  }

  private static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The number of full groups whose results have not all been taken.
  package var pendingCount: Int { queue.counts.pending }
  /// The number of full groups on which no thread works yet.
  package var waitingCount: Int { queue.counts.waiting }

  /// Adds an item.
  package mutating func add(_ item: Item) {
    group.append(item)
    if group.count == groupCount { closeGroup() }
  }

  /// Adds an item of `size` bytes, and passes results that are ready to `use`, so that not many
  /// groups are worked on ahead.
  package mutating func add(_ item: Item, _ size: Int, to use: (Result) -> Void) {
    self.size += size
    add(item)
    if self.size >= Self.byteCount { closeGroup() }
    if group.isEmpty, pendingCount > Self.aheadCount { finishFirst(to: use) }
  }

  /// Lets the work on the last group begin, although it may not be full.
  package mutating func closeGroup() {
    if !group.isEmpty { queue.add(takeGroup()) }
  }

  /// Passes those results of the earliest group to `use` that are ready, or waits a tenth of a
  /// second for one.
  ///
  /// - Returns: Whether a result has been taken, or a group is done.
  package func pass(to use: (Result) -> Void) -> Bool {
    queue.pass(to: use) || queue.waits(to: use)
  }

  /// Waits until the earliest group is done, and passes its results to `use` as they come.
  package func finishFirst(to use: (Result) -> Void) {
    let goal = pendingCount - 1
    var lookCount = 0
    while pendingCount > goal {
      if queue.pass(to: use) {
        lookCount = 0
      } else if lookCount < Self.lookCount {
        // To wake a thread takes longer, on a virtual machine, than many a result takes to come.
        lookCount += 1
        sched_yield()
      } else {
        _ = queue.waits(to: use)
      }
    }
  }

  /// Passes the results for all items to `use` that it has not had.
  package mutating func finish(to use: (Result) -> Void) {
    while pendingCount > 0 { finishFirst(to: use) }
    // The last group is not worth another thread.
    if !group.isEmpty { queue.body(takeGroup(), use) }
  }

  private mutating func takeGroup() -> [Item] {
    defer {
      group = []
      size = 0
    }
    return group
  }
}

/// Full groups of items, of which the earliest ones are worked on.
private final class GroupQueue<Item: Sendable, Result: Sendable>: Sendable {
  // A class, because the threads that do the work share it.

  /// A group, and the results of its work that have not been taken.
  private struct Group {
    let items: [Item]
    let listener: WorkProgress.Listener?
    let end: ContinuousClock.Instant?
    /// Counts how many more results can wait to be taken; `nil` if there is no limit.
    let room: DispatchSemaphore?
    var results: [Result] = []
    var isDone = false
  }

  private struct State {
    /// The groups that are not removed, the earliest first.
    var groups: [Group] = []
    /// The number of groups that were removed, and that were begun, of all that were added.
    var (removedCount, begunCount) = (0, 0)
    var threadCount = 0

    /// Returns the number of the next group, and the group, on which work begins; `nil` if there is
    /// none.
    mutating func begin() -> (number: Int, group: Group)? {
      let index = begunCount - removedCount
      guard index < groups.count else { return nil }
      begunCount += 1
      return (begunCount - 1, groups[index])
    }
  }

  let body: ParallelWork<Item, Result>.Body
  private let threadLimit: Int
  private let readyLimit: Int?
  private let state = Guarded(State())
  /// Signalled when a group is done, and with each result of a group that has a limit of them.
  private let news = DispatchSemaphore(value: 0)

  init(
    _ threadLimit: Int, _ readyLimit: Int?, _ body: @escaping ParallelWork<Item, Result>.Body
  ) {
    self.threadLimit = threadLimit
    self.readyLimit = readyLimit
    self.body = body
  }

  var counts: (pending: Int, waiting: Int) {
    state.use { ($0.groups.count, $0.removedCount + $0.groups.count - $0.begunCount) }
  }

  func add(_ items: [Item]) {
    let group = Group(
      items: items, listener: WorkProgress.listener, end: Deadline.end,
      room: readyLimit.map(Self.semaphore))
    let needsThread = state.use { state in
      state.groups.append(group)
      guard state.threadCount < threadLimit else { return false }
      state.threadCount += 1
      return true
    }
    guard needsThread else { return }
    // A queue of its own has a thread even while all threads that queues share are waiting.
    DispatchQueue(label: "kvfsck.work").async { self.workOnAll() }
  }

  /// Returns a semaphore with the given value, which it need not have when it is freed.
  private static func semaphore(_ value: Int) -> DispatchSemaphore {
    let semaphore = DispatchSemaphore(value: 0)
    for _ in 0..<value { semaphore.signal() }
    return semaphore
  }

  private func workOnAll() {
    while let (number, group) = next() {
      WorkProgress.told(to: group.listener) {
        Deadline.until(group.end) {
          body(group.items) { result in
            group.room?.wait()
            state.use { $0.groups[number - $0.removedCount].results.append(result) }
            if group.room != nil { news.signal() }
          }
        }
      }
      finish(number)
    }
  }

  private func next() -> (number: Int, group: Group)? {
    state.use { state in
      let next = state.begin()
      if next == nil { state.threadCount -= 1 }
      return next
    }
  }

  private func finish(_ number: Int) {
    state.use { $0.groups[number - $0.removedCount].isDone = true }
    news.signal()
  }

  /// Passes those results of the earliest group to `use` that are ready, and returns whether there
  /// were any, or the group is done.
  func pass(to use: (Result) -> Void) -> Bool {
    let (results, room, isDone) = state.use { state -> ([Result], DispatchSemaphore?, Bool) in
      guard let first = state.groups.first else { return ([], nil, false) }
      if first.isDone {
        state.groups.removeFirst()
        state.removedCount += 1
      } else {
        state.groups[0].results = []
      }
      return (first.results, first.room, first.isDone)
    }
    for result in results {
      room?.signal()
      use(result)
    }
    return isDone || !results.isEmpty
  }

  /// Waits a tenth of a second for news, and returns whether there are any.
  ///
  /// If there are none because no other thread has begun with the earliest group, this one works on
  /// it, and passes its results to `use`.
  func waits(to use: (Result) -> Void) -> Bool {
    if news.wait(timeout: .now() + .milliseconds(100)) == .success { return true }
    let own = state.use { $0.begunCount == $0.removedCount ? $0.begin() : nil }
    guard let (number, group) = own else { return false }
    body(group.items, use)
    finish(number)
    return true
  }
}
