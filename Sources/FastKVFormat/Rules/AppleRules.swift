package import KVModel

/// What kvfsck believes about damaged stores of FastKV for iOS, beside what holds for all logs.
package enum AppleRules {
  /// The rules, in the order in which they are asked.
  package static let all: [any EvidenceRule.Type] = [
    AppleSegmentation.self,
    AppleOneBit.self,
    AppleRestoredHeader.self,
    AppleDividedRecord.self,
    AppleUndecidedKey.self,
    AppleLogEnd.self,
  ]
}

/// A record by its separator and its own checksum.
enum AppleSegmentation: EvidenceRule {
  static let id: RuleID = "fastkv-apple.segmentation"
  static let premise = """
    a record does not decode; a separator, a whole record or the header says where one begins, and \
    a separator or a length where it ends
    """
  static let conclusion = "what lies between whole records is a gap"
  static let ceiling = Evidence.structure
  static let failure = """
    where a separator stands inside of a value; the record's own checksum then does not match
    """
}

/// One changed bit, by the record's own checksum.
enum AppleOneBit: EvidenceRule {
  static let id: RuleID = "fastkv-apple.one-bit"
  static let premise = """
    the bit that a record's CRC-16 names, flipped back, makes it one that an app could have \
    written, and no other of the next separators does
    """
  static let conclusion = "that bit has changed"
  static let ceiling = Evidence.corrected
  static let failure = """
    31 of 10,805 with 4 to 7 bits were false (0.29%), and none of 7,123 with 8 bits and more
    """
}

/// A record whose header is damaged.
enum AppleRestoredHeader: EvidenceRule {
  static let id: RuleID = "fastkv-apple.restored-header"
  static let premise = """
    a class name stands there, and of all headers that could stand before it, one makes the \
    record's CRC-16 match
    """
  static let conclusion = "the record is that one; how long its key was is not certain"
  static let ceiling = Evidence.structure
  static let failure = """
    1 in 2^16 for each header that is tried; then key and value are divided wrongly
    """
}

/// Keys that a restored record may have set.
enum AppleDividedRecord: EvidenceRule {
  static let id: RuleID = "fastkv-apple.divided-record"
  static let premise = "a record after this one was found without one of its own lengths"
  static let conclusion = "it may be the newer value of this key"
  static let ceiling = Evidence.structure
  static let failure = "the caution is needless for all keys but that one; not measured by itself"
}

/// Keys that records after the log may have set.
package enum AppleUndecidedKey: EvidenceRule {
  package static let id: RuleID = "fastkv-apple.undecided-key"
  package static let premise = """
    a record follows the log with another value of this key, and the file had no room for it when \
    the log was compacted
    """
  package static let conclusion = "it may be newer than the log"
  package static let ceiling = Evidence.structure
  package static let failure = "in every store that was compacted just then; not measured by itself"
}

/// The end of a log of FastKV for iOS.
package enum AppleLogEnd: EvidenceRule {
  package static let id: RuleID = "fastkv-apple.log-end"
  package static let premise = """
    the stated length ends elsewhere than after a separator; or of the records that follow it, \
    most cannot be leftovers of a compaction
    """
  package static let conclusion =
    "the log ends where its low half, one changed bit, or the records say"
  package static let ceiling = Evidence.structure
  package static let failure = """
    an older block that holds the whole log, or whose end is followed by older contents of it: \
    then the file is that of an earlier moment. And where a store was emptied, and its first new \
    record is as long as the old one was: then the old ones after it count as the log's. So 369 of \
    320,000 healthy stores of a dozen keys that are emptied now and then were called damaged
    """
}
