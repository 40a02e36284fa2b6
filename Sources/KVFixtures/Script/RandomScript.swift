import KVModel

/// A generator of random scripts that resemble the use of a store by an app.
///
/// Settings, tokens and drafts are set again and again, removed, and occasionally cleared.
package struct RandomScript: Sendable {
  /// The settings of the store.
  var settings: StoreSettings
  /// The number of operations.
  var operationCount: Int
  /// The number of keys to choose from.
  package var keyCount: Int
  /// The maximum length of a long string, in bytes.
  ///
  /// One in sixteen values is a long string.
  var longCount: Int
  /// Whether entries get expiry times halfway through the script.
  package var hasExpiry = false

  /// Creates a generator of scripts with these settings.
  package init(
    _ settings: StoreSettings, operations: Int = 200, keys: Int = 24, longCount: Int = 900
  ) {
    self.settings = settings
    operationCount = operations
    keyCount = keys
    self.longCount = longCount
  }

  /// Returns the script that `seed` determines.
  package func script(seed: UInt64) -> Script {
    var generator = SeededGenerator(seed: seed)
    let keys = (0..<max(1, keyCount)).map { number in
      Key(Array("\(generator.text(4))_\(number)".utf8))
    }
    // The engine overwrites a single entry in place.
    var operations: [ScriptOperation] = (0..<min(4, operationCount)).map { _ in
      .set(keys[0], value(&generator))
    }
    while operations.count < operationCount {
      if hasExpiry, operations.count == operationCount / 2 {
        operations.append(.enableExpiry(3600))
        continue
      }
      operations.append(operation(keys, &generator))
    }
    return Script(settings, operations)
  }

  private func operation(
    _ keys: [Key], _ generator: inout SeededGenerator
  ) -> ScriptOperation {
    let key = keys[Int.random(in: keys.indices, using: &generator)]
    switch Int.random(in: 0..<100, using: &generator) {
    case 0: return .clear()
    case 1: return .reopen
    case 2..<14: return .remove([key])
    case 14..<17 where settings.format.abilities.contains(.maintenance):
      return rareOperation(keys, &generator)
    default: return .set(key, value(&generator))
    }
  }

  /// Returns an operation of an engine that has `.maintenance`.
  private func rareOperation(
    _ keys: [Key], _ generator: inout SeededGenerator
  ) -> ScriptOperation {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: .compact
    case 1: .trim
    case 2: .clear(keepsSpace: true)
    case 3 where settings.key != nil: .rekey(StoreKey(generator.bytes(16)))
    case 3: .sync
    default: .remove(Array(keys.prefix(3)))
    }
  }

  private func value(_ generator: inout SeededGenerator) -> Value {
    if settings.key != nil, !settings.format.abilities.contains(.encryptedNumbers) {
      return .string(generator.text(Int.random(in: 1...60, using: &generator)))
    }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0: return .bool(Bool.random(using: &generator))
    case 1, 2: return .int32(Int32.random(in: -9...100_000, using: &generator))
    case 3: return .int64(Int64.random(in: .min ... .max, using: &generator))
    case 4: return .float(Float.random(in: -1e6...1e6, using: &generator))
    case 5: return .bytes(generator.bytes(Int.random(in: 0...40, using: &generator)))
    case 6: return .string("")
    case 7: return .string(generator.text(Int.random(in: 1...max(1, longCount), using: &generator)))
    case 8 where settings.format.abilities.contains(.doubles):
      return .double(Double.random(in: -1e6...1e6, using: &generator))
    default: return .string(generator.text(Int.random(in: 1...60, using: &generator)))
    }
  }
}
