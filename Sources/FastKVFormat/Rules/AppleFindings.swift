package import KVModel

/// The findings that only stores of FastKV for iOS have.
package enum AppleFindings {
  static let headerCut = FindingCode(
    "fastkv-apple.header-cut", .damage,
    means: """
      The file is shorter than the 18 bytes of a header, so the engine refuses it unless it is \
      empty
      """,
    cause: .cut,
    remedy: "A repair has nothing to keep")
  static let magic = FindingCode(
    "fastkv-apple.magic", .damage,
    means: "The file does not begin with `FastKV`, so the engine refuses it",
    cause: .foreign,
    remedy: "A repair reads the records anyway")
  static let version = FindingCode(
    "fastkv-apple.version", .note,
    means: "The header's version is not 1",
    remedy: "A repair writes 1")
  static let keysComeBack = FindingCode(
    "fastkv-apple.keys-come-back", .warning,
    means: """
      The length is 0, but records follow. In the process that called `removeAllKeys`, the next \
      write brings all keys back
      """,
    cause: "The app called `removeAllKeys`. A length that was damaged to 0 looks the same",
    remedy: "A repair keeps no entries. `--state before-reset` restores them")
  static let lengthTooShort = FindingCode(
    "fastkv-apple.length-too-short", .damage, by: AppleLogEnd.id,
    means: """
      Whole records of the log follow its stated end, and something else shows damage. The engine \
      overwrites them
      """,
    cause: "The length is damaged, or its block was not written and the next one was",
    remedy: "A repair keeps them")
  static let lengthTooLong = FindingCode(
    "fastkv-apple.length-too-long", .damage, by: AppleLogEnd.id,
    means: """
      The stated log includes leftovers of the log before a compaction, so the engine loads older \
      values
      """,
    cause: "The header is from another moment than the records, or the length is damaged",
    remedy: "A repair ends the log where the leftovers begin. All entries have `may-be-stale`")
  static let lengthOffRecord = FindingCode(
    "fastkv-apple.length-off-record", .damage, by: AppleLogEnd.id,
    means: "The stated log ends where no record ends",
    cause: .damage,
    remedy: """
      A repair goes by the records if they are whole or end one changed bit away, else by the \
      length
      """)
  static let lengthUpperHalf = FindingCode(
    "fastkv-apple.length-upper-half", .damage, by: AppleLogEnd.id,
    means: """
      The low half of the length ends after a record, but the upper half is not 0. The engine \
      refuses the file
      """,
    cause: "A 32-bit process wrote eight bytes of a four-byte length",
    remedy: "A repair uses the low half")
  static let lengthBeyondFile = FindingCode(
    "fastkv-apple.length-beyond-file", .damage, by: AppleLogEnd.id,
    means: """
      The length is larger than the file. The engine refuses it until launches have extended it \
      enough
      """,
    cause: .cut,
    remedy: "A repair keeps what is left")
  static let pointerWidth = FindingCode(
    "fastkv-apple.pointer-width", .warning,
    means: "A 32-bit process wrote the file. A 64-bit process crashes on it, or destroys it",
    cause: .engine,
    remedy: "A repair keeps the width unless another is asked for")
  static let oldSeparator = FindingCode(
    "fastkv-apple.old-separator", .warning,
    means: """
      An engine before 0.2.1 wrote the file, with a shorter separator. Later ones find no record \
      in it
      """,
    cause: .engine,
    remedy: "A repair writes the separator of current versions")
  static let raises = FindingCode(
    "fastkv-apple.raises", .damage,
    means: """
      The engine raises `NSRangeException` on the bytes between two separators, which ends the app \
      at each launch
      """,
    cause: .engine,
    remedy: "A repair writes a store without these bytes")
  static let overruns = FindingCode(
    "fastkv-apple.overruns", .damage,
    means: """
      The lengths between two separators lead beyond them, although the CRC matches. The engine \
      reads or writes other memory
      """,
    cause: .damage,
    remedy: "A repair writes a store without these bytes")
  static let refused = FindingCode(
    "fastkv-apple.refused", .damage,
    means: "The magic or the length is invalid, so the engine refuses the file",
    cause: .damage,
    remedy: "A repair writes a store that the engine opens")
  static let recordsAfterLog = FindingCode(
    "fastkv-apple.records-after-log", .note, by: AppleUndecidedKey.id,
    means: """
      Whole records follow the log: left over, or newer than the header; nothing decides. The \
      engine overwrites them
      """,
    remedy: """
      A repair takes the likelier of the two, with `may-be-stale`. Compare both in the history of \
      the store
      """)
  static let slackContent = FindingCode(
    "fastkv-apple.slack-content", .note,
    means: "Other contents follow the log, mostly older ones",
    remedy: "A repair leaves them out")
  static let growth = FindingCode(
    "fastkv-apple.growth", .note,
    means: "The file is at least 4 MiB long and nearly empty: the engine doubles it at each launch",
    remedy: "A repair writes a file without slack")
  static let corrected = FindingCode(
    "fastkv-apple.corrected", .damage, .note, by: AppleOneBit.id,
    means: """
      One bit of a record has changed, or two disk blocks were exchanged. With that undone, the \
      CRC matches
      """,
    cause: "A fault of memory, medium or transfer",
    remedy: """
      A repair keeps the entries, as `corrected`, or as `structure` with `may-be-damaged` below 12 \
      bits of odds
      """)
  static let recordHeader = FindingCode(
    "fastkv-apple.record-header", .damage,
    means: """
      A record's type, version, lengths or class name are damaged, or bytes are missing or \
      inserted before that name
      """,
    cause: .damage,
    remedy: """
      A repair keeps the entry as `structure` with `may-be-damaged`. Entries before it get \
      `may-be-stale`
      """)
  static let checksumMismatch = FindingCode(
    "fastkv-apple.checksum-mismatch", .damage,
    means: "A record's CRC does not match, but its lengths lead to a separator",
    cause: .damage,
    remedy: """
      A repair keeps the entry as `structure` with `may-be-damaged`. Older entries with keys of \
      that length get `may-be-stale`
      """)
  static let valueLength = FindingCode(
    "fastkv-apple.value-length", .damage,
    means: """
      The CRC between two separators matches, but the record states another length for its value
      """,
    cause: .damage,
    remedy: "A repair takes the bytes from key to CRC as the value, with `may-be-damaged`")
  static let separator = FindingCode(
    "fastkv-apple.separator", .damage,
    means: "The separator after a record whose CRC matches is damaged or missing",
    cause: .damage,
    remedy: "A repair keeps both records")
  static let separatorInside = FindingCode(
    "fastkv-apple.separator-inside", .damage,
    means: "A key, a value or a class name contains the separator, so the engine cuts the record",
    cause: .engine,
    remedy: "A repair sets the entry aside, because no engine would read it whole")
  static let unknownType = FindingCode(
    "fastkv-apple.unknown-type", .damage,
    means: "A record's type is one that no engine writes",
    cause: .damage,
    remedy: "A repair keeps the bytes as data")
  static let uncovered = FindingCode(
    "fastkv-apple.uncovered", .note,
    means: "A record has more than 65,535 bytes, and the CRC covers only its length modulo 65,536",
    remedy: "A repair keeps such records, as `structure`")
  static let brokenDouble = FindingCode(
    "fastkv-apple.broken-double", .warning,
    means: """
      A double or date is stored as a float with stray bytes. The next launch destroys the float
      """,
    cause: .engine,
    remedy: "Repair the store before that. A repair writes the float as a whole double")
  static let immortalNil = FindingCode(
    "fastkv-apple.immortal-nil", .warning,
    means: "A key was set to nil, so the engine ignores later changes of it",
    cause: .engine,
    remedy: "A repair keeps the entry")
  static let textCut = FindingCode(
    "fastkv-apple.text-cut", .warning,
    means: "A text that is not ASCII has too few bytes, and each launch cuts it again",
    cause: "The engine stores as many bytes as the text has UTF-16 units",
    remedy: "A repair keeps what is there, without an incomplete last character")
  static let longerText = FindingCode(
    "fastkv-apple.longer-text", .note,
    means: "The slack holds a longer version of a text that was cut",
    remedy: """
      A repair leaves it out. The history of the store shows it, and the app can set it again
      """)

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
