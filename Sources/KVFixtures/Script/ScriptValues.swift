import KVBytes
import KVModel

/// Reads the values that a script can set, by the names of their types.
enum ScriptValues {
  /// The names of the types.
  static let types: Set<Substring> = [
    "bool", "int32", "uint32", "int64", "uint64", "float", "double", "date", "string", "bytes",
    "null", "object", "set", "vec", "vecbool", "vecint32", "vecuint32", "vecint64", "vecuint64",
    "vecfloat", "vecdouble", "vecbytes",
  ]

  /// Returns the least number of words that a value of this type has.
  static func leastCount(ofType type: Substring) -> Int {
    switch type {
    case "object": 2
    case "null", "set": 0
    default: type.hasPrefix("vec") ? 0 : 1
    }
  }

  /// Reads a value from the rest of a line.
  ///
  /// - Precondition: `type` is one of ``types``.
  static func value(
    ofType type: Substring, _ words: inout ScriptWords, _ generator: inout SeededGenerator
  ) throws(ScriptError) -> Value {
    switch type {
    case "bool": .bool(try bool(&words))
    case "int32": .int32(try words.number("int32"))
    case "uint32": .uint32(try words.number("uint32"))
    case "int64": .int64(try words.number("int64"))
    case "uint64": .uint64(try words.number("uint64"))
    case "float": .float(try words.number("float"))
    case "double": .double(try words.number("double"))
    case "date": .date(try words.number("date in seconds since 1970"))
    case "string": text(try words.bytes("a text", &generator))
    case "bytes": .bytes(try words.bytes("bytes", &generator))
    case "null": .null
    case "object":
      .object(
        className: try words.text("the tag of an encoder", &generator),
        try words.bytes("bytes", &generator))
    case "set": .set(try texts(&words, &generator))
    case "vecbytes": .list(.bytes(try allBytes(&words, &generator)))
    case "vec": try list(&words, &generator)
    case "vecbool": .list(.bool(try all(&words, bool)))
    case "vecint32":
      .list(.int32(try all(&words) { words throws(ScriptError) in try words.number("int32") }))
    case "vecuint32":
      .list(.uint32(try all(&words) { words throws(ScriptError) in try words.number("uint32") }))
    case "vecint64":
      .list(.int64(try all(&words) { words throws(ScriptError) in try words.number("int64") }))
    case "vecuint64":
      .list(.uint64(try all(&words) { words throws(ScriptError) in try words.number("uint64") }))
    case "vecfloat":
      .list(.float(try all(&words) { words throws(ScriptError) in try words.number("float") }))
    default:
      .list(.double(try all(&words) { words throws(ScriptError) in try words.number("double") }))
    }
  }

  private static func bool(_ words: inout ScriptWords) throws(ScriptError) -> Bool {
    let word = try words.next("a Boolean")
    switch word {
    case "1", "true": return true
    case "0", "false", "": return false
    default: throw words.error("“\(word)” is not a Boolean; use 1 or 0")
    }
  }

  /// Returns a string, or bytes if they are not UTF-8.
  ///
  /// Some engines accept such bytes as a string.
  private static func text(_ bytes: [UInt8]) -> Value {
    String(utf8: bytes).map { .string($0) } ?? .bytes(bytes)
  }

  private static func list(
    _ words: inout ScriptWords, _ generator: inout SeededGenerator
  ) throws(ScriptError) -> Value {
    let elements = try allBytes(&words, &generator)
    let texts = elements.compactMap { String(utf8: $0) }
    return .list(texts.count == elements.count ? .string(texts) : .bytes(elements))
  }

  private static func allBytes(
    _ words: inout ScriptWords, _ generator: inout SeededGenerator
  ) throws(ScriptError) -> [[UInt8]] {
    var elements: [[UInt8]] = []
    while !words.isAtEnd { elements.append(try words.bytes("a text", &generator)) }
    return elements
  }

  private static func texts(
    _ words: inout ScriptWords, _ generator: inout SeededGenerator
  ) throws(ScriptError) -> [String] {
    var texts: [String] = []
    while !words.isAtEnd {
      let text = try words.text("a text of the set", &generator)
      if !texts.contains(where: { $0.hasSameBytes(as: text) }) { texts.append(text) }
    }
    return texts
  }

  private static func all<T>(
    _ words: inout ScriptWords, _ read: (inout ScriptWords) throws(ScriptError) -> T
  ) throws(ScriptError) -> [T] {
    var elements: [T] = []
    while !words.isAtEnd { elements.append(try read(&words)) }
    return elements
  }
}
