package import KVModel

/// The findings that only stores of FastKV for Android have.
package enum AndroidFindings {
  static let beingWritten = FindingCode(
    "fastkv-android.being-written", .damage, .warning,
    means: "The length of a copy is -1 or another negative number",
    cause: "The app was stopped while it wrote the copy",
    remedy: "A repair uses the other copy, or finds the end with the checksum")
  static let chainBroken = FindingCode(
    "fastkv-android.chain-broken", .damage, .warning, by: AccidentalChecksum.id,
    means: "The checksum matches, but the records do not decode to the end of the data",
    cause: .damage,
    remedy: "A repair reads past the damage")
  static let changeMarker = FindingCode(
    "fastkv-android.change-marker", .note,
    means: """
      From 5 to 8 bytes, with which MPFastKV tells other processes of a change, follow the data of \
      copy A only
      """,
    remedy: "A repair leaves them out")
  static let checksumMismatch = FindingCode(
    "fastkv-android.checksum-mismatch", .damage, .warning,
    means: "The eight lanes over the data do not match those in the header",
    cause: .damage,
    remedy: "A repair uses another, valid copy, or reads past the damage")
  static let copiesDiffer = FindingCode(
    "fastkv-android.copies-differ", .damage, .warning, by: NewestCopy.id,
    means: """
      Both copies are valid but differ. It is damage if the engine takes the older one, or if \
      neither is shown to be newer
      """,
    cause: "The app was stopped between the two writes, or one copy was changed without a trace",
    remedy: """
      A repair uses the newer copy. If none is shown to be newer, entries that differ get \
      `may-be-stale`
      """)
  static let copiesDisagree = FindingCode(
    "fastkv-android.copies-disagree", .damage, by: OtherCopy.id,
    means: """
      One copy is valid and the other is not, and both have other values at the same place. Either \
      may be right
      """,
    cause: .damage,
    remedy: """
      A repair uses the valid copy. Entries that differ are `structure` with `may-be-damaged`
      """)
  static let copyCDiffers = FindingCode(
    "fastkv-android.copy-c-differs", .damage, .warning, by: NewestCopy.id,
    means: "A `.kvc` or `.tmp` is valid, but the pair next to it has other contents",
    cause: .apart,
    remedy: """
      A repair uses the `.kvc` or `.tmp`, unless the pair is shown to be newer. Entries that \
      differ get `may-be-stale`
      """)
  static let copyMayBeOlder = FindingCode(
    "fastkv-android.copy-may-be-older", .damage, by: OtherCopy.id,
    means: "Only one copy of the pair is valid; the other may be a damaged newer copy",
    cause: .apart,
    remedy: "A repair uses the valid copy. Entries that differ are `structure` with `may-be-stale`")
  static let copyLost = FindingCode(
    "fastkv-android.copy-lost", .damage,
    means: "No header and no record can be read from a copy; the other copy of the pair is intact",
    cause: "The page of the copy was erased, or something else overwrote the file",
    remedy: "A repair uses the other copy")
  static let copyMissing = FindingCode(
    "fastkv-android.copy-missing", .damage, .warning,
    means: "One copy of the pair is missing, or both are beside external files",
    cause: .apart,
    remedy: "A repair uses the copy that is there. Without one, save the external files yourself")
  static let copyShort = FindingCode(
    "fastkv-android.copy-short", .damage, .warning,
    means: """
      A copy is shorter than a header. If it has 1 to 11 bytes, the engine ignores the other copy \
      too
      """,
    cause: .cut,
    remedy: "A repair uses the other copy")
  static let corrected = FindingCode(
    "fastkv-android.corrected", .damage,
    means: "A copy does not match its checksum, but the other copy or the lanes show the change",
    cause: "A fault of memory, medium or transfer",
    remedy: """
      A repair keeps the entries, as `corrected`, or as `structure` with `may-be-damaged` below 12 \
      bits of odds
      """)
  static let correctionUnlikely = FindingCode(
    "fastkv-android.correction-unlikely", .note,
    means: "A correction fits a damaged copy, but with odds of less than 6 bits",
    remedy: "A repair does not apply it")
  static let encryptedBit = FindingCode(
    "fastkv-android.encrypted-bit", .damage, .warning,
    means: """
      Bit 30 of the length, which says whether the store is encrypted, contradicts the records
      """,
    cause: .damage,
    remedy: "A repair goes by the records")
  static let externalDamaged = FindingCode(
    "fastkv-android.external-damaged", .warning, by: ExternalValue.id,
    means: "An external value has under 2,048 bytes, is not UTF-8, or has a run of zeros",
    cause: "The file was cut, or its bytes have changed",
    remedy: "A repair keeps the value, as `structure` with `may-be-damaged`")
  static let externalMissing = FindingCode(
    "fastkv-android.external-missing", .damage, by: ExternalValue.id,
    means: "The file with the value of an entry is missing or empty, or cannot be decrypted",
    cause: .notThere,
    remedy: "Look for it in another copy of the folder. A repair leaves the entry out")
  static let externalNotRenamed = FindingCode(
    "fastkv-android.external-not-renamed", .warning,
    means: "The file with a value exists only under its temporary name",
    cause: .tear,
    remedy: "A repair reads the value from that file")
  static let externalOrphan = FindingCode(
    "fastkv-android.external-orphan", .note,
    means: "An external file belongs to no entry",
    remedy: "A repair leaves it out")
  static let headerBlank = FindingCode(
    "fastkv-android.header-blank", .damage, .warning,
    means: """
      The header is all zeros, but another copy or the rest of the file is not. The engine takes \
      it as a valid empty store
      """,
    cause: .tear,
    remedy: "A repair uses the other copy, or reads the records")
  package static let keyNeeded = FindingCode(
    "fastkv-android.key-needed", .damage,
    means: "The store is encrypted, but no key was given. An app without its cipher clears it",
    cause: .encryption,
    remedy: "Give the key")
  static let keyNotNeeded = FindingCode(
    "fastkv-android.key-not-needed", .note,
    means: "A key was given, but the store is plain",
    remedy: "A repair reads the store without the key")
  static let kvcTail = FindingCode(
    "fastkv-android.kvc-tail", .damage,
    means: "The checksum of a `.kvc` matches, but nonzero bytes follow its log",
    cause: "Probably a page did not reach the disk: header and file are from different times",
    remedy: """
      A repair reads on if a record follows directly. Otherwise it takes the stated log, with \
      `may-be-stale`
      """)
  static let kvcUnused = FindingCode(
    "fastkv-android.kvc-unused", .warning,
    means: """
      A `.kvc` is not valid, so the `.tmp` next to it was read instead. The engine deletes both
      """,
    cause: .tear,
    remedy: "A repair uses the `.tmp`")
  static let largeObject = FindingCode(
    "fastkv-android.large-object", .damage, .warning,
    means: """
      FastKV of 2025-07 takes a large object as two bytes too short, so that a new value breaks the \
      chain of records
      """,
    cause: .engine,
    remedy: "A repair reads the new value, as `structure` with `may-be-damaged`")
  static let lengthBeyondFile = FindingCode(
    "fastkv-android.length-beyond-file", .damage, .warning,
    means: "The length is larger than the file",
    cause: .cut,
    remedy: "A repair finds the end with the checksum, or from the records")
  static let nulText = FindingCode(
    "fastkv-android.nul-text", .damage, .warning, by: AccidentalChecksum.id,
    means: """
      A key or a short text contains U+0000, or an object has no tag, so the engine refuses the \
      copy
      """,
    cause: .engine,
    remedy: "A repair sets this entry aside, and keeps the others")
  static let rewriteLeft = FindingCode(
    "fastkv-android.rewrite-left", .note,
    means: """
      A file is named `temp_` and the name of the store, as FastKV names one while it encrypts a \
      store
      """,
    remedy: "A repair leaves it out")
  static let sevenBits = FindingCode(
    "fastkv-android.seven-bits", .damage, .warning, by: AccidentalChecksum.id,
    means: "The checksum matches, but no byte of the file has its highest bit, although many could",
    cause: "A channel of 7 bits cleared the highest bit of every byte, in the checksum too",
    remedy: """
      Copy the file again, in binary. A repair keeps all entries, as `structure` with \
      `may-be-damaged`
      """, isOfCopy: true)
  static let slackContent = FindingCode(
    "fastkv-android.slack-content", .note,
    means: "Older contents follow the data",
    remedy: "A repair leaves them out")
  static let tmpPassedOver = FindingCode(
    "fastkv-android.tmp-passed-over", .damage,
    means: "The `.tmp` is whole, but the `.kvc` is not. The engine deletes both",
    cause: .tear,
    remedy: "A repair reads the `.tmp`")
  static let tmpUnused = FindingCode(
    "fastkv-android.tmp-unused", .warning,
    means: "There is a `.tmp` next to a `.kvc`. The engine does not look at it",
    cause: .tear,
    remedy: """
      A repair leaves it out. If it is valid, it is newer: copy it to another folder to read it
      """)
  package static let wrongKey = FindingCode(
    "fastkv-android.wrong-key", .damage,
    means: "The chain of records is there, but none of its keys can be decrypted",
    cause: .encryption,
    remedy: "Give the right key")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    beingWritten, chainBroken, changeMarker, checksumMismatch, copiesDiffer, copiesDisagree,
    copyCDiffers, copyLost, copyMayBeOlder, copyMissing, copyShort, corrected, correctionUnlikely,
    encryptedBit, externalDamaged, externalMissing, externalNotRenamed, externalOrphan, headerBlank,
    keyNeeded, keyNotNeeded, kvcTail, kvcUnused, largeObject, lengthBeyondFile, nulText,
    rewriteLeft, sevenBits, slackContent, tmpPassedOver, tmpUnused, wrongKey,
  ]
}
