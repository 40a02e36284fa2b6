import KVModel

/// The losses of types that are not stored but were taken: many values of a store share few.
struct TakenLosses {
  /// The number of losses that are kept for other values.
  private static let limit = 8

  private var known: [(kind: Value.Kind, reason: String, others: [Value.Kind], losses: [Loss])] = []

  /// Returns the losses of a value that got a type of `kind` for `reason`, the first of `candidates`.
  mutating func losses(
    of kind: Value.Kind, _ reason: String, among candidates: [TypeCandidate]
  ) -> [Loss] {
    let others = candidates.dropFirst().lazy.map(\.kind)
    for index in known.indices
    where known[index].kind == kind && known[index].others.elementsEqual(others)
      && known[index].reason == reason
    {
      return known[index].losses
    }
    let kinds = Array(others)
    let loss: Loss =
      kinds.isEmpty ? .assumedType(kind, reason) : .likelyType(kind, reason, besides: kinds)
    if known.count == Self.limit { known.removeFirst() }
    known.append((kind, reason, kinds, [loss]))
    return [loss]
  }
}
