import KVModel

/// A simulated app that makes random changes with operations that every engine has.
struct ScriptedApp {
  private(set) var operations: [ScriptOperation] = []
  var generator: SeededGenerator
  private var names: [Key] = []

  init(_ generator: SeededGenerator) { self.generator = generator }

  /// Returns an encryption key of 16 letters and digits.
  mutating func keyBytes() -> [UInt8] { Array(generator.text(16).utf8) }

  /// Sets `keys` keys in turn, with `times` operations in total.
  mutating func set(keys: Int, times: Int) {
    for count in 0..<times { operations.append(.set(name(count % keys), value())) }
  }

  /// Sets `keys` keys, and removes some of them again.
  mutating func setAndRemove(keys: Int, times: Int) {
    for count in 0..<times {
      // Every key is set once before any key is removed.
      let index = count < keys ? count : Int.random(in: 0..<keys, using: &generator)
      let removes = count >= keys && Int.random(in: 0..<6, using: &generator) == 0
      operations.append(removes ? .remove([name(index)]) : .set(name(index), value()))
    }
    // The last operation must be an append, so that it can be torn.
    operations.append(.set(name(0), value()))
  }

  /// Sets values of 500 to 5000 bytes.
  mutating func setLarge(keys: Int, times: Int) {
    for count in 0..<times {
      let length = Int.random(in: 500...5000, using: &generator)
      let isText = Bool.random(using: &generator)
      let value: Value =
        isText ? .string(generator.text(length)) : .bytes(generator.bytes(length))
      operations.append(.set(name(count % keys), value))
    }
  }

  /// Sets entries that expire, and advances the clock until some have expired.
  mutating func setExpiring(keys: Int, times: Int, from now: UInt32) {
    operations.append(.enableExpiry(7200))
    for count in 0..<times {
      let lifetimes: [UInt32?] = [nil, 0, 60, 86400]
      let lifetime = lifetimes[Int.random(in: lifetimes.indices, using: &generator)]
      operations.append(.set(name(count % keys), value(), lifetime: lifetime))
    }
    operations.append(.now(now + 3600))
    operations.append(.set(name(0), value()))
  }

  /// Grows the file, compacts it to fewer entries, and continues.
  mutating func grow() {
    for count in 0..<150 {
      let length = Int.random(in: 60...200, using: &generator)
      operations.append(.set(name(count % 60), .string(generator.text(length))))
    }
    operations.append(.remove((40..<60).map { name($0) }))
    operations.append(.compact)
    setAndRemove(keys: 40, times: 60)
  }

  /// Returns the key with this number: words joined by dots or underscores, as apps name keys.
  private mutating func name(_ index: Int) -> Key {
    while names.count <= index {
      let words = ["user", "app", "cfg", "last", "is", "cache", "net", "ui"]
      let word = words[Int.random(in: words.indices, using: &generator)]
      let separator = Bool.random(using: &generator) ? "." : "_"
      let length = Int.random(in: 3...12, using: &generator)
      // The number makes the key unique.
      names.append(Key(Array("\(word)\(separator)\(generator.text(length))\(names.count)".utf8)))
    }
    return names[index]
  }

  private mutating func value() -> Value {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: return .bool(Bool.random(using: &generator))
    case 1: return .int32(Int32.random(in: -1...100_000, using: &generator))
    case 2: return .int64(Int64.random(in: .min ... .max, using: &generator))
    case 3: return .double(Double.random(in: -1000...1000, using: &generator))
    case 4: return .bytes(generator.bytes(Int.random(in: 1...60, using: &generator)))
    case 5: return .string("\(generator.text(8))\r\n\(generator.text(9))\n")
    default: return .string(generator.text(Int.random(in: 1...60, using: &generator)))
    }
  }
}
