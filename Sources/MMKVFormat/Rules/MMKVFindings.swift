package import KVModel

/// The findings that only stores of MMKV have.
package enum MMKVFindings {
  static let dataMissing = FindingCode(
    "mmkv.data-missing", .damage,
    means: "There is a `.crc` file, but no data file next to it",
    remedy: "A repair has no entries to keep")
  static let dataCut = FindingCode(
    "mmkv.data-cut", .damage,
    means: """
      The data file is shorter than its 4-byte header: it is empty, or was truncated when it was \
      copied
      """,
    remedy: "A repair finds no records")
  static let dataNotPageSized = FindingCode(
    "mmkv.data-not-page-sized", .warning,
    means: """
      The length of the data file is not a multiple of the page size, as the engine always makes \
      it
      """,
    remedy: "A repair recovers what is left and writes whole pages")
  static let metaMissing = FindingCode(
    "mmkv.meta-missing", .damage,
    means: "There is no `.crc` file: it was not copied, or was deleted",
    remedy: "A repair recovers the log up to where the records stop, and writes a new meta file")
  static let metaRenamed = FindingCode(
    "mmkv.meta-renamed", .note,
    means: "Both files were renamed, so the name of the `.crc` file does not end in `.crc`",
    remedy: "Give both files the names that the app gave them before you return them to a device")
  static let metaShort = FindingCode(
    "mmkv.meta-short", .damage, .warning,
    means: "The meta file is shorter than the 112 bytes of its fields",
    remedy: """
      A repair uses the fields that are there and, if the digest is among them, finds the end of \
      the log with it
      """)
  static let metaBlank = FindingCode(
    "mmkv.meta-blank", .damage,
    means: """
      All meta fields are zero, or all except the version, the vector and the flags, although the \
      data file holds bytes
      """,
    remedy: "A repair recovers the log up to where the records stop, and writes a new meta file")
  static let metaVersionSuspicious = FindingCode(
    "mmkv.meta-version-suspicious", .warning,
    means: "The meta version is 7 or more, which no engine writes: the field was overwritten",
    remedy: "A repair reads the store as the engine does, and writes version 4")
  static let metaVersionReserved = FindingCode(
    "mmkv.meta-version-reserved", .warning,
    means: "The meta version is 5 or 6, which no released engine writes",
    remedy: "A repair reads it as version 4, and writes version 4")
  static let metaFlagsUnknown = FindingCode(
    "mmkv.meta-flags-unknown", .warning,
    means: "A flag other than bit 0 is set, in a store of version 4 or above",
    remedy: "A repair ignores it; the flags that it writes have bit 0 or nothing")
  static let expiryContradicted = FindingCode(
    "mmkv.expiry-contradicted", .warning, .damage, by: ExpiryFlag.id,
    means: """
      The flag in the meta file says whether values end in an expiry time, and the values show \
      otherwise. If all do, a bit of the flags has changed. If only some do, and the flag is set, \
      an engine before 1.3 wrote them, or a later one before it first read the log
      """,
    remedy: """
      A repair gives every value the same form, and sets the flag accordingly; entries keep their \
      expiry time if they have one
      """)
  static let metaPadding = FindingCode(
    "mmkv.meta-padding", .note,
    means: """
      There are nonzero bytes where the meta file has zeros: in the reserved field, or after the \
      flags
      """,
    remedy: "A repair writes zeros there")
  static let hashedId = FindingCode(
    "mmkv.hashed-id", .note,
    means: """
      The name of the data file is the MD5 of one of the ids given with `--id`: the engine stores \
      ids that cannot be file names in this way
      """,
    remedy: "A repair keeps the file's name")
  static let checksumMismatch = FindingCode(
    "mmkv.checksum-mismatch", .damage,
    means: "The CRC-32 over the log is not the stored one",
    remedy: """
      If the checksum matches at another end of the log, the size is what was wrong, and all is \
      kept by `checksum`
      """)
  static let corrected = FindingCode(
    "mmkv.corrected", .damage,
    means: """
      A few bits of the log, or of its stored checksum, have changed because of a fault of memory, \
      of the medium or of a transfer
      """,
    remedy: """
      A repair keeps all entries, with the evidence `corrected`, or with `structure` and \
      `may-be-damaged` if the odds are under 12 bits
      """)
  static let correctionCandidates = FindingCode(
    "mmkv.correction-candidates", .note,
    means: """
      The log is damaged, and a few changed bits would explain it, but in more than one way, or in \
      only one with odds under 6 bits
      """,
    remedy: "A repair changes nothing")
  static let sizeBeyondFile = FindingCode(
    "mmkv.size-beyond-file", .damage,
    means: """
      The size that counts is larger than the file: the size field was overwritten, or the file \
      was truncated
      """,
    remedy: "A repair looks for the end at which the checksum matches")
  static let undecodable = FindingCode(
    "mmkv.undecodable", .damage,
    means: "The checksum matches, but not every record decodes",
    remedy: "A repair skips what does not decode, and reads on after it")
  static let vectorUnverified = FindingCode(
    "mmkv.vector-unverified", .damage, .note, by: FirstBlockVector.id,
    means: "The first 16 bytes of an encrypted log decrypt to something implausible for a log",
    remedy: "A repair leaves out what decodes wrongly in the first block, and reads on after it")
  static let vectorByOtherVersion = FindingCode(
    "mmkv.vector-by-other-version", .damage, by: OtherVector.id,
    means: """
      The version in the meta file, or the vector, was changed: below version 2, the key itself is \
      the vector
      """,
    remedy: """
      A repair uses the vector that fits; entries in the first block have the evidence `structure`
      """)
  static let vectorCorrected = FindingCode(
    "mmkv.vector-corrected", .damage, by: OtherVector.id,
    means: "One bit of the vector in the meta file has changed",
    remedy: "A repair keeps the entries; those in the first block have the evidence `structure`")
  static let headerDisagrees = FindingCode(
    "mmkv.header-disagrees", .warning, .note,
    means: "A size field that the store's version does not use differs from the one that it uses",
    remedy: "A repair takes the size at which the checksum matches")
  static let confirmedMismatch = FindingCode(
    "mmkv.confirmed-mismatch", .note, .warning,
    means: "The last confirmed checksum does not match over the last confirmed size",
    remedy: "A repair does not use the confirmed state")
  static let confirmedBeyondFile = FindingCode(
    "mmkv.confirmed-beyond-file", .warning,
    means: "The last confirmed size is larger than the file",
    remedy: "A repair does not use the confirmed state")
  static let slackContent = FindingCode(
    "mmkv.slack-content", .note,
    means: "There are nonzero bytes after the log, left over from earlier logs",
    remedy: "A repair leaves them out")
  static let tailBeyondSize = FindingCode(
    "mmkv.tail-beyond-size", .note,
    means: "A whole, plausible record directly follows the log",
    remedy: "A repair leaves it out, because nothing shows whether it is newer or a leftover")
  package static let keyNeeded = FindingCode(
    "mmkv.key-needed", .damage,
    means:
      "The checksum matches, but nothing decodes: the store is encrypted, and no key was given",
    remedy: "Give the key")
  static let keyUndetermined = FindingCode(
    "mmkv.key-undetermined", .damage,
    means: """
      The log decodes with the given key, but it is so short, or its keys and values are so \
      unusual, that noise would decode as well
      """,
    remedy: "A repair writes nothing")
  package static let wrongKey = FindingCode(
    "mmkv.wrong-key", .damage,
    means: "A key was given, but nothing decodes, either with it or without it",
    remedy: "Give the right key")
  package static let cipherMismatch = FindingCode(
    "mmkv.cipher-mismatch", .damage,
    means: "The key is right, but for the other key size of AES",
    remedy: "Give `--aes256`, or omit it")
  static let keyNotNeeded = FindingCode(
    "mmkv.key-not-needed", .note, .damage,
    means: "A key was given, but the records decode without it",
    remedy: "Omit the key; the note only says that it was not used")
  /// The findings that another key may resolve.
  static let aboutKeys = [keyNeeded, keyUndetermined, wrongKey, cipherMismatch, nothingDecodes]
  package static let nothingDecodes = FindingCode(
    "mmkv.nothing-decodes", .damage,
    means: "The meta file is plausible, but no record decodes and no checksum matches",
    remedy: "Give the key, if there is one")
  static let notAStore = FindingCode(
    "mmkv.not-a-store", .damage,
    means: """
      Neither file looks like MMKV: no size leads to a log whose checksum matches, and no chain of \
      records was found
      """,
    remedy: "None: this is not an MMKV store")
  static let noCipher = FindingCode(
    "mmkv.no-cipher", .damage,
    means: "A key was given to a build without the trait `Encryption`",
    remedy: "Use a build with the trait")

  /// The codes in the order of `Docs/FINDINGS.md`.
  package static let all = [
    dataMissing, dataCut, dataNotPageSized, metaMissing, metaRenamed, metaShort, metaBlank,
    metaVersionSuspicious, metaVersionReserved, metaFlagsUnknown, expiryContradicted, metaPadding,
    hashedId,
    checksumMismatch, corrected, correctionCandidates, sizeBeyondFile, undecodable,
    vectorUnverified,
    vectorByOtherVersion, vectorCorrected, headerDisagrees, confirmedMismatch, confirmedBeyondFile,
    slackContent, tailBeyondSize, keyNeeded, keyUndetermined, wrongKey, cipherMismatch,
    keyNotNeeded, nothingDecodes, notAStore, noCipher,
  ]
}
