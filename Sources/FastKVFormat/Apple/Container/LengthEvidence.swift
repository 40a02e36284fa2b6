import KVModel

/// What is believed about the length of a log: what the header claims, what the records show, and what
/// follows from the two.
///
/// An engine ends the log after a record's separator, always. So a length that ends elsewhere is
/// wrong; and where whole records go on directly after it, it may be: they are what was there before a
/// compaction, or what the length does not know of. A compaction keeps every live key. What stands
/// after it can hold no key that the log has never heard of, and no value but the log's own, but
/// for one: that of the write which led to the compaction.
package struct LengthEvidence: Sendable {
  /// What the header says.
  let stated: StatedLength
  /// What the records show.
  let survey: LengthSurvey
  /// What the length turns out to be.
  package let judgement: LengthJudgement

  /// The evidence in the file that `reader` reads.
  init(_ reader: AppleRecordReader, _ header: AppleHeader) {
    stated = StatedLength(header, of: reader.image)
    survey = LengthSurvey(reader, stated)
    judgement = LengthJudge(reader: reader, stated: stated, survey: survey).judgement
  }

  /// Where records of the log can be damaged; `nil` where all that was ever written is whole.
  var damaged: Range<Int>? {
    guard survey.hasDamage else { return nil }
    return judgement.isAsStated ? stated.log : stated.written
  }
}
