/// The findings that any store with a log can have.
package enum LogFindings {
  private static let leavingOut = """
    A repair leaves the bytes out; entries after them are guesses, unless they have checksums of \
    their own or lead to the known end of the log
    """

  package static let lengthBeyondEnd = FindingCode(
    "record.length-beyond-end", .damage,
    means: "A count says that more bytes follow than there are",
    remedy: leavingOut)
  package static let negativeLength = FindingCode(
    "record.negative-length", .damage,
    means: "A count is negative in the 32 bits of it that the engine keeps",
    remedy: leavingOut)
  package static let malformedLength = FindingCode(
    "record.malformed-length", .damage,
    means: "A count continues after its tenth byte, or the log ends inside it",
    remedy: leavingOut)
  package static let zeros = FindingCode(
    "record.zeros", .damage,
    means: """
      There are eight or more zeros in a row where records should be: pages that never reached the \
      disk, or a torn write
      """,
    remedy: leavingOut)
  package static let checksumMismatch = FindingCode(
    "record.checksum-mismatch", .damage,
    means: "A record's own checksum does not match, and nothing else says where it ends",
    remedy: "A repair leaves the bytes out")
  package static let implausible = FindingCode(
    "record.implausible", .damage,
    means: """
      The bytes decode, but to an implausible key and value: they are something else that happens \
      to look like a record
      """,
    remedy: leavingOut)
  package static let refusedByEngine = FindingCode(
    "record.refused-by-engine", .warning,
    means: """
      The record is sound, but the engine does not read it. MMKV since 2.4.1: its key is longer \
      than 65531 bytes or, in a plain store, the part before its value is longer than 65535 bytes. \
      FastKV for Android: a key or a short text contains U+0000, an object has no tag, or a set is \
      malformed
      """,
    remedy: "A repair sets the entry aside and says so")
  package static let silentLoss = FindingCode(
    "engine.silent-loss", .warning,
    means: """
      At the next launch, the app will lose entries that the files hold, or get older values of \
      them, and no handler will be called
      """,
    remedy: "Repair the store before the app opens it")
  package static let rewriteInterrupted = FindingCode(
    "store.rewrite-interrupted", .damage, by: "log.interrupted-compaction",
    means: """
      The app was killed while its engine compacted the log in place: the engine moves the records \
      that it keeps to the start of the log, without a journal
      """,
    remedy: "A repair keeps the records on both sides of the gap")
  package static let newerTail = FindingCode(
    "store.newer-tail", .note, by: "log.newer-tail",
    means: """
      Whole records follow a log over which the checksum matches. The app was killed between \
      writing to the log and writing its size, or the two files were copied at different times; or \
      they are leftovers of an older log, as of a lone entry that was overwritten in place
      """,
    remedy: """
      A repair keeps the log that the checksum verifies. `--state appended` adds the records after \
      it, with the evidence `structure`: use it if the app is known to have been killed, or if the \
      values there are known to be newer
      """)
  package static let leftoverRecords = FindingCode(
    "store.leftover-records", .warning, by: "log.leftover-records",
    means: """
      Damage destroyed records of the log, but the records that the last full rewrite copied them \
      from still follow it
      """,
    remedy: """
      With `recover`, a repair keeps those records, as guesses with the cautions `may-be-damaged` \
      and `may-be-stale`: what was destroyed may have been a newer value, or a removal
      """)
  package static let emptied = FindingCode(
    "store.emptied", .warning, by: "log.before-reset",
    means: """
      The log is nearly empty, and more records follow it than it contains; or the index of a store \
      is empty, and files with values are still there
      """,
    remedy: "A repair keeps the current log")
  package static let expired = FindingCode(
    "store.expired", .note,
    means: "Entries have expired by the clock, or by `--now`",
    remedy: "A repair keeps and marks them; `--drop-expired` leaves them out")
  package static let fileUnread = FindingCode(
    "store.file-unread", .damage,
    means: """
      A file of the store exists but was not read: it is a named pipe, a socket or a device, it is \
      not readable, it is too large, or it is a symbolic link, or below one, that leads out of the \
      store's folder
      """,
    remedy: "A repair keeps what the other files hold; the values in this one are lost")
  package static let fileFlawed = FindingCode(
    "store.file-incomplete", .damage,
    means: """
      A file of the store comes from a damaged part of an archive: bytes of it are missing, or the \
      archive's checksum over them does not match
      """,
    remedy: "Get the archive again; a repair keeps what the bytes that were read contain")
  package static let copyUndone = FindingCode(
    "store.copy-undone", .damage,
    means: """
      A tool changed all bytes of the files while it copied them: it replaced line ends, wrote them as \
      text, or added bytes. With that undone, the store's checksums match, or all of it can be read
      """,
    remedy: """
      Copy the store again without changing bytes, for instance with `adb pull` or `adb exec-out`. What \
      is read here is the store as it was; a repair writes it to a new folder
      """)
  package static let copySuspected = FindingCode(
    "store.copy-suspected", .note, .damage,
    means: """
      The bytes of a damaged file look as if a tool changed them while it copied the file: a text decoder, \
      a channel of 7 bits, a loss of all zeros, or a replacement of line ends that no checksum proves. \
      Nothing was undone
      """,
    remedy: """
      Copy the store again without changing bytes, for instance with `adb pull` or `adb exec-out`; \
      what a tool removed is not in this copy
      """)
  package static let bloat = FindingCode(
    "store.bloat", .note,
    means: "Less than half of a log of 4096 bytes or more is live",
    remedy: "A repair writes only the live records")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    lengthBeyondEnd, negativeLength, malformedLength, zeros, checksumMismatch, implausible,
    refusedByEngine, silentLoss, rewriteInterrupted, newerTail, leftoverRecords, emptied, expired,
    fileUnread, fileFlawed, copyUndone, copySuspected, bloat,
  ]
}
