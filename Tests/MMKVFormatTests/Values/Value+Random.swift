import KVFixtures
import KVModel
import KVTestSupport

extension Value {
  /// Returns a random value of one of the types that the engine's API stores.
  static func random(using random: inout some RandomNumberGenerator) -> Value {
    func few<T>(_ make: (inout SeededGenerator) -> T) -> [T] {
      var inner = SeededGenerator(seed: random.next())
      return (0..<Int.random(in: 0...6, using: &random)).map { _ in make(&inner) }
    }
    switch Int.random(in: 0..<17, using: &random) {
    case 0: return .bool(.random(using: &random))
    case 1: return .int32(.anyWidth(using: &random))
    case 2: return .uint32(.anyWidth(using: &random))
    case 3: return .int64(.anyWidth(using: &random))
    case 4: return .uint64(.anyWidth(using: &random))
    case 5: return .float(Float(bitPattern: .anyWidth(using: &random)))
    case 6: return .double(Double(bitPattern: .anyWidth(using: &random)))
    case 7: return .string(.random(using: &random))
    case 8: return .bytes(few { UInt8.random(in: 0...255, using: &$0) })
    case 9: return .list(.bool(few { Bool.random(using: &$0) }))
    case 10: return .list(.int32(few { .anyWidth(using: &$0) }))
    case 11: return .list(.uint32(few { .anyWidth(using: &$0) }))
    case 12: return .list(.int64(few { .anyWidth(using: &$0) }))
    case 13: return .list(.uint64(few { .anyWidth(using: &$0) }))
    case 14: return .list(.float(few { Float(bitPattern: .anyWidth(using: &$0)) }))
    case 15: return .list(.double(few { Double(bitPattern: .anyWidth(using: &$0)) }))
    default: return .list(.string(few { .random(using: &$0) }))
    }
  }
}

extension FixedWidthInteger {
  /// Returns a number with a random number of bits, so that small numbers are as frequent as large
  /// ones.
  fileprivate static func anyWidth(using random: inout some RandomNumberGenerator) -> Self {
    .random(in: .min ... .max, using: &random) >> Self(Int.random(in: 0..<bitWidth, using: &random))
  }
}

extension String {
  /// Returns a string of up to 200 random Unicode scalars, including control characters.
  fileprivate static func random(using random: inout some RandomNumberGenerator) -> String {
    let lasts: [UInt32] = [0x7f, 0x7ff, 0xffff, 0x10ffff]
    let last = lasts[Int.random(in: 0..<4, using: &random)]
    let count = Int.random(
      in: 0...[3, 40, 200][Int.random(in: 0..<3, using: &random)], using: &random)
    var text = String.UnicodeScalarView()
    for _ in 0..<count {
      text.append(Unicode.Scalar(UInt32.random(in: 0...last, using: &random)) ?? "\u{fffd}")
    }
    return String(text)
  }
}
