package import KVModel

/// What can be found in YYCache.
package enum YYCacheFindings {
  static let missingFile = FindingCode(
    "yycache.missing-file", .damage,
    means: "A row's file is not in `data/`; the message says whether the trash has it",
    remedy: "Look into the trash; without the file the entry is left out")
  static let sizeMismatch = FindingCode(
    "yycache.size-mismatch", .damage,
    means: "The value has another size than its row says; both are given",
    remedy: "None: it is kept with the caution `may-be-damaged`")
  static let orphanFile = FindingCode(
    "yycache.orphan-file", .warning,
    means: "No row has its value in the file",
    remedy: "None: where a known key has its name, the message says so and the entry is a guess")
  static let trash = FindingCode(
    "yycache.trash", .warning,
    means: "The trash holds files, which the app will empty",
    remedy: "Copy the folder before the app starts")
  static let corruptManifest = FindingCode(
    "yycache.corrupt-manifest", .damage,
    means: "The manifest could not be read to its end",
    remedy: "Copy the folder before the app starts")

  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all = [
    missingFile, sizeMismatch, orphanFile, trash, corruptManifest,
  ]
}
