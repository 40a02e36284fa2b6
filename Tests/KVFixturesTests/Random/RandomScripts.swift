import KVFixtures
import KVModel

/// A generator of random scripts, determined by a seed.
struct RandomScripts {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// Returns `true` once in `count` times on average.
  mutating func once(in count: Int) -> Bool { number(1...count) == 1 }

  mutating func key(_ prefix: String = "key") -> Key {
    Key(Array("\(prefix)\(number(0...11))".utf8))
  }

  /// Returns a string of up to 80 characters, or occasionally a long one.
  mutating func text(_ long: Int = 1500) -> String {
    generator.text(once(in: 10) ? number(200...long) : number(0...80))
  }

  /// Returns a value of a type that every engine has.
  mutating func commonValue() -> Value {
    switch number(0...6) {
    case 0: .bool(number(0...1) == 1)
    case 1: .int32(Int32(number(-9999...9999)))
    case 2: .int64(Int64(number(1 << 33...1 << 40)))
    case 3: .float(Float(number(-999...999)) / 4)
    case 4: .double(Double(number(-999...999)) / 8)
    case 5: .bytes(generator.bytes(number(1...60)))
    default: .string(text())
    }
  }

  /// Returns 200 operations on an MMKV store, which is also cleared, trimmed, rewritten and
  /// reopened.
  mutating func mmkv(_ settings: StoreSettings) -> Script {
    Script(
      settings,
      (0..<200).map { _ in
        switch number(0...39) {
        case 0...27: .set(key(), commonValue())
        case 28...33: .remove([key()])
        case 34: .remove([key(), key()])
        case 35: .clear(keepsSpace: once(in: 2))
        case 36: .trim
        case 37: .compact
        case 38: .sync
        default: .reopen
        }
      })
  }

  /// Returns 200 operations on a store of FastKV for iOS.
  ///
  /// The store is reopened five times, because each time doubles its file, and cleared immediately
  /// before one of them.
  mutating func apple(_ settings: StoreSettings) -> Script {
    var operations: [ScriptOperation] = (0..<194).map { _ in
      switch number(0...9) {
      case 0: .remove([key()])
      case 1: .remove([key(), key()])
      case 2: .set(key(), .date(Double(number(0...1_000_000))))
      case 3 where once(in: 4): .set(Key(Array("nothing".utf8)), .null)
      case 4: .set(key(), .string("ü" + text(300)))
      default: .set(key(), commonValue())
      }
    }
    for _ in 0..<4 { operations.insert(.reopen, at: number(0...operations.count)) }
    operations.insert(contentsOf: [.clear(), .reopen], at: number(0...operations.count))
    return Script(settings, operations)
  }

  /// Returns 200 operations on a store of FastKV for Android, with values that make its files grow
  /// and shrink.
  ///
  /// In an encrypted store, no number is removed and no type changed, because the engine would
  /// corrupt its files.
  mutating func android(_ settings: StoreSettings) -> Script {
    let isEncrypted = settings.key != nil
    return Script(
      settings,
      (0..<200).map { _ in
        switch number(0...39) {
        case 0...3: .set(Key(Array("number".utf8)), .int32(Int32(number(-99...99))))
        case 4: .set(Key(Array("wide".utf8)), .double(Double(number(-99...99)) / 4))
        case 5: .set(Key(Array("truth".utf8)), .bool(once(in: 2)))
        case 6...9: .set(key("text"), .string(generator.text(number(3...5))))
        case 10: .set(key("text"), .string("日本語" + text()))
        case 11...14: .set(key("set"), .set((0..<number(0...4)).map { "e\($0)" }))
        case 15...17:
          .set(key("object"), .object(className: "Blob", generator.bytes(number(0...40))))
        case 18...20: .set(key("array"), .bytes(generator.bytes(number(0...90))))
        case 21: .set(key("array"), .bytes(generator.bytes(number(2000...9000))))
        case 22 where once(in: 6): .set(key("array"), .bytes(generator.bytes(70_000)))
        case 23...30 where !isEncrypted: .set(key(), commonValue())
        case 31...34: .remove([once(in: 2) || isEncrypted ? key("text") : key()])
        case 35: .remove([key("array"), key("set"), key("object")])
        case 36 where once(in: 3): .clear()
        case 37: .sync
        case 38: .reopen
        default: .set(key("text"), .string(text()))
        }
      })
  }
}
