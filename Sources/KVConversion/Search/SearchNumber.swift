import KVBytes
import KVModel

/// A number to look for among the values that are numbers, whatever their types.
struct SearchNumber: Sendable {
  /// The difference between the times of property lists and those of Unix, in seconds.
  private static let appleEpoch = 978_307_200.0

  /// The number as an integer; `nil` if it is none, or too large.
  private let signed: Int64?
  private let unsigned: UInt64?
  private let double: Double
  private let float: Float

  /// Creates the number that `text` is; `nil` if it is none.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
      let double = Double(text), double.isFinite, let float = Float(text)
    else { return nil }
    self.float = float
    self.double = double
    signed = Int64(text) ?? Int64(exactly: double)
    unsigned = UInt64(text) ?? UInt64(exactly: double)
  }

  /// Returns whether `value` is the number.
  func isSame(as value: Value) -> Bool {
    switch value {
    case .int32(let number): signed == Int64(number)
    case .uint32(let number): unsigned == UInt64(number)
    case .int64(let number): signed == number
    case .uint64(let number): unsigned == number
    case .float(let number): number == float
    case .double(let number), .date(let number): number == double
    default: false
    }
  }

  /// Returns the digits of `value`.
  static func text(of value: Value) -> String {
    switch value {
    case .int32(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .uint64(let number): "\(number)"
    case .float(let number): number.digits
    case .double(let number), .date(let number): number.digits
    default: ""
    }
  }

  /// The bytes that the number can have in a log, and in the binary documents in its values.
  var forms: [[UInt8]] {
    var forms: [[UInt8]] = []
    func add(_ bits: UInt64, _ count: Int) {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
      forms += [bytes, bytes.reversed()]
    }
    add(double.bitPattern, 8)
    add((double - Self.appleEpoch).bitPattern, 8)
    add(UInt64(float.bitPattern), 4)
    for bits in Set([signed.map { UInt64(bitPattern: $0) }, unsigned].compactMap(\.self)) {
      let folded = UInt64(bitPattern: Int64(bitPattern: bits) << 1 ^ Int64(bitPattern: bits) >> 63)
      forms += [Self.varint(bits), Self.varint(folded)]
      for count in [1, 2, 4, 8] where Self.fits(bits, in: count) { add(bits, count) }
      // Some writers cut a negative number off after 32 bits.
      forms.append(Self.varint(bits & 0xffff_ffff))
    }
    return forms
  }

  /// Returns whether the signed or the unsigned number `bits` fits in `count` bytes.
  private static func fits(_ bits: UInt64, in count: Int) -> Bool {
    let width = UInt64(8 * count)
    return count == 8 || bits >> width == 0
      || Int64(bitPattern: bits) >> Int64(width - 1) == -1
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
