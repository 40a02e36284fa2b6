import Testing

/// Checks that every function fits on a screen, so that it can be read at a glance.
@Suite struct FunctionLengthTests {
  private static let limit = 40

  @Test(
    "No function of the sources is longer than 40 lines, from its declaration to its last brace")
  func noFunctionIsOverlong() throws {
    let files = try SourceFile.all(in: "Sources")
    let functions = files.flatMap { file in
      FunctionScanner.functions(in: file.text).map { (file.path, $0) }
    }
    #expect(functions.count > 2000)
    let long = functions.filter { $1.lineCount > Self.limit }
    #expect(long.map { "\($0):\($1.line): \($1.lineCount) lines" } == [])
  }

  @Test(arguments: [
    ("func a() {\n}\n", [2]),
    ("struct A {\n  init(\n    _ a: Int\n  ) {\n    b()\n  }\n}\n", [5]),
    ("var a: Int {\n  1\n}\nsubscript(a: Int) -> Int { a }\n", [3, 1]),
    ("let text = \"{ func a() { \\(b { $0 }) \"\nfunc c() {\n}\n", [2]),
    ("let text = \"\"\"\n  func a() {\n  \"\"\"\nfunc c() {\n}\n", [2]),
    ("let text = #\"\"{\"#\n// func a() {\n/* { /* { */ { */\nfunc c() {\n}\n", [2]),
    ("let regex = /[\"{]\\/{/\nlet half = a / b\nfunc c() {\n}\n", [2]),
    ("func a() {\n  func b() {\n    c()\n  }\n}\n", [3, 5]),
    ("func a(b: () -> Void = { c() }) {\n}\n", [2]),
    ("protocol A {\n  func a()\n  func b()\n}\nstruct B {\n  var c = d {\n  }\n}\n", []),
    ("func a() {\n  var b: Int\n  if c {\n    b = .init(1)\n  }\n  self.init()\n}\n", [7]),
    ("func a<B>(b: B) -> B\nwhere B: C {\n}\n", [3]),
  ])
  func functionsAreMeasured(text: String, expected: [Int]) {
    #expect(FunctionScanner.functions(in: text).map(\.lineCount) == expected)
  }
}

/// A function, an initializer, a subscript or a computed property.
struct FunctionExtent: Hashable {
  /// The line of its declaration, counted from 1.
  let line: Int
  /// The number of lines, up to and including the one with the last brace.
  let lineCount: Int
}

/// Finds functions by their braces, ignoring comments, strings and regular expressions.
struct FunctionScanner {
  private typealias Pending = (line: Int, depth: Int, isVariable: Bool)

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// The number of open parentheses and brackets.
  private var depth = 0
  /// A declaration whose opening brace has not been reached.
  private var pending: Pending?
  /// The open braces: the line of the declaration, or 0 for any other brace, and the state outside
  /// the brace.
  private var open: [(line: Int, depth: Int, pending: Pending?)] = []
  private var found: [FunctionExtent] = []

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Returns the functions in `text`, in the order in which they end.
  static func functions(in text: String) -> [FunctionExtent] {
    var scanner = FunctionScanner(text)
    while scanner.index < scanner.bytes.count { scanner.step() }
    return scanner.found
  }

  private func byte(_ offset: Int = 0) -> UInt8 {
    bytes.indices.contains(index + offset) ? bytes[index + offset] : 0
  }

  private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where index < bytes.count {
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
  }

  private mutating func step() {
    if skipComment() || skipText() || skipRegex() || takeWord() { return }
    switch byte() {
    case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
    case UInt8(ascii: "{"): openBrace()
    case UInt8(ascii: "}"): closeBrace()
    case UInt8(ascii: "="), UInt8(ascii: "\n"):
      // A computed variable has its brace on the line of its declaration, and no value before it.
      if pending?.isVariable == true, pending?.depth == depth { pending = nil }
    default: break
    }
    advance()
  }

  private mutating func openBrace() {
    let isBody = pending?.depth == depth
    // The brace may open a closure among the parameters.
    open.append((isBody ? pending?.line ?? 0 : 0, depth, isBody ? nil : pending))
    pending = nil
    depth = 0
  }

  private mutating func closeBrace() {
    guard let last = open.popLast() else { return }
    depth = last.depth
    pending = last.pending
    if last.line > 0 {
      found.append(FunctionExtent(line: last.line, lineCount: line - last.line + 1))
    }
  }

  /// Skips a name or keyword, and notes a keyword that declares something.
  private mutating func takeWord() -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte >= 0x80
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
    }
    guard isLetter(byte()) else { return false }
    let isMember = byte(-1) == UInt8(ascii: ".") || byte(-1) == UInt8(ascii: "`")
    let start = index
    while isLetter(byte()) { advance() }
    switch String(decoding: bytes[start..<index], as: UTF8.self) {
    case "func", "init", "deinit", "subscript":
      if !isMember { pending = (line, depth, false) }
    case "var":
      if !isMember { pending = (line, depth, true) }
    default: break
    }
    return true
  }

  private mutating func skipComment() -> Bool {
    if starts(with: "//") {
      while index < bytes.count, byte() != UInt8(ascii: "\n") { advance() }
      return true
    }
    guard starts(with: "/*") else { return false }
    var level = 0
    repeat {
      level += starts(with: "/*") ? 1 : starts(with: "*/") ? -1 : 0
      advance(starts(with: "/*") || starts(with: "*/") ? 2 : 1)
    } while level > 0 && index < bytes.count
    return true
  }

  /// Skips a string literal, including its interpolations.
  private mutating func skipText() -> Bool {
    var hashes = 0
    while byte(hashes) == UInt8(ascii: "#") { hashes += 1 }
    guard byte(hashes) == UInt8(ascii: "\"") else { return false }
    advance(hashes)
    let quotes = starts(with: "\"\"\"") ? 3 : 1
    let marks = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
    let end = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + marks
    let escape = [UInt8(ascii: "\\")] + marks
    advance(quotes)
    while index < bytes.count, !bytes[index...].starts(with: end) {
      guard bytes[index...].starts(with: escape) else {
        advance()
        continue
      }
      advance(escape.count)
      if byte() == UInt8(ascii: "(") { skipInterpolation() } else { advance() }
    }
    advance(end.count)
    return true
  }

  private mutating func skipInterpolation() {
    var level = 0
    repeat {
      if skipText() { continue }
      level += byte() == UInt8(ascii: "(") ? 1 : byte() == UInt8(ascii: ")") ? -1 : 0
      advance()
    } while level > 0 && index < bytes.count
  }

  /// Skips a regular expression literal on one line.
  ///
  /// A division operator is surrounded by spaces.
  private mutating func skipRegex() -> Bool {
    let separators = Array(" (=,\n#".utf8)
    guard byte() == UInt8(ascii: "/"), separators.contains(byte(-1)),
      !Array(" =/*)".utf8).contains(byte(1))
    else { return false }
    var end = index + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "/") {
      if bytes[end] == UInt8(ascii: "\n") { return false }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    advance(end + 1 - index)
    return true
  }
}
