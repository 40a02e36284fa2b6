import Dispatch

/// Work on the parts of a whole, done on other threads ahead of whoever takes what comes of it.
///
/// The results are taken in the order in which the parts were given.
package struct ParallelWork<Part: Sendable, Result: Sendable> {
  private let body: @Sendable (Part) -> Result
  private let results = Arrivals<Result>()
  private var given = 0
  private var taken = 0

  /// Work that is `body`, without a part so far.
  package init(_ body: @escaping @Sendable (Part) -> Result) { self.body = body }

  /// How many parts are given whose results have not been taken.
  package var pendingCount: Int { given - taken }

  /// Begins the work on `part`.
  package mutating func give(_ part: Part) {
    let number = given
    given += 1
    DispatchQueue.global().async { [body, results] in results.add(body(part), number) }
  }

  /// Waits for what comes of the first part whose result has not been taken.
  ///
  /// - Precondition: There is one.
  package mutating func take() -> Result {
    while true {
      if let result = results.remove(taken) {
        taken += 1
        return result
      }
      results.wait()
    }
  }
}
