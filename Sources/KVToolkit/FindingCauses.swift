package import KVModel

/// What usually causes a finding.
///
/// The catalogs of the formats say what a finding means. These texts say the same for many findings.
package enum FindingCauses {
  private static let changed = """
    Bytes changed after the app wrote them: by a fault of the memory or of the medium, or by a tool \
    that copied or edited the file as text
    """
  private static let torn = """
    A power loss or a kill left a write unfinished, or the file was copied while the app was writing
    """
  private static let cut = "The file was truncated, or only a part of it was copied"
  private static let apart = """
    The files of the store were copied at different times, or only some of them were copied or \
    restored
    """
  private static let encrypted = """
    The app encrypts the store. Its key is in the app's code, or in the Keychain or the Keystore of \
    the device
    """
  private static let foreign = """
    Something other than the app's library wrote or edited the file, or it belongs to another \
    format
    """
  private static let engine = "The app's library writes or reads this wrongly; nothing was damaged"
  private static let incomplete = """
    The file has to be there for the app to read the value: it was not copied, or it was deleted
    """
  private static let difference = "The two formats differ in what they can hold"
  private static let build = "This build of kvfsck was made without the trait `Encryption`"

  /// The causes of findings that do not have the usual one, by code.
  private static let byCode: [String: String] = Dictionary(
    uniqueKeysWithValues: groups.flatMap { cause, codes in codes.map { ($0, cause) } })

  private static let groups: [(cause: String, codes: [String])] = [
    (
      cut,
      [
        "mmkv.data-cut", "mmkv.data-not-page-sized", "mmkv.meta-short",
        "mmkv.confirmed-beyond-file",
        "fastkv-apple.header-cut", "fastkv-apple.length-beyond-file", "fastkv-android.copy-short",
        "fastkv-android.length-beyond-file", "datastore.truncated", "record.malformed-length",
        "store.file-incomplete",
      ]
    ),
    (
      apart,
      [
        "mmkv.data-missing", "mmkv.meta-missing", "mmkv.header-disagrees",
        "mmkv.confirmed-mismatch",
        "store.newer-tail", "fastkv-android.copies-differ", "fastkv-android.copy-c-differs",
        "fastkv-android.copy-missing", "fastkv-android.copy-may-be-older", "sqlite.wal-damaged",
        "sqlite.wal-unfinished", "wcdb.page-mismatch", "yycache.size-mismatch",
      ]
    ),
    (
      torn,
      [
        "mmkv.meta-blank", "record.zeros", "store.rewrite-interrupted",
        "fastkv-android.being-written",
        "fastkv-android.header-blank", "fastkv-android.external-not-renamed",
        "fastkv-android.tmp-passed-over", "fastkv-android.tmp-unused", "fastkv-android.kvc-unused",
        "fastkv-apple.length-too-short", "fastkv-apple.records-after-log", "sqlite.journal-damaged",
        "sharedprefs.backup", "datastore.temporary", "yycache.corrupt-manifest",
        "asyncstorage.manifest", "asyncstorage.orphan-file", "yycache.orphan-file",
      ]
    ),
    (
      encrypted,
      [
        "mmkv.key-needed", "mmkv.key-undetermined", "mmkv.wrong-key", "mmkv.cipher-mismatch",
        "mmkv.nothing-decodes", "fastkv-android.key-needed", "fastkv-android.wrong-key",
        "wcdb.encrypted",
      ]
    ),
    (
      incomplete,
      [
        "fastkv-android.external-missing", "asyncstorage.missing-value", "yycache.missing-file",
        "store.file-unread",
      ]
    ),
    (
      foreign,
      [
        "mmkv.not-a-store", "mmkv.meta-version-suspicious", "mmkv.meta-version-reserved",
        "mmkv.meta-flags-unknown", "fastkv-apple.magic", "json.line", "json.malformed",
        "json.value",
        "json.duplicate-key", "json.number-rounded", "json.unknown-schema", "plist.not-dictionary",
        "plist.doctype", "plist.duplicate-key", "sharedprefs.doctype",
        "sharedprefs.unknown-element",
        "sharedprefs.duplicate-key", "datastore.duplicate-key", "sqlite.no-table",
        "sqlite.null-key",
        "sqlite.key", "sqlite.value", "sqlite.text", "sqlite.duplicate-key",
        "sqlite.unknown-schema",
        "asyncstorage.text",
      ]
    ),
    (
      engine,
      [
        "record.refused-by-engine", "engine.silent-loss", "fastkv-android.large-object",
        "fastkv-android.nul-text", "fastkv-apple.keys-come-back", "fastkv-apple.pointer-width",
        "fastkv-apple.old-separator", "fastkv-apple.raises", "fastkv-apple.refused",
      ]
    ),
    (build, ["mmkv.no-cipher", "asyncstorage.no-digest"]),
    (
      "MMKV stores the bytes of values without their types",
      [
        "convert.ambiguous-type", "convert.likely-type", "convert.assumed-type",
        "convert.schema-mismatch",
      ]
    ),
    ("The store is damaged", ["convert.unverified"]),
    ("The stores were written at different times, or by different users", ["convert.conflict"]),
    (
      "The app removed everything, its library discarded a log that did not match its checksum, or it "
        + "opened the store without the .crc file or with a wrong key", ["store.emptied"]
    ),
  ]

  /// Returns whether the finding is that a key is missing or wrong.
  package static func isAboutKey(_ code: FindingCode) -> Bool { byCode[code.name] == encrypted }

  /// Returns what usually causes a finding of this kind; `nil` for one that is no fault.
  static func cause(of code: FindingCode) -> String? {
    if let own = byCode[code.name] { return own }
    if domain(of: code) == "convert" { return difference }
    // A note is about something that is as it should be.
    guard code.severities.contains(where: { $0 > .note }) else { return nil }
    return "\(changed). Or: \(torn.prefix(1).lowercased() + torn.dropFirst())"
  }

  /// Returns the part of a code before the point: the format, or what the finding is about.
  package static func domain(of code: FindingCode) -> String {
    String(code.name.prefix { $0 != "." })
  }
}
