import KVFixtures
import KVModel

/// What the random stores of one format can hold, and how their settings and values are drawn.
struct StoreVariety: Sendable {
  /// An operation or a type that only some engines have.
  enum Extra: Hashable, Sendable {
    /// The app can remove all entries.
    case clear
    /// The app can wait until its changes are on disk.
    case sync
    /// Unsigned integers and dates are scalar types.
    case unsignedAndDates
    /// Keys can be arbitrary bytes.
    case byteKeys
  }

  /// What the engine has.
  var extras: Set<Extra> = []
  /// The maximum number of launches in a script.
  var mostReopens = Int.max
  /// Returns the name of the cipher that a key is for, for tables.
  var cipherName: @Sendable (StoreKey) -> String = { $0.isAES256 ? "aes256" : "aes128" }
  /// Draws the settings of a store, encrypted or not.
  let draw: @Sendable (inout StoreSettings, Bool, inout RandomStore) -> Void
  /// Draws a value for the key at an index.
  let value: @Sendable (Int, inout RandomStore) -> Value

  /// Returns what stores of `format` can hold: what MMKV has, if the format has no line here.
  static func of(_ format: SimulatedFormat) -> StoreVariety {
    switch format {
    case .fastkvApple: fastkvApple
    case .fastkvAndroid: fastkvAndroid
    default: mmkv
    }
  }

  /// A key and a page size; a list or a scalar.
  private static let mmkv = StoreVariety(
    extras: [.clear, .sync, .unsignedAndDates, .byteKeys],
    draw: { settings, isEncrypted, store in
      if isEncrypted { settings.key = StoreKey(store.bytes(16), isAES256: store.once(in: 2)) }
      if store.once(in: 6) { settings.page = 16384 }
    },
    value: { _, store in store.once(in: 6) ? store.list() : store.scalar() })

  /// A pointer width, a growth strategy and a capacity; a scalar, and occasionally a date, null or
  /// an object.
  ///
  /// Each launch doubles the file, so there are few.
  private static let fastkvApple = StoreVariety(
    mostReopens: 3,
    draw: { settings, _, store in
      settings.width = store.once(in: 2) ? 4 : 8
      settings.growth = store.number(0...1)
      settings.capacity = 512 << store.number(0...4)
    },
    value: { index, store in
      switch store.number(0...19) {
      case 0: .date(Double(store.number(0...2_000_000_000)))
      case 1 where index == 0: .null
      case 2: .object(className: "NSArray", store.bytes(store.number(1...60)))
      default: store.scalar()
      }
    })

  /// A writing mode and a key, for the cipher in FastKV's sample app; a string, an object, a set,
  /// data or a scalar.
  ///
  /// The engine corrupts an encrypted store when it removes a number. In an encrypted store, each
  /// key therefore always has values of the same kind.
  private static let fastkvAndroid = StoreVariety(
    extras: [.clear, .sync], cipherName: { _ in "demo" },
    draw: { settings, isEncrypted, store in
      let modes = StoreSettings.WritingMode.allCases
      settings.mode = modes[store.number(0...modes.count - 1)]
      if isEncrypted, store.once(in: 2) {
        settings.key = StoreKey(Array(store.text(16).utf8))
        store.kindsByKey = true
      }
    },
    value: { index, store in
      switch store.kindsByKey ? index % 4 : store.number(0...7) {
      case 0: .string(store.text())
      case 1: .object(className: "Blob", store.bytes(store.number(0...60)))
      case 2: .set((0..<store.number(0...4)).map { "e\($0)" })
      case 3: .bytes(store.bytes(store.number(0...store.longest)))
      default: store.scalar()
      }
    })
}
