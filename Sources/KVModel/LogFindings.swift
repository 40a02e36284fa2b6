/// What can be found in any store with a log.
package enum LogFindings {
  private static let leavingOut = """
    A repair leaves the bytes out; what follows them is a guess, unless it has a checksum of its \
    own or leads to the known end of the log
    """

  package static let lengthBeyondEnd = FindingCode(
    "record.length-beyond-end", .damage,
    means: "A count says that more bytes follow than there are",
    remedy: leavingOut)
  package static let negativeLength = FindingCode(
    "record.negative-length", .damage,
    means: "A count is negative in the 32 bits that the engine keeps of it",
    remedy: leavingOut)
  package static let malformedLength = FindingCode(
    "record.malformed-length", .damage,
    means: "A count has ten bytes that continue, or the log ends inside it",
    remedy: leavingOut)
  package static let zeros = FindingCode(
    "record.zeros", .damage,
    means: """
      Eight or more zeros stand in a row where records should be: pages that never reached the \
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
      The bytes decode, but to an implausible key and value: they are something else that looks \
      like a record by accident
      """,
    remedy: leavingOut)
  package static let refusedByEngine = FindingCode(
    "record.refused-by-engine", .warning,
    means: """
      The record is sound, but its key is longer than the engine since 2.4.1 reads: 65531 bytes, \
      or 65535 before the value in a plain store
      """,
    remedy: "A repair drops the entry and says so")
  package static let silentLoss = FindingCode(
    "engine.silent-loss", .warning,
    means: """
      At the next launch the app will lose entries that the files hold, or get older values of \
      them, and no handler will be called
      """,
    remedy: "Repair the store before the app opens it")
  package static let rewriteInterrupted = FindingCode(
    "store.rewrite-interrupted", .damage, by: "log.interrupted-compaction",
    means: """
      The app was killed while its engine compacted the log in place: it moves the records that \
      it keeps to the log's start, without a journal
      """,
    remedy: "A repair keeps the records on both sides of the gap")
  package static let newerTail = FindingCode(
    "store.newer-tail", .damage, by: "log.newer-tail",
    means: """
      The app was killed between a write to the log and the one to its size, or the two files \
      were copied at different times
      """,
    remedy: """
      A repair keeps the newer records under `recover`, all with the evidence `structure`; \
      `discard`, `-p` and `--state current` keep the log as it is
      """)
  package static let leftoverRecords = FindingCode(
    "store.leftover-records", .warning, by: "log.leftover-records",
    means: """
      Damage destroyed records of the log, and what the last full rewrite copied them from still \
      stands after it
      """,
    remedy: """
      A repair keeps them under `recover`, as guesses with the cautions `may-be-damaged` and \
      `may-be-stale`: a newer value, or a removal, may be what was destroyed
      """)
  package static let emptied = FindingCode(
    "store.emptied", .warning, by: "log.before-reset",
    means: "The log is nearly empty, and after it there are more records than in it",
    remedy: "A repair keeps the current log")
  package static let expired = FindingCode(
    "store.expired", .note,
    means: "Entries have expired by the clock, or by `--now`",
    remedy: "A repair keeps and marks them; `--drop-expired` leaves them out")
  package static let fileUnread = FindingCode(
    "store.file-unread", .damage,
    means: """
      A file of the store is there and was not read: it is a named pipe, a socket or a device, \
      it may not be read, it is too large, or it is a symbolic link, or below one, that leads \
      out of the store's folder
      """,
    remedy: "A repair keeps what the other files hold; the values in this one are lost")
  package static let fileFlawed = FindingCode(
    "store.file-incomplete", .damage,
    means: """
      A file of the store comes out of an archive that is damaged there: bytes of it are missing, \
      or the archive's checksum over them fails
      """,
    remedy: "Get the archive again; a repair keeps what the bytes that were read hold")
  package static let bloat = FindingCode(
    "store.bloat", .note,
    means: "Less than half of a log of 4096 bytes or more is live",
    remedy: "A repair writes the live records only")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    lengthBeyondEnd, negativeLength, malformedLength, zeros, checksumMismatch, implausible,
    refusedByEngine, silentLoss, rewriteInterrupted, newerTail, leftoverRecords, emptied, expired,
    fileUnread, fileFlawed, bloat,
  ]
}
