/// Work on a sequence of parts, done on other threads ahead of the thread that takes the results.
///
/// Results are taken in the order in which the parts were given.
package struct ParallelWork<Part: Sendable, Result: Sendable> {
  private let work: BatchWork<Part, Result>
  private var given = 0
  private var taken = 0

  /// Creates work that calls `body` for each part.
  package init(_ body: @escaping @Sendable (Part) -> Result) { work = BatchWork(body) }

  /// The number of parts whose results have not been taken.
  package var pendingCount: Int { given - taken }

  /// Starts the work on `part`.
  package mutating func give(_ part: Part) {
    work.begin(part, given)
    given += 1
  }

  /// Returns the result of the earliest part whose result has not been taken.
  ///
  /// - Precondition: ``pendingCount`` is greater than 0.
  package mutating func take() -> Result {
    defer { taken += 1 }
    return work.take(taken)
  }
}
