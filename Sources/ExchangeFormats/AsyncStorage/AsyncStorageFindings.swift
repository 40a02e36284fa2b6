package import KVModel

/// What can be found in AsyncStorage.
package enum AsyncStorageFindings {
  static let manifest = FindingCode(
    "asyncstorage.manifest", .damage,
    means: "The manifest does not parse, or an item is neither text nor null",
    remedy: "Look at the files of large values, which are still there")
  static let missingValue = FindingCode(
    "asyncstorage.missing-value", .damage,
    means: "The manifest says that a value is in a file, and there is none",
    remedy: "None: the entry is left out")
  static let orphanFile = FindingCode(
    "asyncstorage.orphan-file", .warning,
    means: "No entry has its value in the file",
    remedy: "None: its name is the MD5 of its key")
  static let text = FindingCode(
    "asyncstorage.text", .warning,
    means: "A value's file is not UTF-8",
    remedy: "None: it is taken for bytes")
  static let noDigest = FindingCode(
    "asyncstorage.no-digest", .warning,
    means: "This build has no MD5, so that values in files are not found",
    remedy: "Build with the trait `Encryption`")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    manifest, missingValue, orphanFile, text, noDigest,
  ]
}
