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

extension MMKVFormat {
  /// The findings and rules of MMKV.
  package static var declarations: FormatDeclarations {
    FormatDeclarations(
      title: "MMKV", findings: MMKVFindings.all, rules: MMKVRules.all)
  }
}

/// The minimum-cost split of damaged bytes into records and gaps.
enum Segmentation: EvidenceRule {
  static let id: RuleID = "mmkv.segmentation"
  static let premise = """
    a record does not decode, or is implausible. Of all ways to split the bytes around it into \
    records and gaps, one has the minimum cost
    """
  static let conclusion =
    "the bytes that this split leaves out are no record, and reading continues after them"
  static let ceiling = Evidence.guess
  static let failure = "if bytes inside a value look like records: as `log.resynchronized`"
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
    one changed byte, two bits, or two adjacent bytes of the checksum or near a gap explain the \
    checksum of a short log. Or one change explains it, and another that of the last full \
    rewrite. Every record then decodes
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
    the checksum matches only if bytes of the log are replaced by the originals that the last \
    full rewrite copied, which follow the log
    """
  static let conclusion = "the copies have changed, and the originals have not"
  static let ceiling = Evidence.corrected
  static let failure = """
    of corrections of several bytes, 12 of 408 with 4 to 7 bits were false, and 1 of 2,829 with 8 \
    or more
    """
}

/// Two disk blocks in each other's place.
enum MisplacedBlocks: EvidenceRule {
  static let id: RuleID = "mmkv.exchanged-blocks"
  static let premise = """
    the checksum matches, and every record decodes, if two sectors of 512 bytes or two pages of \
    4,096 bytes change places
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
    the first 16 bytes of the payload decrypt to something implausible, or to no records: fewer \
    than 10 bits speak for the vector. Or the meta file was cut before the vector's end
    """
  static let conclusion = """
    all entries may be damaged, as each begins where the one before it ends. Below 0 bits, the \
    log is read as if no checksum covered it
    """
  static let ceiling = Evidence.structure
  static let failure =
    "of 7,800 random vectors tried on as many small stores, three led to a wrong first record that is not reported"
}

/// A vector other than the one that the meta file states.
enum OtherVector: EvidenceRule {
  static let id: RuleID = "mmkv.other-vector"
  static let premise = """
    the first three records are not plausible; with exactly one of 129 other vectors, the first \
    block has 22 bits more
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
    the decrypted bytes are not records, but the stored bytes are: two plausible records in a \
    row, one of text, or the log's first one with a text key
    """
  static let conclusion = """
    the app was killed while its engine copied or overwrote records, which it does in the clear
    """
  static let ceiling = Evidence.structure
  static let failure = "ciphertext hardly ever looks like that"
}

/// Records of an encrypted log whose cipher blocks have moved.
enum MovedBlocks: EvidenceRule {
  static let id: RuleID = "mmkv.moved-blocks"
  static let premise = """
    the decrypted bytes are not records. If the cipher's blocks begin 1 to 15 bytes later, they \
    are three plausible records in a row with text keys
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
  static let failure = "for values that are partly text and partly bytes"
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
    texts, data and lists, which state their own length, contradict the flag in the meta file. Or \
    the flag is set in a version that has none, and values or numbers look as if they end in an \
    expiry time
    """
  static let conclusion = """
    each value has the form that it shows. One that shows none has that of the others, and may be \
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
    without the correction, the log decodes too, and only its lone record, or integers and \
    Booleans, differ by 31 at most. Or its lone entry then has another value first. Or copied \
    records are restored in a log that was never rewritten
    """
  static let conclusion = """
    the checksum may be of an earlier state, because the engine overwrites a lone entry in place. \
    The stored value may be the newer one
    """
  static let ceiling = Evidence.structure
  static let failure = "if those bytes did change; then the caution is needless"
}

/// Records after a log whose checksum matches that are likely newer than it.
enum NewerTail: EvidenceRule {
  static let id: RuleID = "log.newer-tail"
  static let premise = """
    a checksum matches over the log, and records that the engine could have appended follow \
    directly. What holds of log and records is 5 bits or more likelier if the data file is newer \
    than if they are leftovers
    """
  static let conclusion = """
    they may have been appended after the length was stored. With them, the log is a state of its \
    own, and entries that have another value there may be stale
    """
  static let ceiling = Evidence.structure
  static let failure = """
    1 of 178,000 healthy stores has such records, and 40% of 52,000 stores whose data file was \
    newer
    """
}

/// Records after a log whose checksum matches that may as well be newer than it as older.
enum UndecidedTail: EvidenceRule {
  static let id: RuleID = "log.unrecorded-tail"
  static let premise = "as `log.newer-tail`, with 1 to 5 bits"
  static let conclusion = "their keys may have newer values"
  static let ceiling = Evidence.structure
  static let failure = """
    the caution is needless in 1 of 540 healthy stores. Of 52,000 whose data file was newer, 77% \
    have 1 bit or more
    """
}
