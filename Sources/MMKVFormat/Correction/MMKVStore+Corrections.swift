package import KVModel

extension MMKVStore {
  /// The steps of the search for corrections, each in bytes that the earlier steps have corrected.
  private enum Step: Int, Comparable, CaseIterable {
    /// The vector, with which the first block is decrypted.
    case vector
    /// The bytes of the log and of its checksum.
    case log
    /// Records left in plaintext, and those whose blocks have moved, if the checksum still does not
    /// match.
    case islands

    init(_ correction: Correction) {
      switch correction.rule {
      case OtherVector.id: self = .vector
      case PlaintextRecords.id, MovedBlocks.id: self = .islands
      default: self = .log
      }
    }

    static func < (first: Step, second: Step) -> Bool { first.rawValue < second.rawValue }
  }

  /// The correction of the log's bytes, if there is one.
  var logCorrection: Correction? { corrections.first { !$0.changes.isEmpty } }

  /// The vector used for decryption, if it is not the one that the files lead to.
  var correctedVector: [UInt8]? {
    for case .vector(let vector) in corrections.flatMap(\.edits) { return vector }
    return nil
  }

  /// Returns the corrections of the first undecided step that has any.
  package func proposedCorrections() -> [Correction] {
    let decided = (corrections + declinedCorrections).map { Step($0) }.max()
    for step in Step.allCases where decided.map({ $0 < step }) ?? true {
      let proposed =
        switch step {
        case .vector: view.vectorCorrection().map { [$0] } ?? []
        case .log: CorrectionSearch(view)?.corrections() ?? []
        case .islands: [view.islandCorrection(), view.shiftCorrection()].compactMap { $0 }
        }
      if !proposed.isEmpty { return proposed }
    }
    return []
  }
}
