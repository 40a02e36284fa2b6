/// The findings that any store with a log can have.
package enum LogFindings {
  private static let leavingOut =
    "A repair leaves the bytes out. Entries after them are mostly guesses"

  static let lengthBeyondEnd = FindingCode(
    "record.length-beyond-end", .damage,
    means: "A count says that more bytes follow than there are",
    cause: .damage,
    remedy: leavingOut)
  static let negativeLength = FindingCode(
    "record.negative-length", .damage,
    means: "A count is negative in the 32 bits of it that the engine keeps",
    cause: .damage,
    remedy: leavingOut)
  static let malformedLength = FindingCode(
    "record.malformed-length", .damage,
    means: "A count continues after its tenth byte, or the log ends inside it",
    cause: .cut,
    remedy: leavingOut)
  package static let zeros = FindingCode(
    "record.zeros", .damage,
    means: "There are eight or more zeros in a row where records should be",
    cause: .tear,
    remedy: leavingOut)
  static let checksumMismatch = FindingCode(
    "record.checksum-mismatch", .damage,
    means: "A record's own checksum does not match, and nothing else says where it ends",
    cause: .damage,
    remedy: "A repair leaves the bytes out")
  static let implausible = FindingCode(
    "record.implausible", .damage,
    means: "The bytes decode by accident, to an implausible key and value",
    cause: .damage,
    remedy: leavingOut)
  static let refusedByEngine = FindingCode(
    "record.refused-by-engine", .warning,
    means: """
      The engine refuses a sound record, and the others with it unless it is a malformed set. In \
      MMKV since 2.4.1, the key has over 65,531 bytes, or all before the value 65,535. In FastKV \
      for Android, a key or short text has U+0000, an object has no tag, or a set is malformed
      """,
    cause: .engine,
    remedy: "A repair sets the entry aside, keeps all others, and exits with 4")
  package static let silentLoss = FindingCode(
    "engine.silent-loss", .warning,
    means: """
      At the next launch, the app loses entries that the files hold, or gets older values, without \
      a callback
      """,
    cause: "A checksum matches over an older log, or one record does not decode",
    remedy: "Repair the store before the app opens it. `check` lists the keys under \"lost\"")
  package static let rewriteInterrupted = FindingCode(
    "store.rewrite-interrupted", .damage, by: "log.interrupted-compaction",
    means: """
      The log is partly compacted: no key occurs twice before the first gap, and bytes from before \
      it occur again
      """,
    cause: "The app was killed while its engine compacted the log in place, without a journal",
    remedy: "A repair keeps the records on both sides of the gap, usually all entries")
  package static let newerTail = FindingCode(
    "store.newer-tail", .note, by: "log.newer-tail",
    means: """
      Whole records, likelier newer than left over, follow a verified log. The app's next write \
      overwrites them
      """,
    remedy: """
      A repair keeps the verified log. `--state appended` adds the records: use it if the app was \
      killed, or if you know them to be newer
      """)
  package static let leftoverRecords = FindingCode(
    "store.leftover-records", .warning, by: "log.leftover-records",
    means: """
      Damage destroyed records of the log, but the records from which the last full rewrite copied \
      them still follow it
      """,
    cause: .damage,
    remedy: """
      With `recover`, a repair keeps them as guesses. What was destroyed may have been a newer \
      value, or a removal
      """)
  package static let emptied = FindingCode(
    "store.emptied", .warning, by: "log.before-reset",
    means: """
      The log is nearly empty, and more records follow it. Or an index is empty, and files with \
      values are still there
      """,
    cause: """
      The app removed everything, or the engine discarded the log, as without its `.crc` file or \
      with a wrong key
      """,
    remedy: """
      Copy the files before the app writes again. `--state before-reset` restores the earlier \
      entries; else a repair keeps the current log
      """, isOfCopy: true)
  package static let expired = FindingCode(
    "store.expired", .note,
    means: """
      Entries have expired by the clock, or by `--now`. The engine returns default values for them
      """,
    remedy: "A repair keeps and marks them; `--drop-expired` leaves them out")
  static let fileUnread = FindingCode(
    "store.file-unread", .damage,
    means: "A file of the store exists but was not read",
    cause: """
      It is a pipe, socket or device, unreadable, too large, or a symbolic link out of the folder
      """,
    remedy: "A repair keeps what the other files hold, and needs `--out`")
  static let fileFlawed = FindingCode(
    "store.file-incomplete", .damage,
    means: """
      A file comes from a damaged part of an archive: bytes are missing, or the archive's checksum \
      does not match
      """,
    cause: "A ZIP or TAR archive was truncated, or some of its bytes have changed",
    remedy: "Get the archive again. A repair keeps what was read", isOfCopy: true)
  package static let copyUndone = FindingCode(
    "store.copy-undone", .damage,
    means: """
      A tool changed all bytes of the files while it copied them. With that undone, the checksums \
      match, or all can be read
      """,
    cause: """
      `adb shell`, PowerShell's `>`, FTP in text mode, a script that takes bytes for text, or a \
      file in Base64, hex or gzip
      """,
    remedy: """
      Copy the store again in binary, as with `adb pull`. A repair writes the restored store to a \
      new folder
      """, isOfCopy: true)
  package static let copySuspected = FindingCode(
    "store.copy-suspected", .note, .damage,
    means: """
      A damaged file looks as if a tool changed its bytes while it copied it, and nothing was \
      undone
      """,
    cause: """
      A text decoder, a channel of 7 bits, a loss of all zeros, or a replacement of line ends that \
      no checksum proves
      """,
    remedy: """
      Copy the store again in binary, as with `adb pull`. What a tool removed is not in this copy
      """, isOfCopy: true)
  package static let bloat = FindingCode(
    "store.bloat", .note,
    means: "Less than half of a log of 4,096 bytes or more is live",
    remedy: "A repair writes only the live records")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    lengthBeyondEnd, negativeLength, malformedLength, zeros, checksumMismatch, implausible,
    refusedByEngine, silentLoss, rewriteInterrupted, newerTail, leftoverRecords, emptied, expired,
    fileUnread, fileFlawed, copyUndone, copySuspected, bloat,
  ]
}
