import Dispatch

/// Work on numbered parts, done on other threads, whose results are awaited in any order.
///
/// A part that no other thread has begun is done by the thread that waits: the system may give none, and
/// the waiting thread may itself be one of those that all queues share. The task-local values of the
/// caller do not apply to it.
package final class BatchWork<Part: Sendable, Result: Sendable> {
  /// How long a waiting thread sleeps at a time.
  private static var nap: DispatchTimeInterval { .milliseconds(100) }
  /// How many times it sleeps before it does the work of a thread that has not begun.
  private static var patience: Int { 10 }

  private let body: @Sendable (Part) -> Result
  private let finished = Arrivals<Result>()
  /// The parts that no thread has begun, by number.
  private let waiting = Guarded<[Int: Part]>([:])

  /// Creates work that calls `body` for each part.
  package init(_ body: @escaping @Sendable (Part) -> Result) { self.body = body }

  /// Starts the work on `part`.
  package func begin(_ part: Part, _ number: Int) {
    waiting.use { $0[number] = part }
    DispatchQueue.global().async { [body, finished, waiting] in
      guard let part = waiting.use({ $0.removeValue(forKey: number) }) else { return }
      finished.add(body(part), number)
    }
  }

  /// Waits until another part is done; `meanwhile` is called about ten times a second.
  package func wait(meanwhile: () -> Void) {
    var naps = 0
    while !finished.wait(atMost: Self.nap) {
      meanwhile()
      naps += 1
      guard naps % Self.patience == 0 else { continue }
      let first = waiting.use { waiting in
        waiting.keys.min().map { (number: $0, part: waiting.removeValue(forKey: $0)) }
      }
      guard let first, let part = first.part else { continue }
      finished.add(body(part), first.number)
    }
  }

  /// Returns the result for the part `number`.
  func take(_ number: Int) -> Result {
    if let part = waiting.use({ $0.removeValue(forKey: number) }) { return body(part) }
    return finished.take(number)
  }

  /// Removes and returns the result for the part `number`; `nil` if it is not done.
  package func remove(_ number: Int) -> Result? { finished.remove(number) }
}
