import KVBytes
import KVModel

extension Script {
  /// Returns the script as text that ``init(parsing:seed:)`` reads.
  ///
  /// - Throws: ``ScriptError`` if a setting or an operation has no text form.
  public func text() throws(ScriptError) -> String {
    var lines = try settings.lines
    for statement in statements { lines.append(try Script.line(of: statement.operation)) }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func line(of operation: ScriptOperation) throws(ScriptError) -> String {
    switch operation {
    case .set(let key, let value, let lifetime):
      "\(try line(of: value, under: word(for: key)))" + (lifetime.map { " @\($0)" } ?? "")
    case .remove(let keys): try removal(of: keys)
    case .clear(let keepsSpace): keepsSpace ? "clearallkeep" : "clearall"
    case .trim: "trim"
    case .compact: "fullwriteback"
    case .rekey(let key): "rekey " + (try key?.words ?? ScriptWords.text(of: []))
    case .enableExpiry(let seconds): "enableexpire \(seconds)"
    case .disableExpiry: "disableexpire"
    case .compareBeforeSet: "cmpbeforeset"
    case .sync: "sync"
    case .reopen: "open"
    case .now(let seconds): "now \(seconds)"
    }
  }

  private static func removal(of keys: [Key]) throws(ScriptError) -> String {
    guard !keys.isEmpty else { throw ScriptError(line: nil, "a removal names at least one key") }
    var line = "remove"
    for key in keys { line += " " + (try word(for: key)) }
    return line
  }

  private static func word(for key: Key) throws(ScriptError) -> String {
    guard !key.bytes.isEmpty else { throw ScriptError(line: nil, "a key is not empty") }
    return ScriptWords.text(of: key.bytes)
  }

  private static func line(of value: Value, under key: String) throws(ScriptError) -> String {
    let words: [String] =
      switch value {
      case .bool(let bool): ["bool", key, bool ? "1" : "0"]
      case .int32(let number): ["int32", key, "\(number)"]
      case .uint32(let number): ["uint32", key, "\(number)"]
      case .int64(let number): ["int64", key, "\(number)"]
      case .uint64(let number): ["uint64", key, "\(number)"]
      case .float(let number): ["float", key, try ScriptWords.text(of: number)]
      case .double(let number): ["double", key, try ScriptWords.text(of: number)]
      case .date(let number): ["date", key, try ScriptWords.text(of: number)]
      case .string(let text): ["string", key, ScriptWords.text(of: Array(text.utf8))]
      case .bytes(let bytes): ["bytes", key, ScriptWords.text(of: bytes)]
      case .null: ["null", key]
      case .object(let className, let bytes):
        ["object", key, ScriptWords.text(of: Array(className.utf8)), ScriptWords.text(of: bytes)]
      case .set(let texts): ["set", key] + (try words(of: texts))
      case .list(let list): try words(of: list, under: key)
      case .array, .dictionary, .json, .keyedArchive, .raw:
        throw ScriptError(line: nil, "a script has no word for the type \(value.kind)")
      }
    return words.joined(separator: " ")
  }

  private static func words(of set: [String?]) throws(ScriptError) -> [String] {
    var seen: Set<[UInt8]> = []
    var words: [String] = []
    for text in set {
      guard let bytes = text.map({ Array($0.utf8) }) else {
        throw ScriptError(line: nil, "a script has no word for a null in a set")
      }
      guard seen.insert(bytes).inserted else {
        throw ScriptError(line: nil, "a set has no text twice")
      }
      words.append(ScriptWords.text(of: bytes))
    }
    return words
  }

  private static func words<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    for numbers: [Number]
  ) throws(ScriptError) -> [String] {
    var words: [String] = []
    for number in numbers { words.append(try ScriptWords.text(of: number)) }
    return words
  }

  private static func words(
    of list: Value.List, under key: String
  ) throws(ScriptError) -> [String] {
    switch list {
    case .bool(let elements): ["vecbool", key] + elements.map { $0 ? "1" : "0" }
    case .int32(let elements): ["vecint32", key] + elements.map { "\($0)" }
    case .uint32(let elements): ["vecuint32", key] + elements.map { "\($0)" }
    case .int64(let elements): ["vecint64", key] + elements.map { "\($0)" }
    case .uint64(let elements): ["vecuint64", key] + elements.map { "\($0)" }
    case .float(let elements): ["vecfloat", key] + (try words(for: elements))
    case .double(let elements): ["vecdouble", key] + (try words(for: elements))
    case .string(let texts): ["vec", key] + texts.map { ScriptWords.text(of: Array($0.utf8)) }
    case .bytes(let elements): ["vecbytes", key] + elements.map { ScriptWords.text(of: $0) }
    }
  }
}

extension StoreSettings {
  /// The lines for the settings that differ from the defaults.
  fileprivate var lines: [String] {
    get throws(ScriptError) {
      let usual = StoreSettings()
      var lines: [String] = []
      func add(
        _ setting: String, _ number: Int, _ usual: Int, in range: ClosedRange<Int>
      ) throws(ScriptError) {
        guard number != usual else { return }
        guard range.contains(number) else {
          throw ScriptError(
            line: nil,
            "\(setting) is \(number); it is a number from \(range.lowerBound) to "
              + "\(range.upperBound)")
        }
        lines.append("\(setting) \(number)")
      }
      if formatName != usual.formatName { lines.append("format \(formatName)") }
      if !name.hasSameBytes(as: usual.name) {
        guard ScriptWords.isFileName(name) else {
          throw ScriptError(line: nil, "“\(name)” is not the name of a file")
        }
        lines.append("name \(ScriptWords.text(of: Array(name.utf8)))")
      }
      if let key { lines.append("key \(try key.words)") }
      try add("page", page, usual.page, in: Self.pages)
      try add("capacity", capacity, usual.capacity, in: Self.capacities)
      try add("width", width, usual.width, in: Self.widths)
      try add("growth", growth, usual.growth, in: Self.growths)
      if mode != usual.mode { lines.append("mode \(mode.rawValue)") }
      if now != usual.now { lines.append("start \(now)") }
      return lines
    }
  }
}

extension StoreKey {
  /// The arguments of `key` and `rekey`.
  fileprivate var words: String {
    get throws(ScriptError) {
      guard !bytes.isEmpty else {
        throw ScriptError(line: nil, "a key to encrypt with is not empty")
      }
      return ScriptWords.text(of: bytes) + (isAES256 ? " aes256" : "")
    }
  }
}
