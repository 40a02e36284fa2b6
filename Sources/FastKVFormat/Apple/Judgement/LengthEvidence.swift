import KVModel

/// The evidence for the length of a log: what the header claims, what the records show, and the
/// judgment.
///
/// The engine always ends a log after a record's separator. So a length that ends elsewhere is
/// wrong. A length with whole records directly after it may be wrong: they are either leftovers
/// from before a compaction, or records that the length does not count (``LeftoverOdds``).
package struct LengthEvidence: Sendable {
  /// What the header claims.
  let stated: StatedLength
  /// What the records show.
  let survey: LengthSurvey
  /// The verdict on the length.
  package let judgement: LengthJudgement

  /// Gathers the evidence from the file that `reader` reads.
  init(_ reader: AppleRecordReader, _ header: AppleHeader) {
    stated = StatedLength(header, of: reader.image)
    survey = LengthSurvey(reader, stated)
    judgement = LengthJudge(reader: reader, stated: stated, survey: survey).judgement
  }

  /// The range in which records of the log may be damaged; `nil` if everything that was written is
  /// whole.
  var damaged: Range<Int>? {
    guard survey.hasDamage else { return nil }
    return judgement.isAsStated ? stated.log : stated.written
  }
}
