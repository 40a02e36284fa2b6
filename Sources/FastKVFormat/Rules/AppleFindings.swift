package import KVModel

/// The findings that only stores of FastKV for iOS have.
package enum AppleFindings {
  static let headerCut = FindingCode(
    "fastkv-apple.header-cut", .damage,
    means: "The file is shorter than the 18 bytes of a header",
    remedy: "A repair has nothing to keep")
  static let magic = FindingCode(
    "fastkv-apple.magic", .damage,
    means: "The file does not begin with `FastKV`",
    remedy: "A repair reads the records anyway")
  static let version = FindingCode(
    "fastkv-apple.version", .note,
    means: "The header's version is not 1",
    remedy: "A repair writes 1")
  static let keysComeBack = FindingCode(
    "fastkv-apple.keys-come-back", .warning,
    means: "The length is 0, but records follow: `removeAllKeys` was called",
    remedy: "A repair keeps no entries, unless you choose the state before-reset")
  static let lengthTooShort = FindingCode(
    "fastkv-apple.length-too-short", .damage, by: AppleLogEnd.id,
    means: """
      Whole records that belong to the log follow it, and something else shows damage: the length is \
      damaged, or the header comes from an older block than the records
      """,
    remedy: "A repair treats them as live")
  static let lengthTooLong = FindingCode(
    "fastkv-apple.length-too-long", .damage, by: AppleLogEnd.id,
    means: """
      According to the header, the log includes what a compaction left of the log before it: the \
      header comes from another moment than the records, or the length is damaged
      """,
    remedy: "A repair ends the log where the leftovers begin")
  static let lengthOffRecord = FindingCode(
    "fastkv-apple.length-off-record", .damage, by: AppleLogEnd.id,
    means: "According to the header, the log ends where no record ends",
    remedy: """
      A repair goes by the records if they are whole, or if they end one changed bit away, \
      otherwise by the length
      """)
  static let lengthUpperHalf = FindingCode(
    "fastkv-apple.length-upper-half", .damage, by: AppleLogEnd.id,
    means: """
      The low half of the length ends after a record, but the upper half is not 0: a 32-bit \
      process wrote what was on its stack
      """,
    remedy: "A repair uses the low half")
  static let lengthBeyondFile = FindingCode(
    "fastkv-apple.length-beyond-file", .damage, by: AppleLogEnd.id,
    means: """
      The length is larger than the number of bytes after the header: the file was truncated, or \
      the length is damaged
      """,
    remedy: "A repair keeps what is left")
  static let pointerWidth = FindingCode(
    "fastkv-apple.pointer-width", .warning,
    means: "A 32-bit process wrote the file",
    remedy: "A repair keeps the width unless another is asked for")
  static let oldSeparator = FindingCode(
    "fastkv-apple.old-separator", .warning,
    means: "An engine before 0.2.1 wrote the file, with a shorter separator",
    remedy: "A repair writes the separator of current versions")
  static let raises = FindingCode(
    "fastkv-apple.raises", .damage,
    means: "The engine raises `NSRangeException` on the bytes between two separators",
    remedy: "A repair writes a store without these bytes")
  static let overruns = FindingCode(
    "fastkv-apple.overruns", .damage,
    means: """
      The lengths in the bytes between two separators lead beyond these bytes, although their CRC \
      matches
      """,
    remedy: "A repair writes a store without these bytes")
  static let refused = FindingCode(
    "fastkv-apple.refused", .damage,
    means: "The magic or the length is invalid",
    remedy: "A repair writes a store that the engine opens")
  static let recordsAfterLog = FindingCode(
    "fastkv-apple.records-after-log", .note, by: AppleUndecidedKey.id,
    means: """
      Whole records begin exactly where the log ends: they are from an earlier launch, or newer than \
      the header, and nothing decides
      """,
    remedy: """
      A repair takes the likelier of the two, and marks the entries of their keys `may-be-stale`; \
      compare the two in the history of the store
      """)
  static let slackContent = FindingCode(
    "fastkv-apple.slack-content", .note,
    means: "Other contents follow the log, mostly older ones",
    remedy: "A repair leaves them out")
  static let growth = FindingCode(
    "fastkv-apple.growth", .note,
    means: "The file is at least 4 MiB long and nearly empty",
    remedy: "A repair writes a file without slack")
  static let corrected = FindingCode(
    "fastkv-apple.corrected", .damage, .note, by: AppleOneBit.id,
    means: """
      One bit of a record has changed because of a fault of memory, of the medium or of a transfer; \
      or two disk blocks were stored in each other's place
      """,
    remedy: """
      A repair keeps the entries, with the evidence `corrected` from 12 bits on, otherwise with \
      `structure` and `may-be-damaged`
      """)
  static let recordHeader = FindingCode(
    "fastkv-apple.record-header", .damage,
    means: """
      A record's type, version, lengths or class name are damaged, or bytes were inserted or \
      deleted before its class name
      """,
    remedy: "A repair keeps the entry with `structure` and `may-be-damaged`")
  static let checksumMismatch = FindingCode(
    "fastkv-apple.checksum-mismatch", .damage,
    means: """
      A record's CRC does not match, but its lengths lead to a separator: bytes in it have changed
      """,
    remedy: "A repair keeps the entry, with `structure` and `may-be-damaged`")
  static let valueLength = FindingCode(
    "fastkv-apple.value-length", .damage,
    means: """
      The CRC over the bytes between two separators matches, but the record states another length \
      for its value
      """,
    remedy:
      "A repair keeps the bytes between the key and the CRC as the value, with `may-be-damaged`")
  static let separator = FindingCode(
    "fastkv-apple.separator", .damage,
    means: "The separator after a record whose CRC matches is damaged or missing",
    remedy: "A repair keeps this record and the next")
  static let separatorInside = FindingCode(
    "fastkv-apple.separator-inside", .damage,
    means: "A key, a value or a class name contains the separator",
    remedy: "A repair sets the entry aside, because no engine would read it whole")
  static let unknownType = FindingCode(
    "fastkv-apple.unknown-type", .damage,
    means: "A record's type is one that no engine writes",
    remedy: "A repair keeps the bytes as data")
  static let uncovered = FindingCode(
    "fastkv-apple.uncovered", .note,
    means: "A record has more than 65535 bytes, and the CRC covers only its length modulo 65536",
    remedy: "A repair keeps such records, with `structure`")
  static let brokenDouble = FindingCode(
    "fastkv-apple.broken-double", .warning,
    means: "A double or date is stored as a float followed by stray bytes",
    remedy: "A repair writes the value of the float as a whole double")
  static let immortalNil = FindingCode(
    "fastkv-apple.immortal-nil", .warning,
    means: "A key was set to nil",
    remedy: "A repair keeps the entry")
  static let textCut = FindingCode(
    "fastkv-apple.text-cut", .warning,
    means: "The engine stores too few bytes of a text that is not ASCII",
    remedy: "A repair keeps what is there, without the incomplete character at the end")
  static let longerText = FindingCode(
    "fastkv-apple.longer-text", .note,
    means: "The slack holds a longer version of a text that was cut",
    remedy: "A repair leaves it out; the history shows it")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    headerCut, magic, version, keysComeBack, lengthTooShort, lengthTooLong, lengthOffRecord,
    lengthUpperHalf,
    lengthBeyondFile, pointerWidth, oldSeparator, raises, overruns, refused, recordsAfterLog,
    slackContent, growth,
    corrected, recordHeader, checksumMismatch, valueLength, separator, separatorInside, unknownType,
    uncovered, brokenDouble, immortalNil, textCut, longerText,
  ]
}
