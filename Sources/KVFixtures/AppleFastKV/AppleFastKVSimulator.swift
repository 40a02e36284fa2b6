import FastKVFormat
package import KVModel

/// RyanLeeLY's FastKV 0.3.0 in one process, on a file in memory.
///
/// The file is byte for byte that of the engine, but for what is on its stack after each double, and
/// for the order of the records in a compaction: the engine's is that of a hash table, and here that
/// of another hash of the keys.
///
/// What the engine gets wrong is done wrong here: doubles become floats, texts that are not ASCII lose
/// their end, nil stays, and cleared entries come back.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Opening, § Writing, § Defects.
package struct AppleFastKVSimulator: EngineSimulator {
  /// What the engine is called in errors.
  static let engineName = "FastKV for iOS"
  /// The initial size that the engine takes where an app gives none.
  private static let usualCapacity = 1 << 20

  /// The file, and what was done to it.
  package var disk = SimulatedDisk()
  /// Nothing: the engine has no encryption.
  package var key: StoreKey? { nil }
  /// The engine's dictionary.
  var pairs: [Key: AppleFastKVPair] = [:]
  /// Where the next record goes.
  var end = 0
  var randomness: EngineRandomness
  let name: String
  /// How many bytes a pointer has in the process.
  package let width: Int
  let growth: Int
  let capacity: Int

  /// An engine that has just made a new store.
  package init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError) {
    guard settings.key == nil else {
      throw ScriptError(line: nil, "FastKV for iOS has no encryption, and a key is given")
    }
    guard settings.width == 4 || settings.width == 8 else {
      throw ScriptError(
        line: nil, "a pointer has 4 or 8 bytes, and the width is \(settings.width)")
    }
    guard (0...1).contains(settings.growth) else {
      throw ScriptError(
        line: nil, "FastKV for iOS grows by 0 or 1, and the growth is \(settings.growth)")
    }
    let capacity = settings.capacity == 0 ? Self.usualCapacity : settings.capacity
    guard capacity >= AppleHeader.byteCount else {
      throw ScriptError(
        line: nil, "the header takes \(AppleHeader.byteCount) bytes; the capacity is \(capacity)")
    }
    name = settings.name
    width = settings.width
    growth = settings.growth
    self.capacity = capacity
    self.randomness = randomness
    disk.create(.data, name)
    map(allocation(for: 0))
    writeHeader()
    end = AppleHeader.byteCount
  }

  /// What is in the engine's dictionary, by the bytes that were stored of it last.
  package var entries: [Key: [UInt8]] { pairs.mapValues(\.stored) }

  /// Does what the app asks for.
  package mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
    switch operation {
    case .set(let key, let value, nil): try set(key, value, className: nil)
    case .set:
      throw ScriptError(line: nil, "a lifetime is given, and in FastKV for iOS no entry expires")
    case .remove(let keys):
      for key in keys {
        try check(key)
        append(key, nil)
      }
    case .clear(keepsSpace: false): clear()
    case .reopen: try reopen()
    case .now: break
    default: throw operation.refusal(by: Self.engineName)
    }
  }

  /// Sets a key to an object of a class; `nil` for that which an iPhone has for the value.
  package mutating func set(
    _ key: Key, _ value: Value, className: String?
  ) throws(ScriptError) {
    try check(key)
    append(key, try AppleFastKVPair(setting: value, className: className, width: width))
  }

  private func check(_ key: Key) throws(ScriptError) {
    guard key.text != nil else {
      throw ScriptError(line: nil, "a key of FastKV for iOS is text, and this one is not UTF-8")
    }
  }

  /// As -[FastKV removeAllKeys], which does not say where the next record goes: that one makes all
  /// that is before it valid again.
  private mutating func clear() {
    pairs = [:]
    map(capacity)
    writeHeader()
  }
}
