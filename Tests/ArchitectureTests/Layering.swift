/// The modules that each module may import, as in the diagram of `Docs/ARCHITECTURE.md`.
struct Layering {
  private static let platform = ["Glibc", "Musl", "Darwin"]
  private static let foundation = ["Foundation", "FoundationEssentials"]

  /// The modules that each target may import, besides the standard library.
  private static let allowed: [String: [String]] = [
    "KVBytes": ["CZlib", "CChecksum", "Dispatch"] + platform,
    "KVSystem": ["KVBytes", "SystemPackage", "Dispatch"] + platform,
    "KVModel": ["KVBytes", "KVSystem", "SystemPackage"],
    "KVCryptography": ["CCipher", "KVBytes", "Crypto", "CryptoExtras"] + foundation,
    "MMKVFormat": ["KVModel", "KVSystem", "KVBytes", "KVCryptography", "SystemPackage"],
    "FastKVFormat": ["KVModel", "KVSystem", "KVBytes", "KVCryptography", "SystemPackage"],
    "KVRecovery": ["KVModel", "KVSystem", "KVBytes", "KVCryptography", "SystemPackage"],
    // It may import a format module only for the index of a backup.
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
    "KVToolkitC": ["CKVToolkit", "KVToolkit", "KVModel"],
    "kvfsck": [
      "KVBytes", "KVSystem", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
      "KVRecovery", "KVReport", "KVScreen", "KVConversion", "ExchangeFormats", "KVFixtures",
      "KVToolkit", "ArgumentParser", "SystemPackage",
    ] + foundation,
  ]

  /// Returns the imports of `files` that the table does not allow, as `file: module`.
  static func violations(in files: [SourceFile]) -> [String] {
    files.flatMap { file in
      file.imports
        .filter { !(allowed[file.target] ?? []).contains($0) }
        .map { "\(file.path): \($0)" }
    }
  }
}
