import FastKVFormat
package import KVModel

/// A simulator of RyanLeeLY's FastKV 0.3.0, in one process and on a file in memory.
///
/// The file is byte for byte that of the engine, with two exceptions: the stack bytes after each
/// double, and the order of the records in a compaction. The engine writes them in the order of a
/// hash table, and the simulator in the order of another hash of the keys.
///
/// The simulator reproduces the engine's bugs: doubles become floats, strings that are not ASCII
/// lose their end, a key set to `nil` ignores later changes, and cleared entries come back.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Opening, § Writing, § Defects.
package struct AppleFastKVSimulator: EngineSimulator {
  /// The name of the engine in error messages.
  static let engineName = "FastKV for iOS"
  /// The initial size of the file if an app gives none.
  private static let usualCapacity = 1 << 20

  /// The file, and the changes made to it.
  package var disk = SimulatedDisk()
  /// Always `nil`: the engine has no encryption.
  package var key: StoreKey? { nil }
  /// The engine's dictionary.
  var pairs: [Key: AppleFastKVPair] = [:]
  /// The offset at which the next record is appended.
  var end = 0
  var randomness: EngineRandomness
  let name: String
  /// The size of a pointer in the process, in bytes.
  package let width: Int
  let growth: Int
  let capacity: Int

  /// Creates an engine that has just created a new store.
  package init(_ settings: StoreSettings, randomness: EngineRandomness) throws(ScriptError) {
    guard settings.key == nil else {
      throw ScriptError(line: nil, "a key is given, but FastKV for iOS has no encryption")
    }
    guard settings.width == 4 || settings.width == 8 else {
      throw ScriptError(
        line: nil, "the width is \(settings.width), but a pointer has 4 or 8 bytes")
    }
    guard (0...1).contains(settings.growth) else {
      throw ScriptError(
        line: nil,
        "the growth is \(settings.growth), but FastKV for iOS has only strategies 0 and 1")
    }
    let capacity = settings.capacity == 0 ? Self.usualCapacity : settings.capacity
    guard capacity >= AppleHeader.byteCount else {
      throw ScriptError(
        line: nil,
        "the capacity is \(capacity) bytes, but the header takes \(AppleHeader.byteCount)")
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

  /// The entries of the engine's dictionary, each as the bytes last stored for it.
  package var entries: [Key: [UInt8]] { pairs.mapValues(\.stored) }

  /// Carries out an operation of the app.
  package mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
    switch operation {
    case .set(let key, let value, nil): try set(key, value, className: nil)
    case .set:
      throw ScriptError(
        line: nil, "a lifetime is given, but entries of FastKV for iOS do not expire")
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

  /// Sets a key to an object of class `className`, or of the class that an iPhone has for the value
  /// if that is `nil`.
  package mutating func set(
    _ key: Key, _ value: Value, className: String?
  ) throws(ScriptError) {
    try check(key)
    append(key, try AppleFastKVPair(setting: value, className: className, width: width))
  }

  private func check(_ key: Key) throws(ScriptError) {
    guard key.text != nil else {
      throw ScriptError(
        line: nil, "a key in FastKV for iOS must be text, but this one is not UTF-8")
    }
  }

  /// Removes all entries.
  ///
  /// As -[FastKV removeAllKeys], which does not reset the append offset: the next record makes
  /// everything before it valid again.
  private mutating func clear() {
    pairs = [:]
    map(capacity)
    writeHeader()
  }
}
