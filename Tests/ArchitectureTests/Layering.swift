/// Which module may import which: the arrows of `Docs/ARCHITECTURE.md`.
struct Layering {
  private static let platform = ["Glibc", "Musl", "Darwin"]
  private static let foundation = ["Foundation", "FoundationEssentials"]

  /// What each target may import, beside the standard library.
  private static let allowed: [String: [String]] = [
    "KVBytes": ["CZlib", "CChecksum", "Dispatch"] + platform,
    "KVSystem": ["KVBytes", "SystemPackage", "Dispatch"] + platform,
    "KVModel": ["KVBytes", "KVSystem", "SystemPackage"],
    "KVCryptography": ["KVBytes", "Crypto", "CryptoExtras"] + foundation,
    "MMKVFormat": ["KVModel", "KVSystem", "KVBytes", "KVCryptography", "SystemPackage"],
    "FastKVFormat": ["KVModel", "KVSystem", "KVBytes", "KVCryptography", "SystemPackage"],
    "KVRecovery": ["KVModel", "KVSystem", "KVBytes", "KVCryptography", "SystemPackage"],
    // Of the formats, the index of a backup.
    "KVInput": [
      "KVModel", "KVSystem", "KVBytes", "ExchangeFormats", "CArchive", "SystemPackage",
    ] + platform,
    "KVReport": [
      "KVModel", "KVSystem", "KVBytes", "KVCryptography", "KVRecovery", "KVConversion",
      "ExchangeFormats", "SystemPackage",
    ] + foundation,
    "KVScreen": ["KVReport", "KVSystem", "KVBytes", "CCurses"] + platform,
    "KVFixtures": [
      "KVModel", "KVSystem", "KVBytes", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
      "KVRecovery", "SystemPackage",
    ] + foundation,
    "KVConversion": ["KVModel", "KVSystem", "KVBytes", "KVRecovery", "SystemPackage"] + foundation,
    "ExchangeFormats": [
      "KVModel", "KVSystem", "KVBytes", "KVCryptography", "CSQLite", "SystemPackage",
    ]
      + foundation + ["FoundationXML"],
    "KVToolkit": [
      "KVModel", "KVSystem", "KVBytes", "KVInput", "KVRecovery", "KVConversion", "MMKVFormat",
      "FastKVFormat",
      "ExchangeFormats", "SystemPackage",
    ],
    "kvfsck": [
      "KVBytes", "KVSystem", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
      "KVRecovery", "KVReport", "KVScreen", "KVConversion", "ExchangeFormats", "KVFixtures",
      "KVToolkit", "ArgumentParser", "SystemPackage",
    ] + foundation,
  ]

  /// The imports of `files` that the table does not have, as `file: module`.
  static func violations(in files: [SourceFile]) -> [String] {
    files.flatMap { file in
      file.imports
        .filter { !(allowed[file.target] ?? []).contains($0) }
        .map { "\(file.path): \($0)" }
    }
  }
}
