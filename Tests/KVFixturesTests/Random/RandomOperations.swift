import KVFixtures
import KVModel

/// A generator of operations of every kind.
///
/// Some of them no engine supports, and some no script can express.
struct RandomOperations {
  private static let words = [
    "", "%", "@", "@60", "hex:", "hex:00", "random:3", "a", "a b", "a\nb", "é", "\u{0}", "#",
    "aes256", "token",
  ]

  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func word() -> String {
    Self.words[number(0...Self.words.count - 1)]
  }

  private mutating func bytes() -> [UInt8] {
    number(0...3) == 0 ? generator.bytes(number(0...4)) : Array(word().utf8)
  }

  private mutating func all<T>(_ make: (inout RandomOperations) -> T) -> [T] {
    (0..<number(0...3)).map { _ in make(&self) }
  }

  private mutating func bits() -> UInt64 {
    // One in four is not finite.
    let bits = UInt64.random(in: 0 ... .max, using: &generator)
    return number(0...3) == 0 ? bits | 0x7ff0_0000_7f80_0000 : bits
  }

  /// Returns an operation.
  mutating func operation() -> ScriptOperation {
    switch number(0...19) {
    case 0: .remove(all { Key($0.bytes()) })
    case 1: .clear(keepsSpace: number(0...1) == 1)
    case 2: [.trim, .compact, .disableExpiry, .compareBeforeSet, .sync, .reopen][number(0...5)]
    case 3: .rekey(number(0...3) == 0 ? nil : StoreKey(bytes(), isAES256: number(0...1) == 1))
    case 4: .enableExpiry(UInt32(truncatingIfNeeded: bits()))
    case 5: .now(UInt32(truncatingIfNeeded: bits()))
    default:
      .set(
        Key(bytes()), value(),
        lifetime: number(0...1) == 0 ? nil : UInt32(truncatingIfNeeded: bits()))
    }
  }

  private mutating func value() -> Value {
    switch number(0...15) {
    case 0: .bool(number(0...1) == 1)
    case 1: .int32(Int32(truncatingIfNeeded: bits()))
    case 2: .uint32(UInt32(truncatingIfNeeded: bits()))
    case 3: .int64(Int64(bitPattern: bits()))
    case 4: .uint64(bits())
    case 5: .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits())))
    case 6: .double(Double(bitPattern: bits()))
    case 7: .date(Double(bitPattern: bits()))
    case 8: .string(word())
    case 9: .bytes(bytes())
    case 10: .null
    case 11: .object(className: word(), bytes())
    case 12: .set(all { $0.number(0...9) == 0 ? nil : $0.word() })
    case 13: .array([])
    default: .list(list())
    }
  }

  private mutating func list() -> Value.List {
    switch number(0...8) {
    case 0: .bool(all { $0.number(0...1) == 1 })
    case 1: .int32(all { Int32(truncatingIfNeeded: $0.bits()) })
    case 2: .uint32(all { UInt32(truncatingIfNeeded: $0.bits()) })
    case 3: .int64(all { Int64(bitPattern: $0.bits()) })
    case 4: .uint64(all { $0.bits() })
    case 5: .float(all { Float(bitPattern: UInt32(truncatingIfNeeded: $0.bits())) })
    case 6: .double(all { Double(bitPattern: $0.bits()) })
    case 7: .string(all { $0.word() })
    default: .bytes(all { $0.bytes() })
    }
  }
}
