import KVModel

/// A parser that reads a script line by line.
///
/// A line consists of words separated by single spaces: the name of an operation or setting,
/// followed by its arguments. Empty lines and lines that start with `#` are ignored.
struct ScriptParser {
  private(set) var settings = StoreSettings()
  private(set) var statements: [Script.Statement] = []
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Reads one line.
  mutating func read(_ line: Substring, number: Int) throws(ScriptError) {
    guard let first = line.first, first != "#" else { return }
    var words = ScriptWords(line, number: number)
    let name = try words.next("an operation or a setting")
    if try readSetting(name, &words) {
      guard statements.isEmpty else {
        throw words.error("\(name) is a setting; settings must come before the first operation")
      }
    } else {
      let operation = try operation(name, &words)
      statements.append(Script.Statement(line: number, operation: operation))
    }
    try words.end()
  }

  /// Reads a setting, or returns `false` if `name` is not a setting.
  private mutating func readSetting(
    _ name: Substring, _ words: inout ScriptWords
  ) throws(ScriptError) -> Bool {
    switch name {
    case "format":
      let format = try words.next("a format")
      guard settings.chooseFormat(String(format)) else {
        throw words.noChoice(format, "a format", StoreSettings.formatNames)
      }
    case "name": settings.name = try words.fileName(&generator)
    case "key": settings.key = try storeKey(&words)
    case "page": settings.page = try words.integer("a page size", in: StoreSettings.pages)
    case "capacity":
      settings.capacity = try words.integer("a capacity", in: StoreSettings.capacities)
    case "width": settings.width = try words.integer("a pointer width", in: StoreSettings.widths)
    case "growth":
      settings.growth = try words.integer("a growth strategy", in: StoreSettings.growths)
    case "mode": settings.mode = try words.choice("a writing mode")
    case "start": settings.now = try words.integer("a clock", in: 0...UInt32.max)
    default: return false
    }
    return true
  }

  private mutating func operation(
    _ name: Substring, _ words: inout ScriptWords
  ) throws(ScriptError) -> ScriptOperation {
    switch name {
    case "remove", "removes":
      var keys = [try key(&words)]
      while !words.isAtEnd { keys.append(try key(&words)) }
      return .remove(keys)
    case "clearall": return .clear()
    case "clearallkeep": return .clear(keepsSpace: true)
    case "trim": return .trim
    case "fullwriteback": return .compact
    case "rekey": return .rekey(try storeKey(&words))
    case "enableexpire": return .enableExpiry(try words.integer("seconds", in: 0...UInt32.max))
    case "disableexpire": return .disableExpiry
    case "cmpbeforeset": return .compareBeforeSet
    case "sync": return .sync
    case "open", "clearcache": return .reopen
    case "now": return .now(try words.integer("a clock", in: 0...UInt32.max))
    default: return try setting(ofType: name, &words)
    }
  }

  private mutating func setting(
    ofType name: Substring, _ words: inout ScriptWords
  ) throws(ScriptError) -> ScriptOperation {
    guard ScriptValues.types.contains(name) else {
      throw words.error("\(name) is not an operation, a setting or a type")
    }
    let key = try key(&words)
    let lifetime = words.lifetime(after: ScriptValues.leastCount(ofType: name))
    let value = try ScriptValues.value(ofType: name, &words, &generator)
    return .set(key, value, lifetime: lifetime)
  }

  /// Reads an encryption key, or returns `nil` if it is empty.
  private mutating func storeKey(_ words: inout ScriptWords) throws(ScriptError) -> StoreKey? {
    let bytes = try words.bytes("a key", &generator)
    let isAES256 = words.take("aes256")
    return bytes.isEmpty ? nil : StoreKey(bytes, isAES256: isAES256)
  }

  private mutating func key(_ words: inout ScriptWords) throws(ScriptError) -> Key {
    let bytes = try words.bytes("a key", &generator)
    guard !bytes.isEmpty else { throw words.error("a key must not be empty") }
    return Key(bytes)
  }
}
