import KVModel
import MMKVFormat

extension MMKVSimulator {
  /// The format of MMKV.
  static let format = FixtureFormat(
    MMKVFormat.name, parts: [.valueLength, .logDigest, .vector, .otherFields, .sideFile]
  ) { key, now in
    MMKVFormat(key: key.map { MMKVKey($0.bytes, isAES256: $0.isAES256) }, now: now)
  }
  /// The optional operations that MMKV supports.
  static let abilities: EngineAbilities = [
    .expiry, .maintenance, .doubles, .encryptedNumbers,
  ]
  /// All kinds of store except the one with only one of two copies.
  static let bases = Set(CorpusBase.allCases).subtracting([.single])
}
