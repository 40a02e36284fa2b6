package import KVModel

/// The findings of AsyncStorage.
package enum AsyncStorageFindings {
  static let manifest = FindingCode(
    "asyncstorage.manifest", .damage,
    means: "The manifest does not parse, or an item is neither text nor null",
    remedy: "The items before the damage are read; the files with large values are still there")
  static let missingValue = FindingCode(
    "asyncstorage.missing-value", .damage,
    means: "According to the manifest, a value is in a file, but the file does not exist",
    remedy: "None: the entry is left out")
  static let orphanFile = FindingCode(
    "asyncstorage.orphan-file", .warning,
    means: "A file with a value belongs to no entry",
    remedy: "None: the name of the file is the MD5 of its key")
  static let text = FindingCode(
    "asyncstorage.text", .warning,
    means: "The file with a value is not UTF-8",
    remedy: "None: it is treated as bytes")
  static let noDigest = FindingCode(
    "asyncstorage.no-digest", .warning,
    means: "This build has no MD5, so values in files cannot be found",
    remedy: "Use a build with the trait `Encryption`")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    manifest, missingValue, orphanFile, text, noDigest,
  ]
}
