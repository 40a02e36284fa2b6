import FastKVFormat
import KVModel

extension AndroidFastKVSimulator {
  /// The format of FastKV for Android.
  static let format = FixtureFormat(
    AndroidFastKVFormat.name, parts: [.valueLength, .logDigest, .sideFile, .valueFile, .copies]
  ) { key, _ in AndroidFastKVFormat(key: key?.bytes) }
  /// The optional operations that FastKV for Android supports.
  static let abilities: EngineAbilities = [.doubles]
  /// The kinds of store that need neither expiry nor AES-256.
  static let bases: Set<CorpusBase> = [.few, .many, .large, .encrypted, .grown, .single]
}
