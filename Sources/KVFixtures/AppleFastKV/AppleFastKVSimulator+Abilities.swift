import FastKVFormat
import KVModel

extension AppleFastKVSimulator {
  /// The format of FastKV for iOS.
  package static let format = FixtureFormat(
    AppleFastKVFormat.name, parts: [.recordTail, .otherFields]
  ) { _, _ in AppleFastKVFormat() }
  /// The optional operations that FastKV for iOS supports.
  package static let abilities: EngineAbilities = [.encryptedNumbers]
  /// The kinds of store that need neither encryption, expiry nor copies.
  package static let bases: Set<CorpusBase> = [.few, .many, .large, .grown]
}
