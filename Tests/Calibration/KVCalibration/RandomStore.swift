import KVCryptography
package import KVFixtures
import KVModel

/// A generator of random scripts for healthy stores.
///
/// The scripts have settings, keys, values and sizes of every kind that the simulator of the format
/// supports.
package struct RandomStore {
  /// The size of a store.
  private struct Size {
    let keys: ClosedRange<Int>
    let operations: ClosedRange<Int>
    let longest: Int

    static let all = [
      Size(keys: 1...3, operations: 1...8, longest: 60),
      Size(keys: 2...20, operations: 5...60, longest: 200),
      Size(keys: 10...60, operations: 40...200, longest: 200),
      Size(keys: 60...250, operations: 200...400, longest: 100),
      Size(keys: 10...30, operations: 30...60, longest: 5000),
    ]
    static let shares = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 4]
  }

  private let format: SimulatedFormat
  private let variety: StoreVariety
  private var generator: SeededGenerator
  private var settings = StoreSettings()
  private var keys: [Key] = []
  /// The maximum length of a value, in bytes.
  private(set) var longest = 0
  /// Whether each key always has values of the same kind, because the engine would corrupt its
  /// files otherwise.
  var kindsByKey = false

  private let isSmall: Bool

  /// Creates a generator of stores for the engine of `format`, of any size or only small ones.
  package init(_ format: SimulatedFormat, _ generator: SeededGenerator, isSmall: Bool = false) {
    self.format = format
    variety = .of(format)
    self.generator = generator
    self.isSmall = isSmall
  }

  /// Returns the script.
  package mutating func script() -> Script {
    let size = Size.all[isSmall ? 0 : Size.shares[number(0...Size.shares.count - 1)]]
    draw(size)
    var operations: [ScriptOperation] = []
    if format.abilities.contains(.expiry), once(in: 8) { operations.append(.enableExpiry(3600)) }
    let hasExpiry = !operations.isEmpty
    let abilities = format.abilities
    var reopens = 0
    for _ in 0..<number(size.operations) {
      switch number(0...199) {
      case 0..<20: operations.append(.remove([removableKey()]))
      case 20 where abilities.contains(.maintenance):
        operations.append(.remove([key(), key()]))
      case 21 where abilities.contains(.maintenance): operations.append(.compact)
      case 22 where abilities.contains(.maintenance): operations.append(.trim)
      case 23 where abilities.contains(.maintenance):
        operations.append(.clear(keepsSpace: once(in: 2)))
      case 23 where variety.extras.contains(.clear): operations.append(.clear())
      case 24 where reopens < variety.mostReopens:
        reopens += 1
        operations.append(.reopen)
      case 25 where variety.extras.contains(.sync): operations.append(.sync)
      case 26 where abilities.contains(.maintenance) && settings.key != nil:
        operations.append(
          .rekey(StoreKey(generator.bytes(16), isAES256: settings.key?.isAES256 ?? false)))
      default:
        let lifetimes: [UInt32?] = [nil, 0, 60, 86400]
        let lifetime = hasExpiry ? lifetimes[number(0...3)] : nil
        let index = number(0...keys.count - 1)
        let value = variety.value(index, &self)
        operations.append(.set(keys[index], value, lifetime: lifetime))
      }
    }
    if hasExpiry, once(in: 2) { operations.append(.now(settings.now + 3600)) }
    return Script(settings, operations)
  }

  // MARK: Drawing

  private mutating func draw(_ size: Size) {
    settings.format = format
    longest = size.longest
    let isEncrypted = Cryptography.isAvailable && once(in: 2)
    var drawn = settings
    variety.draw(&drawn, isEncrypted, &self)
    settings = drawn
    let hasBytes = variety.extras.contains(.byteKeys) && once(in: 5)
    for index in 0..<number(size.keys) { keys.append(newKey(index, hasBytes: hasBytes)) }
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  mutating func once(in count: Int) -> Bool { number(1...count) == 1 }

  mutating func bytes(_ count: Int) -> [UInt8] { generator.bytes(count) }

  mutating func text(_ count: Int) -> String { generator.text(count) }

  /// Returns a key that differs from all others: words, a number, text that is not ASCII, or
  /// arbitrary bytes.
  private mutating func newKey(_ index: Int, hasBytes: Bool) -> Key {
    if hasBytes, !once(in: 3) {
      // The number makes the key unique.
      return Key(generator.bytes(number(1...24)) + Array("\(index)".utf8))
    }
    let words = ["user", "app", "cfg", "last", "is", "cache", "net", "ui", "ключ", "設定"]
    switch number(0...9) {
    case 0: return Key(Array("\(words[number(0...9)])\(index)".utf8))
    case 1: return Key(Array("k\(index)".utf8))
    case 2: return Key(Array("\(generator.text(number(20...60)))_\(index)".utf8))
    default:
      let word = words[number(0...7)]
      return Key(Array("\(word)_\(generator.text(number(2...10)))\(index)".utf8))
    }
  }

  private mutating func key() -> Key { keys[number(0...keys.count - 1)] }

  /// Returns a key whose removal does not corrupt the store.
  ///
  /// FastKV for Android corrupts an encrypted store when it removes a number.
  private mutating func removableKey() -> Key {
    let index = number(0...keys.count - 1)
    return kindsByKey ? keys[index / 4 * 4] : keys[index]
  }

  mutating func text() -> String {
    let count = once(in: 8) ? number(1...longest) : number(0...min(60, longest))
    return once(in: 12) ? "ü日本\n" + generator.text(count) : generator.text(count)
  }

  mutating func scalar() -> Value {
    let hasAll = variety.extras.contains(.unsignedAndDates)
    return switch number(0...15) {
    case 0: .bool(once(in: 2))
    case 1: .int32(Int32.random(in: -9...100_000, using: &generator))
    case 2: .int32(Int32.random(in: .min ... .max, using: &generator))
    case 3: .int64(Int64.random(in: .min ... .max, using: &generator))
    case 4: .int64(Int64(number(1_600_000_000_000...1_800_000_000_000)))
    case 5: .float(Float(number(-99999...99999)) / 8)
    case 6: .double(Double(number(-999_999...999_999)) / 64)
    case 7, 8: .bytes(generator.bytes(number(1...min(90, longest))))
    case 9 where hasAll: .uint32(UInt32.random(in: 0 ... .max, using: &generator))
    case 10 where hasAll: .uint64(UInt64.random(in: 0 ... .max, using: &generator))
    case 11 where hasAll: .date(Double(number(0...2_000_000_000)))
    default: .string(text())
    }
  }

  mutating func list() -> Value {
    let count = number(1...8)
    switch number(0...6) {
    case 0: return .list(.bool((0..<count).map { $0 % 2 == 0 }))
    case 1:
      return .list(
        .int32((0..<count).map { _ in Int32.random(in: -99...99999, using: &generator) }))
    case 2:
      return .list(
        .uint64((0..<count).map { _ in UInt64.random(in: 0 ... .max, using: &generator) }))
    case 3: return .list(.double((0..<count).map { Double($0) / 4 }))
    case 4: return .list(.float((0..<count).map { Float($0) * 3 }))
    default: return .list(.string((0..<count).map { _ in generator.text(number(0...20)) }))
    }
  }
}
