package import KVModel

/// The evidence rules for damaged stores of FastKV for Android, in addition to those for all logs.
package enum AndroidRules {
  /// The rules, in the order in which they are applied.
  package static let all: [any EvidenceRule.Type] = [
    AndroidSegmentation.self,
    CopyVote.self,
    LaneChange.self,
    AndroidLikelyCorrection.self,
    AccidentalChecksum.self,
    ExternalValue.self,
    OtherCopy.self,
    NewestCopy.self,
    AndroidLogEnd.self,
  ]
}

extension AndroidFastKVFormat {
  /// The findings and rules of FastKV for Android.
  package static var declarations: FormatDeclarations {
    FormatDeclarations(
      title: "FastKV for Android", findings: AndroidFindings.all, rules: AndroidRules.all)
  }
}

/// Segmentation of damaged logs of FastKV for Android.
enum AndroidSegmentation: EvidenceRule {
  static let id: RuleID = "fastkv-android.segmentation"
  static let premise = """
    a record does not decode. Of all ways to split the bytes around it into records and gaps, one \
    has the minimum cost
    """
  static let conclusion =
    "the bytes that this split leaves out are no record, and reading continues after them"
  static let ceiling = Evidence.guess
  static let failure = "as `mmkv.segmentation`"
}

/// A correction by merging the two copies of the pair.
enum CopyVote: EvidenceRule {
  static let id: RuleID = "fastkv-android.copy-vote"
  static let premise = """
    no copy of the pair is whole. Of all choices between them where they differ, exactly one \
    makes the checksum match
    """
  static let conclusion = "the chosen bytes are right"
  static let ceiling = Evidence.corrected
  static let failure = """
    if both copies are damaged in the same place; none of 1,240 corrections of several bytes with \
    52 bits or more was false
    """
}

/// A correction of changed bytes by the lanes of the checksum.
enum LaneChange: EvidenceRule {
  static let id: RuleID = "fastkv-android.lanes"
  static let premise = """
    the lanes show a change within eight bytes, and the log decodes only if it is undone at one \
    particular place
    """
  static let conclusion = """
    the bytes at that place have changed. This gives at most 8 bits, so \
    `fastkv-android.likely-correction` limits all entries
    """
  static let ceiling = Evidence.corrected
  static let failure = """
    29 of 1,385 corrections of several bytes with 4 to 7 bits were false (2.1%), and 1 of 2,775 of \
    one bit with 8 to 11
    """
}

/// A correction that is likely but not proven.
enum AndroidLikelyCorrection: EvidenceRule {
  static let id: RuleID = "fastkv-android.likely-correction"
  static let premise = "the checksum of the copy matches only with a correction of 6 to 11 bits"
  static let conclusion = "any entry may still be damaged"
  static let ceiling = Evidence.structure
  static let failure = "most such corrections are right: see the rules above"
}

/// A checksum that matches by accident.
enum AccidentalChecksum: EvidenceRule {
  static let id: RuleID = "fastkv-android.accidental-checksum"
  static let premise = """
    the checksum matches, but the engine never writes such a record: it does not decode, has \
    U+0000, or is in the clear in an encrypted store. Or no byte of the file has its highest bit
    """
  static let conclusion = "changes cancelled out in the lanes, and the entry may be damaged"
  static let ceiling = Evidence.structure
  static let failure = "if the app wrote such a record"
}

/// A value in an external file.
enum ExternalValue: EvidenceRule {
  static let id: RuleID = "fastkv-android.external-value"
  static let premise = "the value is in a file of its own, which has no checksum"
  static let conclusion =
    "nothing verifies the value; it may be damaged if the file is missing or looks damaged"
  static let ceiling = Evidence.structure
  static let failure = "most such values are right"
}

/// Another copy that may be newer or has other values.
enum OtherCopy: EvidenceRule {
  static let id: RuleID = "fastkv-android.other-copy"
  static let premise = """
    another copy is valid and differs, or is not valid and of another state, or a write to it was \
    interrupted
    """
  static let conclusion = """
    entries of this copy may be stale, or damaged if the other copy has another value at the same \
    place
    """
  static let ceiling = Evidence.structure
  static let failure = "if the other copy is the older one, and nothing shows that"
}

/// The choice of the primary copy.
enum NewestCopy: EvidenceRule {
  static let id: RuleID = "fastkv-android.newest-copy"
  static let premise = """
    several copies are valid; deleted records, appended records and changed values show which one \
    was written last
    """
  static let conclusion =
    "the newest copy is the store; if nothing decides, the order is that of the engine: C, A, B"
  static let ceiling = Evidence.checksum
  static let failure = """
    if a whole copy is of an earlier state, and nothing of the newer one is left in the copy next \
    to it
    """
}

/// The end of the log in a damaged copy.
enum AndroidLogEnd: EvidenceRule {
  static let id: RuleID = "fastkv-android.log-end"
  static let premise = """
    neither header decides. What they say is weighed against the lanes in which the checksum \
    differs, keys that have two records, and the zeros and records that follow
    """
  static let conclusion = "the log ends at the likeliest place, and newer values may be missing"
  static let ceiling = Evidence.structure
  static let failure = """
    after a log that was cleared and written again with records of the same size. With two kinds \
    of damage in each copy, 14 of 2,330 entries get an older value
    """
}
