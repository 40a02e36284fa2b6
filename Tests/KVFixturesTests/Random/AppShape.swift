import KVFixtures
import KVModel
import KVTestSupport

/// The ways in which apps use a store that leave most leftovers after its log.
enum AppShape: CaseIterable {
  /// One to four keys of one length, with values of one size, so that every older log is in sync with
  /// the end of the current one.
  case equalKeys
  /// Keys that are removed one by one.
  case removals
  /// One to three keys, so that a lone entry is often overwritten.
  case loneEntries
  /// A dozen keys, which are all removed now and then.
  case emptied
  /// Many full rewrites.
  case rewrites
  case mixed
  /// The random scripts of `fixture script`, with their values of all types.
  case scripted

  /// Returns what an app of this shape does.
  func operations(_ generator: inout SeededGenerator) -> [ScriptOperation] {
    if self == .equalKeys { return equalKeys(&generator) }
    if self == .removals { return removals(&generator) }
    let keyCount: Int
    let chances: (remove: Int, clear: Int, rewrite: Int)
    switch self {
    case .equalKeys, .removals, .mixed:
      keyCount = Int.random(in: 1...40, using: &generator)
      chances = (7, 1, 1)
    case .loneEntries:
      keyCount = Int.random(in: 1...3, using: &generator)
      chances = (12, 2, 0)
    case .emptied:
      keyCount = 12
      chances = (9, 3, 0)
    case .rewrites:
      keyCount = Int.random(in: 2...30, using: &generator)
      chances = (5, 0, 10)
    case .scripted:
      var script = RandomScript(StoreSettings(), operations: 160)
      script.keyCount = Int.random(in: 1...40, using: &generator)
      return script.script(seed: generator.next()).statements.map(\.operation)
    }
    let keys = Self.keys(keyCount, &generator)
    return (0..<Int.random(in: 1...200, using: &generator)).map { _ in
      let key = keys[Int.random(in: keys.indices, using: &generator)]
      switch Int.random(in: 0..<100, using: &generator) {
      case ..<chances.remove: return .remove([key])
      case ..<(chances.remove + chances.clear): return .clear()
      case ..<(chances.remove + chances.clear + chances.rewrite): return .compact
      default: return .set(key, Self.value(60, &generator), lifetime: nil)
      }
    }
  }

  private func equalKeys(_ generator: inout SeededGenerator) -> [ScriptOperation] {
    let keys = (0..<Int.random(in: 1...4, using: &generator)).map { Key(Array("key0\($0)".utf8)) }
    let count = Int.random(in: 1...24, using: &generator)
    return (0..<Int.random(in: 1...40, using: &generator)).map { _ -> ScriptOperation in
      let key = keys[Int.random(in: keys.indices, using: &generator)]
      return switch Int.random(in: 0..<20, using: &generator) {
      case 0: .compact
      case 1: .reopen
      case 2: .trim
      case 3: .remove(Array(keys.prefix(2)))
      case 4...7: .remove([key])
      default: .set(key, .string(generator.text(count)), lifetime: nil)
      }
    }
  }

  private func removals(_ generator: inout SeededGenerator) -> [ScriptOperation] {
    let keys = Self.keys(Int.random(in: 2...12, using: &generator), &generator)
    return (0..<Int.random(in: 1...6, using: &generator)).flatMap { _ -> [ScriptOperation] in
      let used = keys.shuffled(using: &generator)
        .prefix(Int.random(in: 1...keys.count, using: &generator))
      let sets = (0..<used.count * Int.random(in: 1...5, using: &generator)).map { _ in
        ScriptOperation.set(
          used[Int.random(in: used.indices, using: &generator)], Self.value(60, &generator),
          lifetime: nil)
      }
      let gone = used.shuffled(using: &generator)
        .prefix(Int.random(in: 0...used.count, using: &generator))
      return sets + gone.map { .remove([$0]) }
    }
  }

  /// Returns keys of one length, with a number at the end, or of any length.
  private static func keys(_ count: Int, _ generator: inout SeededGenerator) -> [Key] {
    let isNumbered = Bool.random(using: &generator)
    return (0..<count).map { number in
      Key(
        Array(
          (isNumbered
            ? "setting\(number)"
            : generator.text(Int.random(in: 3...20, using: &generator)) + "\(number)").utf8))
    }
  }

  private static func value(_ longest: Int, _ generator: inout SeededGenerator) -> Value {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: .bool(Bool.random(using: &generator))
    case 1, 2: .int32(Int32.random(in: -9...100_000, using: &generator))
    case 3: .int64(Int64.random(in: 0...2_000_000_000_000, using: &generator))
    case 4: .double(Double.random(in: -1e6...1e6, using: &generator))
    default: .string(generator.text(Int.random(in: 0...longest, using: &generator)))
    }
  }
}
