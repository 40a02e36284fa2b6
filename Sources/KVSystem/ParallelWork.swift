import Dispatch

/// Work on a sequence of parts, done on other threads ahead of the thread that takes the results.
///
/// Results are taken in the order in which the parts were given.
package struct ParallelWork<Part: Sendable, Result: Sendable> {
  private let body: @Sendable (Part) -> Result
  private let results = Arrivals<Result>()
  private var given = 0
  private var taken = 0

  /// Creates work that calls `body` for each part.
  package init(_ body: @escaping @Sendable (Part) -> Result) { self.body = body }

  /// The number of parts whose results have not been taken.
  package var pendingCount: Int { given - taken }

  /// Starts the work on `part`.
  package mutating func give(_ part: Part) {
    let number = given
    given += 1
    DispatchQueue.global().async { [body, results] in results.add(body(part), number) }
  }

  /// Waits for the result of the earliest part whose result has not been taken, and returns it.
  ///
  /// - Precondition: ``pendingCount`` is greater than 0.
  package mutating func take() -> Result {
    defer { taken += 1 }
    return results.take(taken)
  }
}
