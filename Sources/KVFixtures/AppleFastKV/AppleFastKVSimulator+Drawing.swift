import FastKVFormat
package import KVModel

extension AppleFastKVSimulator {
  /// The format of FastKV for iOS.
  package static let format = FixtureFormat(
    AppleFastKVFormat.name, parts: [.recordTail, .otherFields]
  ) { _, _ in AppleFastKVFormat() }
  /// The optional operations that FastKV for iOS supports.
  package static let abilities: EngineAbilities = [.encryptedNumbers]
  /// The kinds of store that need neither encryption, expiry nor copies.
  package static let bases: Set<CorpusBase> = [.few, .many, .large, .grown]
  /// The maximum number of launches in a script.
  ///
  /// Each launch doubles the file.
  package static let mostReopens = 3

  /// Draws a pointer width, a growth strategy and a capacity.
  package static func draw(
    _ settings: inout StoreSettings, encrypted: Bool, from store: inout RandomStore
  ) {
    settings.width = store.once(in: 2) ? 4 : 8
    settings.growth = store.number(0...1)
    settings.capacity = 512 << store.number(0...4)
  }

  /// Draws a scalar, and occasionally a date, null or an object.
  package static func value(at index: Int, from store: inout RandomStore) -> Value {
    switch store.number(0...19) {
    case 0: .date(Double(store.number(0...2_000_000_000)))
    case 1 where index == 0: .null
    case 2: .object(className: "NSArray", store.bytes(store.number(1...60)))
    default: store.scalar()
    }
  }
}
