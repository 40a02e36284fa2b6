import KVModel

/// The losses of types that are not stored but were taken: many values of a store share few.
struct TakenLosses {
  /// The number of losses that are kept for other values.
  private static let limit = 8

  private var known: [Known] = []

  /// Returns the losses of a value that got a type of `kind` for `reason`, the first of `candidates`.
  mutating func losses(
    of kind: Value.Kind, _ reason: String, among candidates: [TypeCandidate]
  ) -> [Loss] {
    if let index = known.firstIndex(where: { $0.isOf(kind, reason, candidates) }) {
      return known[index].losses
    }
    let others = candidates.dropFirst().map { $0.kind }
    let loss: Loss =
      others.isEmpty ? .assumedType(kind, reason) : .likelyType(kind, reason, besides: others)
    if known.count == Self.limit { known.removeFirst() }
    known.append(Known(kind: kind, reason: reason, others: others, losses: [loss]))
    return [loss]
  }
}

/// The losses of the values that got one type for one reason, besides the same others.
private struct Known {
  let kind: Value.Kind
  let reason: String
  let others: [Value.Kind]
  let losses: [Loss]

  /// Returns whether a value with this choice of a type has these losses.
  func isOf(_ kind: Value.Kind, _ reason: String, _ candidates: [TypeCandidate]) -> Bool {
    guard kind == self.kind, candidates.count == others.count + 1 else { return false }
    for index in others.indices where candidates[index + 1].kind != others[index] { return false }
    return reason == self.reason
  }
}
