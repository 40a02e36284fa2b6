import FastKVFormat
package import KVModel

extension AndroidFastKVSimulator {
  /// The files of FastKV for Android.
  package static let format = FixtureFormat(
    AndroidFastKVFormat.name, parts: [.valueLength, .logDigest, .sideFile, .valueFile, .copies]
  ) { key, _ in AndroidFastKVFormat(key: key?.bytes) }
  /// What an app can ask FastKV for Android for.
  package static let abilities: EngineAbilities = [.clear, .sync, .doubles]
  /// The kinds of store without expiry or AES-256.
  package static let bases: Set<CorpusBase> = [.few, .many, .large, .encrypted, .grown, .single]

  /// Returns the name of the cipher that FastKV's sample app has.
  package static func cipherName(of key: StoreKey) -> String { "demo" }

  /// Draws a writing mode and a key.
  ///
  /// The engine breaks an encrypted store when it removes a number, so that each key has values of one
  /// kind then.
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

  /// Draws a text, an object, a set, data or a scalar.
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
