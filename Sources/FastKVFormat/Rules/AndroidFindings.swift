package import KVModel

/// The findings that only stores of FastKV for Android have.
package enum AndroidFindings {
  static let beingWritten = FindingCode(
    "fastkv-android.being-written", .damage, .warning,
    means: """
      The length of a copy is -1 or another negative number: the app was stopped while it wrote \
      the copy
      """,
    remedy: "A repair uses the other copy, or finds the end with the checksum")
  static let chainBroken = FindingCode(
    "fastkv-android.chain-broken", .damage, .warning, by: AccidentalChecksum.id,
    means: "The checksum matches, but the records do not decode to the end of the data",
    remedy: "A repair reads past the damage")
  static let changeMarker = FindingCode(
    "fastkv-android.change-marker", .note,
    means: """
      5 to 8 bytes follow the data of copy A only: the mark with which MPFastKV tells other \
      processes of a change
      """,
    remedy: "A repair leaves them out")
  static let checksumMismatch = FindingCode(
    "fastkv-android.checksum-mismatch", .damage, .warning,
    means: "The eight lanes over the data do not match those in the header",
    remedy: "A repair uses another, valid copy, or reads past the damage")
  static let copiesDiffer = FindingCode(
    "fastkv-android.copies-differ", .damage, .warning, by: NewestCopy.id,
    means: """
      Both copies are valid but hold different data; the message says which one continues where \
      the other ends
      """,
    remedy: """
      A repair uses the newer copy; if nothing shows which one that is, it uses A, and entries \
      that differ may be stale
      """)
  static let copiesDisagree = FindingCode(
    "fastkv-android.copies-disagree", .damage, by: OtherCopy.id,
    means: """
      One copy of the pair is valid and the other is not, and records at the same place have \
      different values
      """,
    remedy: """
      A repair uses the valid copy; entries that the other copy contradicts are `structure` with \
      `may-be-damaged`
      """)
  static let copyCDiffers = FindingCode(
    "fastkv-android.copy-c-differs", .damage, .warning, by: NewestCopy.id,
    means: "A `.kvc` or `.tmp` is valid, but the pair next to it has other contents",
    remedy: """
      A repair uses the `.kvc` or `.tmp`, unless the pair has the same records and more of them \
      deleted, or the two have nothing in common, the pair has more entries, and the engine cannot \
      have read it
      """)
  static let copyMayBeOlder = FindingCode(
    "fastkv-android.copy-may-be-older", .damage, by: OtherCopy.id,
    means: "Only one copy of the pair is valid, and the other may be a damaged newer copy",
    remedy: """
      A repair uses the valid copy; entries that do not have the same record in the other copy are \
      `structure` with `may-be-stale`
      """)
  static let copyLost = FindingCode(
    "fastkv-android.copy-lost", .damage,
    means: "No header and no record can be read from a copy; the other copy of the pair is intact",
    remedy: "A repair uses the other copy")
  static let copyMissing = FindingCode(
    "fastkv-android.copy-missing", .damage, .warning,
    means: "Only one copy of the pair is there, or no copy at all beside external files",
    remedy: "A repair uses the copy that is there; without one, save the external files yourself")
  static let copyShort = FindingCode(
    "fastkv-android.copy-short", .damage, .warning,
    means: "A copy is shorter than a header",
    remedy: "A repair uses the other copy")
  static let corrected = FindingCode(
    "fastkv-android.corrected", .damage,
    means:
      "A copy does not match its checksum, but the other copy or the lanes show what has changed",
    remedy: """
      A repair reads the corrected bytes, with the evidence `corrected` if the odds are 1 in 2^12 \
      or better, otherwise with `structure` and `may-be-damaged`
      """)
  static let correctionUnlikely = FindingCode(
    "fastkv-android.correction-unlikely", .note,
    means: """
      A correction fits a damaged copy, but its odds of fitting by chance are worse than 1 in 2^6: \
      the records would accept any value for some of its bytes, and the damage is as likely to be \
      elsewhere
      """,
    remedy: "A repair does not apply it")
  static let encryptedBit = FindingCode(
    "fastkv-android.encrypted-bit", .damage, .warning,
    means: "Bit 30 of the length, which no checksum covers, contradicts the records",
    remedy: "A repair goes by the records")
  static let externalDamaged = FindingCode(
    "fastkv-android.external-damaged", .warning, by: ExternalValue.id,
    means: """
      A value in a file of its own has fewer than 2,048 bytes, which no release stores in that \
      way, or is a text that is not UTF-8 or has a run of zeros in it
      """,
    remedy: "A repair keeps the value, with `structure` and `may-be-damaged`")
  static let externalMissing = FindingCode(
    "fastkv-android.external-missing", .damage, by: ExternalValue.id,
    means: "The file with the value of an entry is missing or empty, or cannot be decrypted",
    remedy: "A repair leaves the entry out and says so")
  static let externalNotRenamed = FindingCode(
    "fastkv-android.external-not-renamed", .warning,
    means: "The file with a value exists only under its temporary name",
    remedy: "A repair reads the value from that file")
  static let externalOrphan = FindingCode(
    "fastkv-android.external-orphan", .note,
    means: "An external file belongs to no entry",
    remedy: "A repair leaves it out")
  static let headerBlank = FindingCode(
    "fastkv-android.header-blank", .damage, .warning,
    means: """
      The header is all zeros, but another copy holds a log, or the file is longer than an empty \
      one that the engine leaves and does not begin with deleted records, or the records after the header are encrypted and the header \
      lacks the bit that says so
      """,
    remedy: "A repair uses the other copy, or reads the records")
  package static let keyNeeded = FindingCode(
    "fastkv-android.key-needed", .damage,
    means: "The store is encrypted, but no key was given",
    remedy: "Give the key")
  static let keyNotNeeded = FindingCode(
    "fastkv-android.key-not-needed", .note,
    means: "A key was given, but the store is plain",
    remedy: "A repair reads the store without the key")
  static let kvcTail = FindingCode(
    "fastkv-android.kvc-tail", .damage,
    means: "The checksum of a `.kvc` matches, but nonzero bytes follow its log",
    remedy: """
      If a record follows directly, a repair reads on to the end of the file; its entries are \
      `structure` with `may-be-damaged` and `may-be-stale`
      """)
  static let kvcUnused = FindingCode(
    "fastkv-android.kvc-unused", .warning,
    means: "A `.kvc` is not valid, so the `.tmp` next to it was read instead",
    remedy: "A repair uses the `.tmp`")
  static let largeObject = FindingCode(
    "fastkv-android.large-object", .damage, .warning,
    means: """
      FastKV of 2025-07 has a defect: when it has loaded a large object, it treats the object as \
      two bytes shorter than it is
      """,
    remedy: """
      A repair reads the new value, with `structure` and `may-be-damaged`, or skips the two bytes; \
      all other entries keep the evidence `checksum`
      """)
  static let lengthBeyondFile = FindingCode(
    "fastkv-android.length-beyond-file", .damage, .warning,
    means: "The length is larger than the file",
    remedy: "A repair finds the end with the checksum, or from the records")
  static let nulText = FindingCode(
    "fastkv-android.nul-text", .damage, .warning, by: AccidentalChecksum.id,
    means: "A key or a short text contains U+0000, or an object has no tag",
    remedy: "A repair keeps the other entries, and sets this one aside and names it")
  static let rewriteLeft = FindingCode(
    "fastkv-android.rewrite-left", .note,
    means: """
      There is a file whose name is `temp_` and the name of the store: FastKV writes to such a \
      file while it encrypts a plain store
      """,
    remedy: "A repair leaves it out")
  static let sevenBits = FindingCode(
    "fastkv-android.seven-bits", .damage, .warning, by: AccidentalChecksum.id,
    means: """
      The checksum matches, but no byte of the file has its highest bit, although numbers and \
      arrays have many bytes that could have it: the file was probably transferred in seven bits
      """,
    remedy: """
      Copy the file again, in binary. A repair keeps all entries with `structure` and \
      `may-be-damaged`
      """)
  static let slackContent = FindingCode(
    "fastkv-android.slack-content", .note,
    means: "Older contents follow the data",
    remedy: "A repair leaves them out")
  static let tagCorrected = FindingCode(
    "fastkv-android.tag-corrected", .damage, by: AccidentalChecksum.id,
    means:
      "The data of an object is that of a set, but one byte of its tag differs from `StringSet`",
    remedy: """
      A repair reads and writes the entry with the right tag, with `structure` and \
      `may-be-damaged`
      """)
  static let tmpPassedOver = FindingCode(
    "fastkv-android.tmp-passed-over", .damage,
    means: "The `.tmp` is whole, but the `.kvc` is not",
    remedy: "A repair reads the `.tmp`")
  static let tmpUnused = FindingCode(
    "fastkv-android.tmp-unused", .warning,
    means: "There is a `.tmp` next to a `.kvc`",
    remedy: """
      A repair leaves it out. If it is valid, it is the newer one: copy it to a folder of its own \
      to read it
      """)
  package static let wrongKey = FindingCode(
    "fastkv-android.wrong-key", .damage,
    means: "The chain of records is there, but none of its keys can be decrypted",
    remedy: "Give the right key")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    beingWritten, chainBroken, changeMarker, checksumMismatch, copiesDiffer, copiesDisagree,
    copyCDiffers, copyLost, copyMayBeOlder, copyMissing, copyShort, corrected, correctionUnlikely,
    encryptedBit, externalDamaged, externalMissing, externalNotRenamed, externalOrphan, headerBlank,
    keyNeeded, keyNotNeeded, kvcTail, kvcUnused, largeObject, lengthBeyondFile, nulText,
    rewriteLeft, sevenBits, slackContent, tagCorrected, tmpPassedOver, tmpUnused, wrongKey,
  ]
}
