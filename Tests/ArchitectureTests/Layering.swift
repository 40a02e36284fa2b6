/// Which module may import which: the arrows of `Docs/ARCHITECTURE.md`.
struct Layering {
  private static let platform = ["Glibc", "Musl", "Darwin"]
  private static let foundation = ["Foundation", "FoundationEssentials"]

  /// What each target may import, beside the standard library.
  private static let allowed: [String: [String]] = [
    "KVBytes": ["CZlib", "SystemPackage"] + platform,
    "KVModel": ["KVBytes", "SystemPackage"],
    "KVCryptography": ["KVBytes", "Crypto", "CryptoExtras"] + foundation,
    "MMKVFormat": ["KVModel", "KVBytes", "KVCryptography", "SystemPackage"],
    "FastKVFormat": ["KVModel", "KVBytes", "KVCryptography", "SystemPackage"],
    "KVRecovery": ["KVModel", "KVBytes", "KVCryptography", "SystemPackage"],
    "KVInput": ["KVModel", "KVBytes", "SystemPackage"],
    "KVReport": [
      "KVModel", "KVBytes", "KVCryptography", "KVRecovery", "KVConversion", "SystemPackage",
    ] + foundation,
    "KVFixtures": [
      "KVModel", "KVBytes", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
      "KVRecovery", "SystemPackage",
    ] + foundation,
    "KVConversion": ["KVModel", "KVBytes", "KVRecovery", "SystemPackage"] + foundation,
    "ExchangeFormats": ["KVModel", "KVBytes", "KVCryptography", "GRDB", "SystemPackage"]
      + foundation + ["FoundationXML"],
    "KVToolkit": ["KVModel", "MMKVFormat", "FastKVFormat", "ExchangeFormats"],
    "kvfsck": [
      "KVBytes", "KVModel", "KVCryptography", "KVInput", "MMKVFormat", "FastKVFormat",
      "KVRecovery", "KVReport", "KVConversion", "ExchangeFormats", "KVFixtures", "KVToolkit",
      "ArgumentParser", "SystemPackage",
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
