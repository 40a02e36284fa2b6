package import KVModel

/// The evidence rules for damaged stores of FastKV for iOS, in addition to those for all logs.
package enum AppleRules {
  /// The rules, in the order in which they are applied.
  package static let all: [any EvidenceRule.Type] = [
    AppleSegmentation.self,
    AppleOneBit.self,
    AppleRestoredHeader.self,
    AppleDividedRecord.self,
    AppleUndecidedKey.self,
    AppleLogEnd.self,
  ]
}

/// Segmentation by separators and the records' own checksums.
enum AppleSegmentation: EvidenceRule {
  static let id: RuleID = "fastkv-apple.segmentation"
  static let premise = """
    a record does not decode; a separator, a whole record or the header shows where a record \
    begins, and a separator or a length where it ends
    """
  static let conclusion = "whatever lies between whole records is a gap"
  static let ceiling = Evidence.structure
  static let failure =
    "if a separator occurs inside a value: the record's own checksum then does not match"
}

/// A correction of one bit by the record's own checksum.
enum AppleOneBit: EvidenceRule {
  static let id: RuleID = "fastkv-apple.one-bit"
  static let premise = """
    flipping the bit that a record's CRC-16 names makes it a record that an app could have \
    written, and no other of the next separators gives one
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
  static let failure =
    "the caution is needless for all keys except that one; not measured by itself"
}

/// Keys that records after the log may have set.
package enum AppleUndecidedKey: EvidenceRule {
  package static let id: RuleID = "fastkv-apple.undecided-key"
  package static let premise = """
    a record after the log has this key, and the file had no room for it when the log was \
    compacted; or the records that follow may be of any earlier launch, by their sizes, keys and \
    values
    """
  package static let conclusion = "that record may be newer than the log"
  package static let ceiling = Evidence.structure
  package static let failure = "in every store that had just been compacted; not measured by itself"
}

/// The end of a log of FastKV for iOS.
package enum AppleLogEnd: EvidenceRule {
  package static let id: RuleID = "fastkv-apple.log-end"
  package static let premise = """
    the stated length does not end after a separator; or most of the records that follow it cannot \
    be leftovers of the last compaction, none repeats the value that its key has, and their sizes, \
    keys and values are not those of an earlier launch
    """
  package static let conclusion =
    "the log ends where the low half of the length, one changed bit, or the records say"
  package static let ceiling = Evidence.structure
  package static let failure = """
    for an older block that holds the whole log, or whose end is followed by older contents of it: \
    the file then looks like that of an earlier moment. Also for a store that was emptied, if its \
    first new record is as long as the old one was: the old records after it then count as part of \
    the log. For this reason, 369 of 320,000 healthy stores of a dozen keys that are emptied now \
    and then were called damaged, 7 of 5,400 of several launches, and 6 of 3,900 of these with one \
    to three keys of one length
    """
}
