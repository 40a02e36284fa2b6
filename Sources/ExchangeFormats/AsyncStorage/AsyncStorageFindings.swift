package import KVModel

/// The findings of AsyncStorage.
enum AsyncStorageFindings {
  static let manifest = FindingCode(
    "asyncstorage.manifest", .damage,
    means: "The manifest does not parse, or an item is neither text nor null",
    cause: .tear,
    remedy: """
      Copy the folder before the app starts and replaces the manifest. Items before the damage, \
      and values in files, are read
      """, isOfCopy: true)
  static let missingValue = FindingCode(
    "asyncstorage.missing-value", .damage,
    means: "According to the manifest, a value is in a file, but the file does not exist",
    cause: "The file was not copied, or an older version of React Native removed the value",
    remedy: "None: the entry is left out. The app may simply have removed the key", isOfCopy: true)
  static let orphanFile = FindingCode(
    "asyncstorage.orphan-file", .warning,
    means: """
      A file with a value belongs to no entry. It is a guess, under its key if that is known, else \
      under its name
      """,
    cause: .tear,
    remedy: "Give candidates for its key: the name of the file is the MD5 of the key")
  static let text = FindingCode(
    "asyncstorage.text", .warning,
    means: "The file with a value is not UTF-8",
    cause: .foreign,
    remedy: "None: it is treated as bytes")
  static let noManifest = FindingCode(
    "asyncstorage.no-manifest", .damage,
    means: "There are files with values, but no manifest that lists their keys",
    cause: """
      The app could not read the manifest, as before the first unlock, or only a part of the \
      folder was copied
      """,
    remedy: """
      Copy the folder before the app starts. The values are guesses: give candidates for their \
      keys
      """, isOfCopy: true)
  static let cutValue = FindingCode(
    "asyncstorage.cut-value", .warning,
    means: "The text in a file begins like JSON, but is not complete JSON",
    cause: .damage,
    remedy: "Compare it with a backup; it has `may-be-damaged`")
  static let noDigest = FindingCode(
    "asyncstorage.no-digest", .warning,
    means: "This build has no MD5, so values in files cannot be found",
    cause: .build,
    remedy: "Use a build with the trait `Encryption`")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    manifest, noManifest, missingValue, orphanFile, text, cutValue, noDigest,
  ]
}

extension AsyncStorageReader {
  /// The findings of the format.
  package static var findings: [FindingCode] { AsyncStorageFindings.all }
}
