package import KVModel
import MMKVFormat

extension MMKVSimulator {
  /// The format of MMKV.
  package static let format = FixtureFormat(
    MMKVFormat.name, parts: [.valueLength, .logDigest, .vector, .otherFields, .sideFile]
  ) { key, now in
    MMKVFormat(key: key.map { MMKVKey($0.bytes, isAES256: $0.isAES256) }, now: now)
  }
  /// The optional operations that MMKV supports.
  package static let abilities: EngineAbilities = [
    .expiry, .maintenance, .clear, .sync, .unsignedAndDates, .byteKeys, .doubles, .encryptedNumbers,
  ]
  /// All kinds of store except the one with only one of two copies.
  package static let bases = Set(CorpusBase.allCases).subtracting([.single])

  /// Draws a key and a page size.
  package static func draw(
    _ settings: inout StoreSettings, encrypted: Bool, from store: inout RandomStore
  ) {
    if encrypted { settings.key = StoreKey(store.bytes(16), isAES256: store.once(in: 2)) }
    if store.once(in: 6) { settings.page = 16384 }
  }

  /// Draws a list or a scalar.
  package static func value(at index: Int, from store: inout RandomStore) -> Value {
    store.once(in: 6) ? store.list() : store.scalar()
  }
}
