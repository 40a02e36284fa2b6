package import KVModel

/// The choice among the corrections that a store proposes.
///
/// 1. A correction is accepted only if its odds have the bits that it needs. It needs
///    ``CoincidenceOdds/likelyBits``, or none if the bytes are certainly wrong as stored.
/// 2. If several corrections explain the same damage, none is accepted, because nothing shows which
///    one is right.
/// 3. If several corrections each restore a copy of one log, the likeliest is accepted. Of equally
///    likely ones, the first is.
///
/// Corrections that are not accepted are kept, so that findings can list them.
package struct CorrectionChoice {
  /// The corrections that are accepted, in the order in which they were proposed.
  package let accepted: [Correction]
  /// The other corrections.
  package let declined: [Correction]

  /// Chooses among corrections that were proposed together.
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
  /// Returns the store as judged, read with the corrections that are likely and have no rival.
  ///
  /// Call this after `open` to examine what a store holds. To predict what the app's engine does
  /// with it, use the store as found.
  ///
  /// - Complexity: The cost of the searches; O(1) for a store whose checksums all match.
  package func corrected() -> Self {
    var store = judged()
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
