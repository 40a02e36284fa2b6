import Dispatch

/// Values that one thread makes while another one uses them.
package enum ReadAhead {
  /// The number of values that can wait to be used.
  private static let limit = 8
  /// How long another thread is waited for.
  private static let patience = DispatchTimeInterval.milliseconds(100)

  /// Calls `make` on another thread, with a function that hands over a value, and passes each value
  /// to `use` on this one, in the order in which they were made.
  ///
  /// `make` waits while too many values are unused. Its progress reports and its deadline are those
  /// of the current task. If no other thread can be had, it is called on this one.
  package static func pass<Value: Sendable>(
    _ make: @escaping @Sendable (_ give: (Value) -> Void) -> Void, to use: (Value) -> Void
  ) {
    let values = Arrivals<Value?>()
    let free = DispatchSemaphore(value: limit)
    let listener = WorkProgress.listener
    let end = Deadline.end
    let isBegun = Guarded(false)
    @Sendable func begin() -> Bool {
      isBegun.use { isBegun in
        defer { isBegun = true }
        return !isBegun
      }
    }
    // A queue of its own has a thread even while all threads that queues share are waiting.
    DispatchQueue(label: "kvfsck.read-ahead").async {
      guard begin() else { return }
      var count = 0
      WorkProgress.told(to: listener) {
        Deadline.until(end) {
          make { value in
            free.wait()
            values.add(value, count)
            count += 1
          }
        }
      }
      values.add(nil, count)
    }
    var next = values.take(0, within: patience)
    if next == nil, begin() { return make(use) }
    var count = 0
    while let value = next ?? values.take(count) {
      next = nil
      free.signal()
      use(value)
      count += 1
    }
  }
}
