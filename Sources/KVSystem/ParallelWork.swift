import Dispatch

/// Work that is done on several processors at once.
package enum ParallelWork {
  /// What `body` makes of each of `parts`, in their order; on as many threads as there are processors.
  package static func map<Part: Sendable, Result: Sendable>(
    _ parts: [Part], _ body: @Sendable (Part) -> Result
  ) -> [Result] {
    guard parts.count > 1 else { return parts.map(body) }
    let results = Arrivals<Result>()
    DispatchQueue.concurrentPerform(iterations: parts.count) { results.add(body(parts[$0]), $0) }
    return parts.indices.compactMap { results.remove($0) }
  }
}
