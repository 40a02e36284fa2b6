import KVModel

/// The verdict on a copy.
enum CopyJudgement: Sendable {
  /// The checksum matches, and the engine reads every record of the log.
  case taken(log: Extent)
  /// The engine drops the copy, but the checksum verifies this log and the engine could read all of
  /// it.
  case whole(log: Extent)
  /// The checksum matches over records that do not decode: changes cancel out in the lanes, so the
  /// match verifies nothing.
  case accidental
  /// No checksum verifies a log.
  case unverified

  /// Judges a copy by what its header claims and what the engine makes of its records.
  ///
  /// - Complexity: O(size of the file).
  init(_ stated: CopyClaim, _ copy: DecodedCopy, _ survey: LogSurvey?, isCorrected: Bool) {
    if let log = stated.log, let survey, survey.refused == nil {
      self = .taken(log: log)
    } else if !isCorrected, copy.isReadable,
      let log = WholeLog.proven(
        copy, in: stated.area.range, by: stated.header.checksum, statedEnd: stated.log?.end)
    {
      self = .whole(log: log)
    } else if let survey, survey.isBroken, survey.strays.isEmpty {
      // Zeros after a log do not change its checksum.
      self = .accidental
    } else {
      self = .unverified
    }
  }

  /// The log, if a checksum verifies it and the engine could read all its records; `nil` if there
  /// is none or it is empty.
  var whole: Extent? {
    switch self {
    case .taken(let log), .whole(let log): log.count > 0 ? log : nil
    case .accidental, .unverified: nil
    }
  }

  /// The rule by which any entry of the copy may be damaged; `nil` if the verdict gives no reason
  /// for that.
  var rule: (any EvidenceRule.Type)? {
    if case .accidental = self { AccidentalChecksum.self } else { nil }
  }
}
