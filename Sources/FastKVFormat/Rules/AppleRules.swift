package import KVModel

/// The evidence rules for damaged stores of FastKV for iOS, in addition to those for all logs.
package enum AppleRules {
  /// The rules, in the order in which they are applied.
  package static let all: [any EvidenceRule.Type] = [
    AppleSegmentation.self,
    AppleMisplacedBlocks.self,
    AppleOneBit.self,
    AppleRestoredHeader.self,
    AppleDividedRecord.self,
    AppleUndecidedKey.self,
    AppleLogEnd.self,
  ]
}

extension AppleFastKVFormat {
  /// The findings and rules of FastKV for iOS.
  package static var declarations: FormatDeclarations {
    FormatDeclarations(
      title: "FastKV for iOS", findings: AppleFindings.all, rules: AppleRules.all)
  }
}

/// Segmentation by separators and the records' own checksums.
enum AppleSegmentation: EvidenceRule {
  static let id: RuleID = "fastkv-apple.segmentation"
  static let premise = """
    a record does not decode. A separator, a whole record or the header shows where a record \
    begins, and a separator or a length where it ends
    """
  static let conclusion = "whatever lies between whole records is a gap"
  static let ceiling = Evidence.structure
  static let failure =
    "if a separator occurs inside a value: the record's own checksum then does not match"
}

/// Two disk blocks in each other's place.
enum AppleMisplacedBlocks: EvidenceRule {
  static let id: RuleID = "fastkv-apple.exchanged-blocks"
  static let premise = """
    records break off at the edges of sectors or pages. Exchanging one pair of them makes at \
    least two records whole that lie across an edge, more than it breaks
    """
  static let conclusion = "the two blocks were stored in each other's place"
  static let ceiling = Evidence.corrected
  static let failure = """
    of 1,274 made stores, none with other damage was taken for one, and 69 of 88 exchanges are seen
    """
}

/// A correction of one bit by the record's own checksum.
enum AppleOneBit: EvidenceRule {
  static let id: RuleID = "fastkv-apple.one-bit"
  static let premise = """
    flipping the bit that a record's CRC-16 names makes it a record that an app could have \
    written. None of the next separators gives another one
    """
  static let conclusion = "that bit has changed"
  static let ceiling = Evidence.corrected
  static let failure =
    "31 of 10,805 with 4 to 7 bits were false (0.29%), and none of 7,123 with 8 bits or more"
}

/// A record whose damaged header its CRC restores.
enum AppleRestoredHeader: EvidenceRule {
  static let id: RuleID = "fastkv-apple.restored-header"
  static let premise = """
    a class name is there, and of all headers that could precede it, one makes the record's CRC-16 \
    match
    """
  static let conclusion = "the record is that one; how long its key was is uncertain"
  static let ceiling = Evidence.structure
  static let failure =
    "1 in 2^16 for each header that is tried: key and value are then divided wrongly"
}

/// Keys that a record with a damaged length may have set.
enum AppleDividedRecord: EvidenceRule {
  static let id: RuleID = "fastkv-apple.divided-record"
  static let premise = "a later record was found although one of its lengths is lost"
  static let conclusion = "it may be the newer value of this key"
  static let ceiling = Evidence.structure
  static let failure = "the caution is needless for all keys except that one"
}

/// Keys that records after the log may have set.
package enum AppleUndecidedKey: EvidenceRule {
  package static let id: RuleID = "fastkv-apple.undecided-key"
  package static let premise = """
    whole records begin exactly where the log ends, and one of them has this key. None repeats \
    the value that its key has, and they do not end with what the last compaction wrote
    """
  package static let conclusion = """
    they are newer than the header, or from before a compaction: newer if leftovers would seldom \
    begin there, by the sizes of the records
    """
  package static let ceiling = Evidence.structure
  package static let failure = """
    in stores just compacted or emptied whose records have similar sizes: 870 of 6,000 healthy \
    stores with a lone key, 17 of 6,000 mixed ones. Of 4,000 healthy stores, 7 are not shown as \
    the app has them
    """
}

/// The end of a log of FastKV for iOS.
package enum AppleLogEnd: EvidenceRule {
  package static let id: RuleID = "fastkv-apple.log-end"
  package static let premise = """
    the stated length does not end after a separator. Or it includes records that end with what \
    the last compaction wrote. Or records of the log follow it, and something else shows damage
    """
  package static let conclusion = """
    the log ends where the low half of the length, one changed bit, or the records say, or where \
    leftovers begin
    """
  package static let ceiling = Evidence.structure
  package static let failure = """
    for an older block that holds the whole log, or whose end is followed by older contents: the \
    file then looks like an earlier state
    """
}
