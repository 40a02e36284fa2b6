package import KVModel

/// What can be found in stores of FastKV for Android alone.
package enum AndroidFindings {
  static let beingWritten = FindingCode(
    "fastkv-android.being-written", .damage, .warning,
    means:
      "The length of a copy is -1 or another negative number: the app died while it wrote the copy",
    remedy: "A repair takes the other copy, or finds the end by the checksum")
  static let chainBroken = FindingCode(
    "fastkv-android.chain-broken", .damage, .warning, by: AccidentalChecksum.id,
    means: "The checksum matches, but the records do not decode to the end of the data",
    remedy: "A repair reads on past the damage")
  static let changeMarker = FindingCode(
    "fastkv-android.change-marker", .note,
    means: """
      5 to 8 bytes after the data of copy A alone: the mark by which MPFastKV tells other \
      processes of a change
      """,
    remedy: "A repair leaves them out")
  static let checksumMismatch = FindingCode(
    "fastkv-android.checksum-mismatch", .damage, .warning,
    means: "The eight lanes over the data are not those in the header",
    remedy: "A repair takes another copy that holds, or reads on past the damage")
  static let copiesDiffer = FindingCode(
    "fastkv-android.copies-differ", .damage, .warning, by: NewestCopy.id,
    means:
      "Both copies hold, with different data; the message says which goes on where the other ends",
    remedy: """
      A repair takes the newer; where nothing tells which that is, A, and what differs may be \
      stale
      """)
  static let copiesDisagree = FindingCode(
    "fastkv-android.copies-disagree", .damage, by: OtherCopy.id,
    means: """
      One copy of the pair holds and the other does not, and records at the same place have \
      another value there
      """,
    remedy: """
      A repair takes it; the entries that the other copy contradicts are `structure` with \
      `may-be-damaged`
      """)
  static let copyCDiffers = FindingCode(
    "fastkv-android.copy-c-differs", .damage, .warning, by: NewestCopy.id,
    means: "A `.kvc` or `.tmp` holds, and a pair with other contents is beside it",
    remedy: """
      A repair takes it, unless the pair's log goes on where it ends, or the two have nothing in \
      common and the pair has more entries
      """)
  static let copyMayBeOlder = FindingCode(
    "fastkv-android.copy-may-be-older", .damage, by: OtherCopy.id,
    means: "One copy of the pair holds",
    remedy: """
      A repair takes it; the entries of which the other copy does not have the same record are \
      `structure` with `may-be-stale`
      """)
  static let copyMissing = FindingCode(
    "fastkv-android.copy-missing", .warning,
    means: "Only one copy of the pair is there",
    remedy: "A repair takes the one")
  static let copyShort = FindingCode(
    "fastkv-android.copy-short", .damage, .warning,
    means: "A copy is shorter than a header",
    remedy: "A repair takes the other copy")
  static let corrected = FindingCode(
    "fastkv-android.corrected", .damage,
    means:
      "A copy does not match its checksum, and the other copy or the lanes tell what was changed",
    remedy: """
      A repair reads the corrected bytes: with the evidence `corrected` where the odds are 1 in \
      2^12 or better, else `structure` with `may-be-damaged`
      """)
  static let correctionUnlikely = FindingCode(
    "fastkv-android.correction-unlikely", .note,
    means: """
      A correction fits a damaged copy, and fits by chance with odds worse than 1 in 2^6: some \
      byte of it could be any value to the records, and is as likely to lie elsewhere
      """,
    remedy: "A repair does not apply it")
  static let encryptedBit = FindingCode(
    "fastkv-android.encrypted-bit", .damage, .warning,
    means: "Bit 30 of the length says the contrary of what the records do; no checksum covers it",
    remedy: "A repair goes by the records")
  static let externalDamaged = FindingCode(
    "fastkv-android.external-damaged", .warning, by: ExternalValue.id,
    means: """
      A value in a file of its own has fewer than 2,048 bytes, which no release stores so, or is \
      a text that is not UTF-8 or has a hole of zeros
      """,
    remedy: "A repair keeps the value, as `structure` with `may-be-damaged`")
  static let externalMissing = FindingCode(
    "fastkv-android.external-missing", .damage, by: ExternalValue.id,
    means: "The file with the value of an entry is missing, empty or cannot be decrypted",
    remedy: "A repair leaves the entry out and says so")
  static let externalNotRenamed = FindingCode(
    "fastkv-android.external-not-renamed", .warning,
    means: "The file with a value is there only under its temporary name",
    remedy: "A repair takes the value from it")
  static let externalOrphan = FindingCode(
    "fastkv-android.external-orphan", .note,
    means: "An external file belongs to no entry",
    remedy: "A repair leaves it out")
  static let headerBlank = FindingCode(
    "fastkv-android.header-blank", .damage, .warning,
    means: """
      The header is all zeros though another copy holds a log, though the file is longer than \
      the engine leaves an empty one, or though the records after it are encrypted and it lacks \
      the bit that says so
      """,
    remedy: "A repair takes the other copy, or reads the records")
  package static let keyNeeded = FindingCode(
    "fastkv-android.key-needed", .damage,
    means: "The store is encrypted and no key was given",
    remedy: "Give the key")
  static let keyNotNeeded = FindingCode(
    "fastkv-android.key-not-needed", .note,
    means: "A key was given and the store is plain",
    remedy: "A repair reads it without")
  static let kvcTail = FindingCode(
    "fastkv-android.kvc-tail", .damage,
    means: "The checksum of a `.kvc` holds, and bytes that are not zero follow its log",
    remedy: """
      Where a record follows at once, reads on to the end of the file; its entries are \
      `structure` with `may-be-damaged` and `may-be-stale`
      """)
  static let kvcUnused = FindingCode(
    "fastkv-android.kvc-unused", .warning,
    means: "A `.kvc` is no good, and the `.tmp` beside it was read in its place",
    remedy: "A repair uses the `.tmp`")
  static let largeObject = FindingCode(
    "fastkv-android.large-object", .damage, .warning,
    means: """
      A defect of FastKV of 2025-07: it takes a large object that it has loaded for two bytes \
      shorter than it is
      """,
    remedy: """
      A repair reads the new value, which is `structure` with `may-be-damaged`, or passes over \
      the two bytes; all other entries keep the evidence `checksum`
      """)
  static let lengthBeyondFile = FindingCode(
    "fastkv-android.length-beyond-file", .damage, .warning,
    means: "The length is more than the file has",
    remedy: "A repair finds the end by the checksum, or by the records")
  static let nulText = FindingCode(
    "fastkv-android.nul-text", .damage, .warning, by: AccidentalChecksum.id,
    means: "A key or a short text has U+0000 in it, or an object has no tag",
    remedy: "A repair keeps the other entries; the one cannot be written and is named")
  static let rewriteLeft = FindingCode(
    "fastkv-android.rewrite-left", .note,
    means: """
      A file called `temp_` and the store's name is there: FastKV writes under such a name while \
      it encrypts a plain store
      """,
    remedy: "A repair leaves it out")
  static let slackContent = FindingCode(
    "fastkv-android.slack-content", .note,
    means: "Older contents stand after the data",
    remedy: "A repair leaves them out")
  static let tagCorrected = FindingCode(
    "fastkv-android.tag-corrected", .damage, by: AccidentalChecksum.id,
    means:
      "The data of an object is that of a set, and one byte of its tag is not that of `StringSet`",
    remedy: """
      A repair reads and writes the entry with the right tag, as `structure` with \
      `may-be-damaged`
      """)
  static let tmpPassedOver = FindingCode(
    "fastkv-android.tmp-passed-over", .damage,
    means: "The `.tmp` is whole and the `.kvc` is not",
    remedy: "A repair reads the `.tmp`")
  static let tmpUnused = FindingCode(
    "fastkv-android.tmp-unused", .warning,
    means: "A `.tmp` stands beside a `.kvc`",
    remedy: "A repair leaves it out")
  static let wrongKey = FindingCode(
    "fastkv-android.wrong-key", .damage,
    means: "The chain of records is there, and none of its keys can be decrypted",
    remedy: "Give the right key")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    beingWritten, chainBroken, changeMarker, checksumMismatch, copiesDiffer, copiesDisagree,
    copyCDiffers, copyMayBeOlder, copyMissing, copyShort, corrected, correctionUnlikely,
    encryptedBit, externalDamaged, externalMissing, externalNotRenamed, externalOrphan, headerBlank,
    keyNeeded, keyNotNeeded, kvcTail, kvcUnused, largeObject, lengthBeyondFile, nulText,
    rewriteLeft, slackContent, tagCorrected, tmpPassedOver, tmpUnused, wrongKey,
  ]
}
