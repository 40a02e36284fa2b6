package import KVModel

/// The findings of YYCache.
enum YYCacheFindings {
  static let missingFile = FindingCode(
    "yycache.missing-file", .damage,
    means: "The file of a row is not in `data/`; the message says whether it is in the trash",
    cause: .notThere,
    remedy: "Look in the trash; without the file, the entry is left out")
  static let sizeMismatch = FindingCode(
    "yycache.size-mismatch", .damage,
    means: "The size of the value differs from the size in its row; the message has both",
    cause: .apart,
    remedy: "None: it is kept with the caution `may-be-damaged`")
  static let orphanFile = FindingCode(
    "yycache.orphan-file", .warning,
    means: """
      A file with a value belongs to no row. It is a guess, under its key if that is known, else \
      under its name
      """,
    cause: .tear,
    remedy: "Give candidates for its key: the name of the file is the MD5 of the key")
  static let trash = FindingCode(
    "yycache.trash", .warning,
    means: "The trash contains files, which the app will delete",
    cause: "The app's library moves files there before it deletes them",
    remedy: "Copy the folder before the app starts", isOfCopy: true)
  static let extendedData = FindingCode(
    "yycache.extended-data", .note,
    means: "Rows have extended data, which an app can attach to an object",
    remedy: "None: it is not read, and counts as a loss in a conversion")
  static let corruptManifest = FindingCode(
    "yycache.corrupt-manifest", .damage,
    means: """
      The manifest could not be read completely. If the app cannot open it, it discards all values
      """,
    cause: .tear,
    remedy: "Copy the folder before the app starts", isOfCopy: true)

  static let noManifest = FindingCode(
    "yycache.no-manifest", .damage,
    means: "There are files with values, but no manifest that lists their keys",
    cause: "The manifest was deleted, or only a part of the folder was copied",
    remedy: """
      Copy the folder before the app starts. The values are guesses: give candidates for their \
      keys
      """, isOfCopy: true)

  /// The codes, in the order of `Docs/FINDINGS.md`.
  static let all = [
    missingFile, sizeMismatch, orphanFile, trash, extendedData, corruptManifest,
    noManifest,
  ]
}

extension YYCacheFormat {
  /// The findings of the format.
  package static var findings: [FindingCode] { YYCacheFindings.all }
}
