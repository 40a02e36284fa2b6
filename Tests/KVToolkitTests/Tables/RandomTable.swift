import KVFixtures
import KVModel

/// Random entries that a format without a log can hold.
struct RandomTable {
  private let format: TableFormat
  private var generator: SeededGenerator

  init(_ format: TableFormat, seed: UInt64) {
    self.format = format
    generator = SeededGenerator(seed: seed)
  }

  /// Returns entries with different keys.
  mutating func entries() -> [TypedEntry] {
    (0..<Int.random(in: 3...30, using: &generator)).map { number in
      TypedEntry(key: Key(Array("\(generator.text(4))_\(number)é".utf8)), value: value())
    }
  }

  /// Returns a value that the format can hold, as it is read back.
  mutating func value() -> Value {
    while true {
      if let value = format.held(candidate()) { return value }
    }
  }

  private mutating func candidate() -> Value {
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: return .bool(Bool.random(using: &generator))
    case 1: return .int32(Int32.random(in: .min ... .max, using: &generator))
    case 2: return .int64(Int64.random(in: .min ... .max, using: &generator))
    case 3: return .float(Float.random(in: -1e6...1e6, using: &generator))
    case 4: return .double(Double.random(in: -1e6...1e6, using: &generator))
    case 5: return .bytes(generator.bytes(Int.random(in: 1...40, using: &generator)))
    case 6: return .date(Double(Int.random(in: 1...2_000_000_000, using: &generator)))
    case 7: return .set((0..<3).map { "\($0)" + generator.text(8) })
    case 8: return .array([.string(text(9)), .int64(7), .bool(true)])
    case 9:
      return .dictionary([Value.Member("name", .string(text(9))), Value.Member("n", .double(0.5))])
    case 10: return .string("{\"id\":\"\(generator.text(12))\"}")
    case 11: return .string(text(Int.random(in: 1025...3000, using: &generator)))
    default: return .string(text(Int.random(in: 1...60, using: &generator)))
    }
  }

  private mutating func text(_ count: Int) -> String {
    generator.text(count / 2) + " <é€😀> & " + generator.text(count - count / 2)
  }

  /// Returns a script that sets and removes some of `entries`' keys.
  mutating func operations(on entries: [TypedEntry]) -> [ScriptOperation] {
    (0..<4).map { number in
      let key = entries[Int.random(in: entries.indices, using: &generator)].key
      return number == 2 ? .remove([key]) : .set(key, value())
    }
  }
}
