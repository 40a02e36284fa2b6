package import KVModel

/// The findings that only stores of MMKV have.
package enum MMKVFindings {
  static let dataMissing = FindingCode(
    "mmkv.data-missing", .damage,
    means: "There is a `.crc` file, but no data file next to it",
    cause: .apart,
    remedy: "Look for another copy. A repair has nothing to keep")
  static let dataCut = FindingCode(
    "mmkv.data-cut", .damage,
    means: "The data file is shorter than its 4-byte header",
    cause: .cut,
    remedy: "Look for another copy. A repair has nothing to keep")
  static let dataNotPageSized = FindingCode(
    "mmkv.data-not-page-sized", .warning,
    means: "The length of the data file is not a multiple of the page size",
    cause: """
      The file was cut, if the log reaches into the last page. Otherwise, a copy or a program \
      added bytes
      """,
    remedy: "A repair recovers what is left and writes whole pages", isOfCopy: true)
  static let metaMissing = FindingCode(
    "mmkv.meta-missing", .damage,
    means: """
      There is no `.crc` file. A store of MMKV 2.4 then opens as empty, and the next write \
      overwrites its log
      """,
    cause: .notThere,
    remedy: """
      A repair recovers the log as `structure`. An encrypted store loses the records that begin in \
      its first 16 bytes
      """)
  static let metaRenamed = FindingCode(
    "mmkv.meta-renamed", .note,
    means: "Both files were renamed, so that no name ends in `.crc`",
    cause: "A copy or a tool changed both names alike, such as to `user.bak` and `user.crc.bak`",
    remedy: """
      Give both their original names before you return them to a device. A repair needs `--out`
      """)
  static let metaShort = FindingCode(
    "mmkv.meta-short", .damage, .warning,
    means: """
      The meta file is shorter than its 112 bytes of fields. It is damage if a size or a checksum \
      is missing
      """,
    cause: .cut,
    remedy: """
      A repair uses the fields that are left. With the checksum, it finds the end of the log
      """)
  static let metaBlank = FindingCode(
    "mmkv.meta-blank", .damage,
    means: """
      All meta fields are zero, except perhaps version, vector and flags, although the data file \
      holds bytes. The app may see an empty store
      """,
    cause: "The meta file was made again, overwritten with zeros, or taken from another store",
    remedy: "A repair recovers the log, and writes a new meta file")
  static let metaVersionSuspicious = FindingCode(
    "mmkv.meta-version-suspicious", .warning,
    means: "The meta version is 7 or more, which no engine writes",
    cause: .foreign,
    remedy: "A repair reads the store as the engine does, and writes version 4")
  static let metaVersionReserved = FindingCode(
    "mmkv.meta-version-reserved", .warning,
    means: "The meta version is 5 or 6, which no released engine writes",
    cause: "A newer engine wrote the store, or the field was overwritten",
    remedy: "A repair reads the store as version 4, and writes version 4")
  static let metaFlagsUnknown = FindingCode(
    "mmkv.meta-flags-unknown", .warning,
    means: "A flag other than bit 0 is set, in a store of version 4 or above",
    cause: .foreign,
    remedy: "A repair does not write the other flags")
  static let expiryContradicted = FindingCode(
    "mmkv.expiry-contradicted", .warning, .damage, by: ExpiryFlag.id,
    means: """
      The values contradict the flag that says whether they end in an expiry time. The engine goes \
      by the flag, and drops or misreads entries
      """,
    cause: """
      If all values contradict it, a bit of the flag has changed. Otherwise, engines wrote values \
      in both forms
      """,
    remedy: "A repair gives every value the same form, with its expiry time, and sets the flag")
  static let metaPadding = FindingCode(
    "mmkv.meta-padding", .note,
    means: "The reserved field, or the part after the flags, has bytes that are not zero",
    cause: "Something else wrote to the file, or it is not a meta file of MMKV",
    remedy: "A repair writes zeros there")
  static let hashedId = FindingCode(
    "mmkv.hashed-id", .note,
    means: """
      The name of the data file is the MD5 of the id given with `--id`, as MMKV names ids that \
      cannot be file names
      """,
    remedy: "A repair keeps the file's name")
  static let checksumMismatch = FindingCode(
    "mmkv.checksum-mismatch", .damage,
    means: """
      The CRC-32 over the log is not the stored one. The engine rolls back silently, or calls \
      `onMMKVCRCCheckFail`
      """,
    cause: """
      A bit changed, a write was torn, the app was killed in a full rewrite, or the files do not \
      belong together
      """,
    remedy: """
      A repair keeps everything if the checksum matches at another end of the log. Otherwise it \
      reads past the damage
      """)
  static let corrected = FindingCode(
    "mmkv.corrected", .damage,
    means: """
      With a few bits of the log, or of its checksum, changed back, the checksum matches and every \
      record decodes
      """,
    cause: """
      A fault of memory, medium or transfer. Larger damage is undone from older copies of the \
      records in the slack
      """,
    remedy: """
      A repair keeps all entries, as `corrected`, or as `structure` with `may-be-damaged` below 12 \
      bits of odds
      """)
  static let correctionCandidates = FindingCode(
    "mmkv.correction-candidates", .note,
    means: """
      Several small changes would explain the damage of the log, or only one with odds under 6 \
      bits
      """,
    remedy: "A repair applies none. Compare the candidates with values that you know")
  static let sizeBeyondFile = FindingCode(
    "mmkv.size-beyond-file", .damage,
    means: """
      The size that counts is larger than the file. If the engine calls `onMMKVFileLengthError`, \
      the answer recover brings stale values back
      """,
    cause: "The size field was overwritten, or the file was truncated",
    remedy: """
      A repair ends the log where the checksum matches. Otherwise it keeps what is left of it
      """)
  static let undecodable = FindingCode(
    "mmkv.undecodable", .damage,
    means: """
      The checksum matches, but not every record decodes. The app sees an empty store, and its \
      next write overwrites the log
      """,
    cause: """
      The app wrote with several keys, the vector has changed, or an engine wrote a malformed \
      record
      """,
    remedy: """
      A repair skips what does not decode. With a wrong vector, only the first 16 bytes are lost
      """)
  static let vectorUnverified = FindingCode(
    "mmkv.vector-unverified", .damage, .note, by: FirstBlockVector.id,
    means: """
      The first 16 bytes of an encrypted log decrypt to something implausible. It is damage if the \
      vector is likelier wrong than right
      """,
    cause: "The vector may have changed. An unusual first key looks the same",
    remedy: """
      A repair keeps the entries there with `may-be-damaged`. If it is damage, it leaves out what \
      decodes wrongly
      """)
  static let vectorByOtherVersion = FindingCode(
    "mmkv.vector-by-other-version", .damage, by: OtherVector.id,
    means: """
      The first 16 bytes decrypt to plausible records only with the vector that other versions use
      """,
    cause: "The version or the vector has changed. Below version 2, the key itself is the vector",
    remedy: "A repair uses that vector. Entries in the first block have the evidence `structure`")
  static let vectorCorrected = FindingCode(
    "mmkv.vector-corrected", .damage, by: OtherVector.id,
    means: """
      With one bit of the vector in the meta file changed back, the first records are plausible
      """,
    cause: .damage,
    remedy: "A repair keeps the entries. Those in the first block have the evidence `structure`")
  static let headerDisagrees = FindingCode(
    "mmkv.header-disagrees", .warning, .note,
    means: """
      A size that the version does not use differs from the used one. It is a warning if the \
      checksum matches for it
      """,
    cause: """
      An upgrade to MMKV 2.4 leaves an old size in the header, which is harmless. With a warning, \
      the used size is probably wrong
      """,
    remedy: "A repair takes the size at which the checksum matches")
  static let confirmedMismatch = FindingCode(
    "mmkv.confirmed-mismatch", .note, .warning,
    means: """
      The last confirmed checksum does not match, so the engine cannot roll back. It is a warning \
      if that of the log does not match either
      """,
    cause: "The first part of the log is damaged, or the app was killed in a full rewrite",
    remedy: "A repair does not use the confirmed state")
  static let confirmedBeyondFile = FindingCode(
    "mmkv.confirmed-beyond-file", .warning,
    means: "The last confirmed size is larger than the file, so the engine cannot roll back",
    cause: .cut,
    remedy: "A repair does not use the confirmed state")
  static let slackContent = FindingCode(
    "mmkv.slack-content", .note,
    means: "Bytes of earlier logs follow the log",
    remedy: """
      A repair leaves them out. The history of the store shows them, removed entries included
      """)
  static let tailBeyondSize = FindingCode(
    "mmkv.tail-beyond-size", .note,
    means: """
      A whole, plausible record directly follows the log: an append whose size was not written, or \
      a leftover
      """,
    remedy: "A repair leaves it out. The history of the store shows it as `slack`")
  package static let keyNeeded = FindingCode(
    "mmkv.key-needed", .damage,
    means: """
      The checksum matches, but nothing decodes: the store is encrypted, and no key was given. An \
      app without the key overwrites the log
      """,
    cause: .encryption,
    remedy: "Give the key")
  static let keyUndetermined = FindingCode(
    "mmkv.key-undetermined", .damage,
    means: "The log decodes with the given key, but is too short or unusual to tell it from noise",
    cause: .encryption,
    remedy: "Try the key on another store of the same app. A repair writes nothing")
  package static let wrongKey = FindingCode(
    "mmkv.wrong-key", .damage,
    means: """
      A key was given, but nothing decodes with it or without it. The message says whether the log \
      is whole
      """,
    cause: .encryption,
    remedy: "Give the right key. The message says if it fits as hexadecimal digits")
  package static let cipherMismatch = FindingCode(
    "mmkv.cipher-mismatch", .damage,
    means: "The key is right, but for the other key size of AES",
    cause: .encryption,
    remedy: "Give `--aes256`, or omit it")
  static let keyNotNeeded = FindingCode(
    "mmkv.key-not-needed", .note, .damage,
    means: """
      A key was given, but the records decode without it. It is damage if the key was given for \
      this store
      """,
    cause: "The store is not encrypted, as some are when one key is given for many",
    remedy: "Omit the key. `--rekey` encrypts the store")
  static let keyFound = FindingCode(
    "mmkv.key-found", .note,
    means: """
      The key of the store is among the candidates from `--keys-from`; the message says where
      """,
    remedy: "`--show` prints the key. Keep it with the evidence, and give it with `--key-file`")
  /// The findings that another key may resolve.
  static let aboutKeys = [keyNeeded, keyUndetermined, wrongKey, cipherMismatch, nothingDecodes]
  package static let nothingDecodes = FindingCode(
    "mmkv.nothing-decodes", .damage,
    means: """
      The meta file is plausible, but nothing decodes and no checksum matches: the store is \
      encrypted and damaged, or the files do not belong together
      """,
    cause: .encryption,
    remedy: "Give the key, if there is one")
  static let notAStore = FindingCode(
    "mmkv.not-a-store", .damage,
    means: "Neither file looks like MMKV. The message names the type of the file if it is known",
    cause: .foreign,
    remedy: "None: this is not an MMKV store")
  static let noCipher = FindingCode(
    "mmkv.no-cipher", .damage,
    means: "A key was given to a build without the trait `Encryption`",
    cause: .build,
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
    keyNotNeeded, keyFound, nothingDecodes, notAStore, noCipher,
  ]
}
