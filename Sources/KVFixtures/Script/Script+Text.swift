import KVBytes
import KVModel

extension Script {
  /// Returns the script as text that ``init(parsing:seed:)`` reads.
  ///
  /// - Throws: ``ScriptError`` if an operation has no text form.
  public func text() throws(ScriptError) -> String {
    var lines = settings.lines
    for statement in statements { lines.append(try Script.line(of: statement.operation)) }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func line(of operation: ScriptOperation) throws(ScriptError) -> String {
    switch operation {
    case .set(let key, let value, let lifetime):
      "\(try line(of: value, under: ScriptWords.text(of: key.bytes)))"
        + (lifetime.map { " @\($0)" } ?? "")
    case .remove(let keys):
      "remove " + keys.map { ScriptWords.text(of: $0.bytes) }.joined(separator: " ")
    case .clear(let keepsSpace): keepsSpace ? "clearallkeep" : "clearall"
    case .trim: "trim"
    case .compact: "fullwriteback"
    case .rekey(let key): "rekey " + (key?.words ?? ScriptWords.text(of: []))
    case .enableExpiry(let seconds): "enableexpire \(seconds)"
    case .disableExpiry: "disableexpire"
    case .compareBeforeSet: "cmpbeforeset"
    case .sync: "sync"
    case .reopen: "open"
    case .now(let seconds): "now \(seconds)"
    }
  }

  private static func line(of value: Value, under key: String) throws(ScriptError) -> String {
    let words: [String] =
      switch value {
      case .bool(let bool): ["bool", key, bool ? "1" : "0"]
      case .int32(let number): ["int32", key, "\(number)"]
      case .uint32(let number): ["uint32", key, "\(number)"]
      case .int64(let number): ["int64", key, "\(number)"]
      case .uint64(let number): ["uint64", key, "\(number)"]
      case .float(let number): ["float", key, "\(number)"]
      case .double(let number): ["double", key, "\(number)"]
      case .date(let number): ["date", key, "\(number)"]
      case .string(let text): ["string", key, ScriptWords.text(of: Array(text.utf8))]
      case .bytes(let bytes): ["bytes", key, ScriptWords.text(of: bytes)]
      case .null: ["null", key]
      case .object(let className, let bytes):
        ["object", key, className, ScriptWords.text(of: bytes)]
      case .set(let texts):
        ["set", key] + texts.map { ScriptWords.text(of: Array(($0 ?? "").utf8)) }
      case .list(let list): try words(of: list, under: key)
      case .array, .dictionary, .json, .keyedArchive, .raw:
        throw ScriptError(line: nil, "a script has no word for the type \(value.kind)")
      }
    return words.joined(separator: " ")
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
    case .float(let elements): ["vecfloat", key] + elements.map { "\($0)" }
    case .double(let elements): ["vecdouble", key] + elements.map { "\($0)" }
    case .string(let texts): ["vec", key] + texts.map { ScriptWords.text(of: Array($0.utf8)) }
    case .bytes(let elements): ["vec", key] + elements.map(ScriptWords.text(of:))
    }
  }
}

extension StoreSettings {
  /// The lines for the settings that differ from the defaults.
  fileprivate var lines: [String] {
    let usual = StoreSettings()
    var lines: [String] = []
    if format != usual.format { lines.append("format \(format.rawValue)") }
    if name != usual.name { lines.append("name \(name)") }
    if let key { lines.append("key \(key.words)") }
    if page != usual.page { lines.append("page \(page)") }
    if capacity != usual.capacity { lines.append("capacity \(capacity)") }
    if width != usual.width { lines.append("width \(width)") }
    if growth != usual.growth { lines.append("growth \(growth)") }
    if mode != usual.mode { lines.append("mode \(mode.rawValue)") }
    if now != usual.now { lines.append("start \(now)") }
    return lines
  }
}

extension StoreKey {
  /// The arguments of `key` and `rekey`.
  fileprivate var words: String {
    ScriptWords.text(of: bytes) + (isAES256 ? " aes256" : "")
  }
}
