import FastKVFormat
package import KVModel

extension AndroidFastKVSimulator {
  /// The format of FastKV for Android.
  package static let format = FixtureFormat(
    AndroidFastKVFormat.name, parts: [.valueLength, .logDigest, .sideFile, .valueFile, .copies]
  ) { key, _ in AndroidFastKVFormat(key: key?.bytes) }
  /// The optional operations that FastKV for Android supports.
  package static let abilities: EngineAbilities = [.clear, .sync, .doubles]
  /// The kinds of store that need neither expiry nor AES-256.
  package static let bases: Set<CorpusBase> = [.few, .many, .large, .encrypted, .grown, .single]

  /// Returns the name of the cipher in FastKV's sample app.
  package static func cipherName(of key: StoreKey) -> String { "demo" }

  /// Draws a writing mode and a key.
  ///
  /// The engine corrupts an encrypted store when it removes a number. In an encrypted store, each
  /// key therefore always has values of the same kind.
  package static func draw(
    _ settings: inout StoreSettings, encrypted: Bool, from store: inout RandomStore
  ) {
    let modes = StoreSettings.WritingMode.allCases
    settings.mode = modes[store.number(0...modes.count - 1)]
    if encrypted, store.once(in: 2) {
      settings.key = StoreKey(Array(store.text(16).utf8))
      store.kindsByKey = true
    }
  }

  /// Draws a string, an object, a set, data or a scalar.
  package static func value(at index: Int, from store: inout RandomStore) -> Value {
    switch store.kindsByKey ? index % 4 : store.number(0...7) {
    case 0: .string(store.text())
    case 1: .object(className: "Blob", store.bytes(store.number(0...60)))
    case 2: .set((0..<store.number(0...4)).map { "e\($0)" })
    case 3: .bytes(store.bytes(store.number(0...store.longest)))
    default: store.scalar()
    }
  }
}
