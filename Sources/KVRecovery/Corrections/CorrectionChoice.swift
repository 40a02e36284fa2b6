package import KVModel

/// Which of the corrections that a store proposes it is read with.
///
/// 1. A correction needs its bits: ``CoincidenceOdds/likelyBits``, unless the bytes are wrong for certain as
///    they are stored.
/// 2. Of several that explain the same damage, none is taken: nothing tells which one is right.
/// 3. Of several that each restore a copy of one log, the likeliest is taken, the first of equals.
///
/// What is not taken is kept, so that findings can list it.
package struct CorrectionChoice {
  /// The corrections to read the store with, in the order in which they were proposed.
  package let accepted: [Correction]
  /// The other corrections.
  package let declined: [Correction]

  /// Creates the choice among corrections that were proposed at once.
  package init(among proposed: [Correction]) {
    let isContested = proposed.count { $0.rivalry == .contradicting } > 1
    var best: Correction?
    for correction in proposed where correction.rivalry == .redundant && correction.isAcceptable {
      if let odds = best?.odds, let others = correction.odds, odds >= others { continue }
      best = correction
    }
    let isAccepted = { (correction: Correction) in
      switch correction.rivalry {
      case .none: correction.isAcceptable
      case .contradicting: correction.isAcceptable && !isContested
      case .redundant: correction == best
      }
    }
    accepted = proposed.filter(isAccepted)
    declined = proposed.filter { !isAccepted($0) }
  }
}

extension CorrectableStore {
  /// Returns the store, read with the corrections that are likely and have no rival.
  ///
  /// Call this after `open` to learn what a store holds. To learn what the app's engine makes of
  /// it, ask the store as found.
  ///
  /// - Complexity: That of the searches; O(1) in a store that its checksums verify.
  package func corrected() -> Self {
    var store = self
    while true {
      let proposed = store.proposedCorrections()
      if proposed.isEmpty { return store }
      let choice = CorrectionChoice(among: proposed)
      store = store.applying(
        store.corrections + choice.accepted,
        declining: store.declinedCorrections + choice.declined)
    }
  }
}
