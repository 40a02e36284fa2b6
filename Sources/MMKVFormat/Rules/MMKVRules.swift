package import KVModel

/// The rules about damaged MMKV stores, in addition to those that hold for all logs.
package enum MMKVRules {
  /// The rules, in the order in which they are applied.
  package static let all: [any EvidenceRule.Type] = [
    Segmentation.self,
    OneBit.self,
    FewBits.self,
    CopiedBytes.self,
    MisplacedBlocks.self,
    ExchangedKey.self,
    LikelyCorrection.self,
    FirstBlockVector.self,
    OtherVector.self,
    PlaintextRecords.self,
    MovedBlocks.self,
    NoiseBlock.self,
    ExpiryFlag.self,
    OtherMoment.self,
    NewerTail.self,
    UndecidedTail.self,
  ]
}

/// The minimum-cost split of damaged bytes into records and gaps.
enum Segmentation: EvidenceRule {
  static let id: RuleID = "mmkv.segmentation"
  static let premise = """
    a record does not decode, or decodes to something implausible; of all ways to split the bytes \
    around it into records and gaps, one has the minimum cost
    """
  static let conclusion =
    "the bytes that this split leaves out are no record, and reading continues after them"
  static let ceiling = Evidence.guess
  static let failure = """
    if bytes inside a value look like records: of 17,770 entries after a gap, 2,946 are wrong \
    (17%)
    """
}

/// One changed bit, located by the checksum.
enum OneBit: EvidenceRule {
  static let id: RuleID = "mmkv.one-bit"
  static let premise = """
    flipping one bit of the log or of its stored checksum makes the checksum match, and every \
    record then decodes
    """
  static let conclusion = "that bit has changed"
  static let ceiling = Evidence.corrected
  static let failure = "none of 6,869 such corrections with 12 bits or more was false"
}

/// A changed byte or two, two changed bits, or one change under each of the two checksums.
enum FewBits: EvidenceRule {
  static let id: RuleID = "mmkv.few-bits"
  static let premise = """
    changing one byte of a log of up to 145,212 bytes, two bits of one of up to 16 KiB, or two \
    adjacent bytes, of the checksum or near a gap, makes the checksum match; or the checksum of the last full rewrite does not match either, and \
    changing a bit or byte that it covers, and one after that part, makes both match. Every record \
    then decodes
    """
  static let conclusion = "these bits have changed"
  static let ceiling = Evidence.corrected
  static let failure = """
    none of 235 changed bytes with 12 bits or more was false; else as `mmkv.copied-records`
    """
}

/// Records copied by the last full rewrite, whose originals are still present after the log.
enum CopiedBytes: EvidenceRule {
  static let id: RuleID = "mmkv.copied-records"
  static let premise = """
    the checksum matches only if bytes of the log are replaced by those that the last full rewrite \
    copied and that still follow the log
    """
  static let conclusion = "the copies have changed, and the originals have not"
  static let ceiling = Evidence.corrected
  static let failure = """
    of all corrections of several bytes, 12 of 408 with 4 to 7 bits were false, none of 1,234 with \
    8 to 11, and 1 of 1,595 with 12 or more
    """
}

/// Two disk blocks in each other's place.
enum MisplacedBlocks: EvidenceRule {
  static let id: RuleID = "mmkv.exchanged-blocks"
  static let premise = """
    the checksum matches, and every record decodes, if two sectors of 512 bytes or two pages of \
    4,096 bytes of the log change places
    """
  static let conclusion = "they were stored in each other's place"
  static let ceiling = Evidence.corrected
  static let failure = "none of 60 such corrections was false"
}

/// A key in the place of another.
enum ExchangedKey: EvidenceRule {
  static let id: RuleID = "mmkv.exchanged-key"
  static let premise = """
    the checksum matches if the key of one record is replaced by another key of the log, of the \
    same length
    """
  static let conclusion = "the app was killed while it copied a record over this one"
  static let ceiling = Evidence.corrected
  static let failure = "as `mmkv.copied-records`"
}

/// A correction that is likely but not proven.
enum LikelyCorrection: EvidenceRule {
  static let id: RuleID = "mmkv.likely-correction"
  static let premise = "the checksum matches only with a correction of 6 to 11 bits"
  static let conclusion = "any entry may still be damaged"
  static let ceiling = Evidence.structure
  static let failure = "most such corrections are right: see the rules above"
}

/// The trustworthiness of the vector, judged by the first block.
enum FirstBlockVector: EvidenceRule {
  static let id: RuleID = "mmkv.first-block"
  static let premise = """
    the first 16 bytes of the payload decrypt to something implausible, or to no records: fewer than \
    10 bits speak for the vector, which no checksum covers; or the meta file was cut before the \
    vector's end
    """
  static let conclusion = """
    all entries may be damaged, as each begins where the one before it ends; below 0 bits, the log is read as if no checksum \
    covered it
    """
  static let ceiling = Evidence.structure
  static let failure =
    "of 400 random vectors tried on 25 stores, 5 led to a wrong first record that is not reported"
}

/// A vector other than the one that the meta file states.
enum OtherVector: EvidenceRule {
  static let id: RuleID = "mmkv.other-vector"
  static let premise = """
    the first three records are not plausible, and with exactly one of the 129 other vectors that \
    are tried, the first block has 22 bits more
    """
  static let conclusion =
    "the stated vector has changed, or the version that says which vector to use"
  static let ceiling = Evidence.structure
  static let failure = "not measured by itself"
}

/// Plaintext records within an encrypted log.
enum PlaintextRecords: EvidenceRule {
  static let id: RuleID = "mmkv.plaintext-records"
  static let premise = """
    the decrypted bytes are not records, but the stored bytes are: two plausible records in a row, \
    one of text, or the first one of the log with a text key
    """
  static let conclusion = """
    the app was killed while its engine copied or overwrote records, which it does in the clear
    """
  static let ceiling = Evidence.structure
  static let failure = "ciphertext hardly ever looks like that; not measured by itself"
}

/// Records of an encrypted log whose cipher blocks have moved.
enum MovedBlocks: EvidenceRule {
  static let id: RuleID = "mmkv.moved-blocks"
  static let premise = """
    the decrypted bytes are not records, but three plausible records in a row with text keys if the \
    blocks of the cipher begin 1 to 15 bytes later
    """
  static let conclusion = "bytes before them were inserted or are missing, and the rest has moved"
  static let ceiling = Evidence.structure
  static let failure = "of 506 entries of damaged stores that were read so, 3 are wrong"
}

/// A block of noise within a text.
enum NoiseBlock: EvidenceRule {
  static let id: RuleID = "mmkv.noise-block"
  static let premise = """
    no checksum matches over an encrypted log, and a value is text except for one block of 16 \
    bytes
    """
  static let conclusion = "a byte of ciphertext before that block has changed"
  static let ceiling = Evidence.guess
  static let failure = "for values that are partly text and partly bytes; not measured by itself"
}

extension CorrectionSize {
  /// The rule behind a correction of this size.
  var rule: any EvidenceRule.Type {
    switch self {
    case .bit: OneBit.self
    case .byte, .onePerDigest, .twoBytes, .twoBits: FewBits.self
    case .copied: CopiedBytes.self
    case .exchanged: MisplacedBlocks.self
    case .key: ExchangedKey.self
    }
  }
}

/// The flag that values end in an expiry time, which no checksum covers.
enum ExpiryFlag: EvidenceRule {
  static let id: RuleID = "mmkv.expiry-flag"
  static let premise = """
    texts, data and lists, which state their own length, show another form than the flag in the \
    meta file says: they end in an expiry time and it is not set, or it is set and they do not; or \
    it is set, but the version of the meta file says that there is no flag, and values or numbers \
    look as if they end in an expiry time
    """
  static let conclusion = """
    each value has the form that it shows; one that shows none has that of the others, and may be \
    read wrongly
    """
  static let ceiling = Evidence.structure
  static let failure = """
    numbers and Booleans show no form; the flag decides if fewer than two values show one
    """
}

/// A correction that may only restore an earlier moment, whose checksum the meta file has.
enum OtherMoment: EvidenceRule {
  static let id: RuleID = "mmkv.other-moment"
  static let premise = """
    the log decodes to the same records without the correction, which changes the key or the value \
    of its only record, or only integers and Booleans, by 31 at most; or without it, the log begins \
    with another value of its only entry; or the correction restores copied records, and the log was \
    never rewritten
    """
  static let conclusion = """
    the checksum may be that of an earlier moment, because the engine overwrites a lone entry in \
    place, and a log that is written again may differ in such values only, or leave the records of \
    that moment after it: the value that is stored may be the newer one
    """
  static let ceiling = Evidence.structure
  static let failure = "if those bytes did change; then the caution is unfounded"
}

/// Records after a log whose checksum matches that are likely newer than it.
enum NewerTail: EvidenceRule {
  static let id: RuleID = "log.newer-tail"
  static let premise = """
    a checksum matches over the log, and records that an app could have written and the engine \
    could have appended follow directly on it; what else holds of them is 5 bits or more likelier if \
    the data file is newer than the meta file than if they are leftovers of older logs. Counted are \
    how the log began, the number of places at which older records could be in sync with its end, its \
    live entries and new records, removals, what the last full rewrite copied, and the size in the \
    header
    """
  static let conclusion = """
    they may have been appended after the length was stored: with them, the log is a state of its \
    own, and entries of which it has another value may be stale
    """
  static let ceiling = Evidence.structure
  static let failure = """
    1 of 178,000 healthy stores has such records, and so have 40% of 52,000 stores whose data file was \
    newer; the log of those was never rewritten, or once
    """
}

/// Records after a log whose checksum matches that may as well be newer than it as older.
enum UndecidedTail: EvidenceRule {
  static let id: RuleID = "log.unrecorded-tail"
  static let premise = "as `log.newer-tail`, with 1 to 5 bits"
  static let conclusion = "their keys may have newer values"
  static let ceiling = Evidence.structure
  static let failure = """
    the caution is needless in 1 of 540 healthy stores. Of 52,000 whose data file was newer, 77% have \
    5 bits, or 1 to 5
    """
}
