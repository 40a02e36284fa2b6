import KVModel

/// What a copy turns out to be.
enum CopyJudgement: Sendable {
  /// The checksum matches, and every record of the log is one that the engine reads.
  case taken(log: Extent)
  /// The engine drops the copy. The checksum verifies this log all the same, and the engine could read all
  /// of it.
  case whole(log: Extent)
  /// The checksum matches over records that do not decode: what was changed cancels out in the lanes, so
  /// that they verify nothing else either.
  case accidental
  /// No checksum verifies a log.
  case unverified

  /// What follows from what the header says and from what the engine makes of the records.
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
      // Zeros after a log cost its checksum nothing.
      self = .accidental
    } else {
      self = .unverified
    }
  }

  /// The log that a checksum verifies and whose records the engine could all read; `nil` where there is
  /// none, or it is empty.
  var whole: Extent? {
    switch self {
    case .taken(let log), .whole(let log): log.count > 0 ? log : nil
    case .accidental, .unverified: nil
    }
  }

  /// The rule by which any entry of the copy may be damaged; `nil` where the judgement finds no reason for that.
  var rule: (any EvidenceRule.Type)? {
    if case .accidental = self { AccidentalChecksum.self } else { nil }
  }
}
