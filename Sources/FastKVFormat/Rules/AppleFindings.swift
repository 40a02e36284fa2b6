package import KVModel

/// What can be found in stores of FastKV for iOS alone.
package enum AppleFindings {
  static let headerCut = FindingCode(
    "fastkv-apple.header-cut", .damage,
    means: "The file has fewer than the 18 bytes of a header",
    remedy: "A repair has nothing to keep")
  static let magic = FindingCode(
    "fastkv-apple.magic", .damage,
    means: "The file does not begin with `FastKV`",
    remedy: "A repair reads the records all the same")
  static let version = FindingCode(
    "fastkv-apple.version", .note,
    means: "The header's version is not 1",
    remedy: "A repair writes 1")
  static let keysComeBack = FindingCode(
    "fastkv-apple.keys-come-back", .warning,
    means: "The length is 0, and records stand after it: `removeAllKeys` was called",
    remedy: "A repair keeps no entry, unless the state before-reset is chosen")
  static let lengthTooShort = FindingCode(
    "fastkv-apple.length-too-short", .damage, by: AppleLogEnd.id,
    means: """
      Whole records follow the log that no compaction can have left there: an append whose \
      length was not stored, a damaged length, or a header from an older block than the records
      """,
    remedy: "A repair takes them for live")
  static let lengthOffRecord = FindingCode(
    "fastkv-apple.length-off-record", .damage, by: AppleLogEnd.id,
    means: "The log ends, by the header, where no record does",
    remedy: """
      A repair goes by the records where they are whole, or where they end one changed bit away, \
      else by the length
      """)
  static let lengthUpperHalf = FindingCode(
    "fastkv-apple.length-upper-half", .damage, by: AppleLogEnd.id,
    means: """
      The low half of the length ends after a record, the upper half is not 0: a 32-bit process \
      wrote what was on its stack
      """,
    remedy: "A repair goes by the low half")
  static let lengthBeyondFile = FindingCode(
    "fastkv-apple.length-beyond-file", .damage, by: AppleLogEnd.id,
    means: """
      The length is more than there is after the header: the file was cut, or the length is \
      damaged
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
    means: "The engine raises `NSRangeException` at a piece between two separators",
    remedy: "A repair writes a store without it")
  static let overruns = FindingCode(
    "fastkv-apple.overruns", .damage,
    means: "The lengths of a piece reach out of it, though its CRC matches",
    remedy: "A repair writes a store without it")
  static let refused = FindingCode(
    "fastkv-apple.refused", .damage,
    means: "The magic or the length is not as it should be",
    remedy: "A repair writes a store that it opens")
  static let slackContent = FindingCode(
    "fastkv-apple.slack-content", .note,
    means: "Older contents stand after the log",
    remedy: "A repair leaves them out")
  static let growth = FindingCode(
    "fastkv-apple.growth", .note,
    means: "The file is at least 4 MiB long and nearly empty",
    remedy: "A repair writes a file without slack")
  static let corrected = FindingCode(
    "fastkv-apple.corrected", .damage, .note, by: AppleOneBit.id,
    means: "One bit of a record has changed: a fault of memory, of the medium or of a transfer",
    remedy: """
      A repair keeps the entry: from 12 bits with the evidence `corrected`, else with \
      `structure` and `may-be-damaged`
      """)
  static let recordHeader = FindingCode(
    "fastkv-apple.record-header", .damage,
    means: """
      A record's type, its version or its lengths are damaged, or its class name is, or bytes \
      were inserted or deleted before its class name
      """,
    remedy: "A repair keeps the entry with `structure` and `may-be-damaged`")
  static let checksumMismatch = FindingCode(
    "fastkv-apple.checksum-mismatch", .damage,
    means: """
      A record's CRC does not match, and its lengths lead to a separator: bytes in it have \
      changed
      """,
    remedy: "A repair keeps it, with `structure` and `may-be-damaged`")
  static let valueLength = FindingCode(
    "fastkv-apple.value-length", .damage,
    means: """
      The CRC over the bytes between two separators holds, and the record states another length \
      for its value
      """,
    remedy:
      "A repair keeps the value as it lies between its key and its CRC, with `may-be-damaged`")
  static let separator = FindingCode(
    "fastkv-apple.separator", .damage,
    means: "After a record whose CRC matches, the separator is damaged or missing",
    remedy: "A repair keeps both")
  static let separatorInside = FindingCode(
    "fastkv-apple.separator-inside", .damage,
    means: "A key, a value or a class name contains the separator",
    remedy: "A repair keeps the record whole; refuses to write one at which the app would end")
  static let unknownType = FindingCode(
    "fastkv-apple.unknown-type", .damage,
    means: "A record's type is none that an engine writes",
    remedy: "A repair keeps the bytes, as data")
  static let uncovered = FindingCode(
    "fastkv-apple.uncovered", .note,
    means: "A record has more than 65535 bytes, of which the CRC covers the length modulo 65536",
    remedy: "A repair keeps them, with `structure`")
  static let brokenDouble = FindingCode(
    "fastkv-apple.broken-double", .warning,
    means: "A double or date is stored as a float and stray bytes",
    remedy: "A repair writes the float's value as a whole double")
  static let immortalNil = FindingCode(
    "fastkv-apple.immortal-nil", .warning,
    means: "A key was set to nil",
    remedy: "A repair keeps the entry")
  static let textCut = FindingCode(
    "fastkv-apple.text-cut", .warning,
    means: "The engine stores too few bytes of a text that is not ASCII",
    remedy: "A repair keeps what is there, without a part of a character")
  static let longerText = FindingCode(
    "fastkv-apple.longer-text", .note,
    means: "A longer text of a key whose text is cut stands in the slack",
    remedy: "A repair leaves it; the history shows it")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    headerCut, magic, version, keysComeBack, lengthTooShort, lengthOffRecord, lengthUpperHalf,
    lengthBeyondFile, pointerWidth, oldSeparator, raises, overruns, refused, slackContent, growth,
    corrected, recordHeader, checksumMismatch, valueLength, separator, separatorInside, unknownType,
    uncovered, brokenDouble, immortalNil, textCut, longerText,
  ]
}
