import Dispatch

/// Work on numbered parts, done by tasks, whose results are awaited in any order.
///
/// The task-local values of the caller do not apply to it.
package final class BatchWork<Part: Sendable, Result: Sendable> {
  /// How long a task is waited for before the waiting thread does its work.
  private static var patience: DispatchTimeInterval { .seconds(1) }

  private let body: @Sendable (Part) -> Result
  private let finished = Arrivals<Result>()
  private let waiting = WaitingParts<Part>()

  /// Creates work that calls `body` for each part.
  package init(_ body: @escaping @Sendable (Part) -> Result) { self.body = body }

  /// Starts the work on `part`.
  package func begin(_ part: Part, _ number: Int) {
    waiting.add(part, number)
    Task.detached { [body, finished, waiting] in
      guard let part = waiting.take(number) else { return }
      finished.add(body(part), number)
    }
  }

  /// Waits until another part is done.
  package func wait() {
    while !finished.wait(atMost: Self.patience) {
      guard let (number, part) = waiting.takeFirst() else { continue }
      finished.add(body(part), number)
    }
  }

  /// Removes and returns the result for the part `number`; `nil` if it is not done.
  package func remove(_ number: Int) -> Result? { finished.remove(number) }
}
