/// Why a pattern cannot be searched for.
package struct SearchPatternError: Error, Hashable, Sendable {
  /// The reason, for people.
  package let message: String

  init(_ message: String) { self.message = message }
}

/// Parses regular expressions, in the syntax that most tools share.
///
///     .  [a-z]  [^a-z]  \d \w \s \D \W \S  \b \B  ^  $  (…)  (?:…)  |
///     *  +  ?  {n}  {n,}  {n,m}, each with ? to prefer the shorter match
///     \n \r \t \xHH \u{HHHH}, and \ before any other sign
struct ExpressionParser {
  private typealias Code = [TextProgram.Instruction]
  private typealias ScalarSet = TextProgram.ScalarSet

  /// How deep groups are nested, and the largest number of repetitions.
  private static let limits = (depth: 64, count: 1000)

  private let text: [Unicode.Scalar]
  private let ignoresCase: Bool
  private var position = 0
  private var depth = 0

  init(_ expression: String, ignoringCase ignoresCase: Bool) {
    text = Array(expression.unicodeScalars)
    self.ignoresCase = ignoresCase
  }

  /// Returns the program, whose jumps count from its beginning.
  mutating func program() throws(SearchPatternError) -> [TextProgram.Instruction] {
    let code = try alternatives()
    guard position == text.count else { throw SearchPatternError("a ) has no ( before it") }
    return code
  }

  private var next: Unicode.Scalar? { position < text.count ? text[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func alternatives() throws(SearchPatternError) -> Code {
    var code = try sequence()
    while take("|") {
      let other = try sequence()
      code =
        [.split(1, code.count + 2)] + Self.moved(code, by: 1)
        + [.jump(code.count + 2 + other.count)] + Self.moved(other, by: code.count + 2)
      try check(code)
    }
    return code
  }

  private mutating func sequence() throws(SearchPatternError) -> Code {
    var code: Code = []
    while let scalar = next, scalar != "|", scalar != ")" {
      var part = try atom()
      while let repeated = try repetition(of: part) {
        part = repeated
        try check(part)
      }
      code += Self.moved(part, by: code.count)
      try check(code)
    }
    return code
  }

  private func check(_ code: Code) throws(SearchPatternError) {
    if code.count > TextProgram.limit { throw SearchPatternError("it is too long") }
  }

  /// Returns `code` with its jumps `count` places further on.
  private static func moved(_ code: Code, by count: Int) -> Code {
    code.map { instruction in
      switch instruction {
      case .split(let first, let second): .split(first + count, second + count)
      case .jump(let target): .jump(target + count)
      default: instruction
      }
    }
  }

  // MARK: Repetitions

  /// Returns the code for the repetition of `part` that follows; `nil` if none does.
  private mutating func repetition(of part: Code) throws(SearchPatternError) -> Code? {
    let (least, most): (Int, Int?)
    switch next {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{":
      guard let counts = try counts() else { return nil }
      (least, most) = counts
      position -= 1
    default: return nil
    }
    position += 1
    let isShort = take("?")
    func split(_ first: Int, _ second: Int) -> TextProgram.Instruction {
      isShort ? .split(second, first) : .split(first, second)
    }
    guard (max(least, most ?? 0) + 1) * (part.count + 2) <= TextProgram.limit else {
      throw SearchPatternError("it repeats too much")
    }
    var code: Code = []
    for _ in 0..<least { code += Self.moved(part, by: code.count) }
    guard let most else {
      let start = code.count
      return code + [split(start + 1, start + part.count + 2)]
        + Self.moved(part, by: start + 1) + [.jump(start)]
    }
    let end = code.count + (most - least) * (part.count + 1)
    for _ in least..<most {
      code.append(split(code.count + 1, end))
      code += Self.moved(part, by: code.count)
    }
    return code
  }

  /// Takes the counts in braces; `nil` if the braces have none, so that they stand for themselves.
  private mutating func counts() throws(SearchPatternError) -> (Int, Int?)? {
    let rest = text[(position + 1)...]
    guard let end = rest.firstIndex(of: "}") else { return nil }
    let content = String(String.UnicodeScalarView(rest[..<end]))
    let parts = content.split(separator: ",", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let least = Int(parts[0]), least >= 0 else { return nil }
    let most = parts.count == 1 ? least : Int(parts[1])
    guard parts.count == 1 || parts[1].isEmpty || most != nil else { return nil }
    guard least <= Self.limits.count, (most ?? 0) <= Self.limits.count, most ?? least >= least
    else { throw SearchPatternError("{\(content)} is not a number of repetitions") }
    position = end + 1
    return (least, most)
  }

  // MARK: Atoms

  private mutating func atom() throws(SearchPatternError) -> Code {
    let scalar = text[position]
    position += 1
    switch scalar {
    case "(": return try group()
    case "[": return [.set(try set())]
    case ".": return [.set(.any)]
    case "^": return [.start]
    case "$": return [.end]
    case "*", "+", "?": throw SearchPatternError("nothing is before the \(scalar)")
    case "\\":
      if take("b") { return [.boundary(true)] }
      if take("B") { return [.boundary(false)] }
      return [try escape()]
    default: return [literal(scalar.value)]
    }
  }

  private func literal(_ scalar: UInt32) -> TextProgram.Instruction {
    .scalar(TextProgram.folded(scalar, ignoresCase))
  }

  private mutating func group() throws(SearchPatternError) -> Code {
    if take("?"), !take(":") { throw SearchPatternError("only (?: can follow a (") }
    depth += 1
    guard depth <= Self.limits.depth else { throw SearchPatternError("its groups are too deep") }
    let code = try alternatives()
    depth -= 1
    guard take(")") else { throw SearchPatternError("a ( has no ) after it") }
    return code
  }

  /// Takes what follows a backslash.
  private mutating func escape() throws(SearchPatternError) -> TextProgram.Instruction {
    guard let scalar = next else { throw SearchPatternError("it ends with a backslash") }
    position += 1
    switch scalar {
    case "d": return .set(.digits)
    case "D": return .set(ScalarSet.digits.inverted)
    case "w": return .set(.word)
    case "W": return .set(ScalarSet.word.inverted)
    case "s": return .set(.space)
    case "S": return .set(ScalarSet.space.inverted)
    case "n": return .scalar(0x0a)
    case "r": return .scalar(0x0d)
    case "t": return .scalar(0x09)
    case "x", "u": return literal(try number(after: scalar))
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw SearchPatternError("\\\(scalar) has no meaning")
      }
      return literal(scalar.value)
    }
  }

  /// Takes the hexadecimal digits after `\x` or `\u`.
  private mutating func number(after kind: Unicode.Scalar) throws(SearchPatternError) -> UInt32 {
    let isBraced = take("{")
    var digits = ""
    while let scalar = next, scalar.properties.isASCIIHexDigit,
      isBraced || digits.utf8.count < (kind == "x" ? 2 : 4), digits.utf8.count < 8
    {
      digits.unicodeScalars.append(scalar)
      position += 1
    }
    guard !isBraced || take("}"), let number = UInt32(digits, radix: 16),
      Unicode.Scalar(number) != nil
    else { throw SearchPatternError("\\\(kind) needs the number of a character") }
    return number
  }

  private mutating func set() throws(SearchPatternError) -> ScalarSet {
    var set = ScalarSet()
    set.isNegated = take("^")
    var isFirst = true
    while let scalar = next, isFirst || scalar != "]" {
      isFirst = false
      position += 1
      if scalar == "[", next == ":" {
        throw SearchPatternError(
          "[:alpha:] and the like are not known; use a-z, \\w, \\d or \\s, or \\[ for the sign")
      }
      guard let lower = try member(scalar, &set) else { continue }
      var upper = lower
      if next == "-", position + 1 < text.count, text[position + 1] != "]" {
        position += 2
        guard let end = try member(text[position - 1], &set), end >= lower else {
          throw SearchPatternError("a range in [ ] ends before it begins")
        }
        upper = end
      }
      set.ranges.append(lower...upper)
    }
    guard take("]") else { throw SearchPatternError("a [ has no ] after it") }
    return set
  }

  /// Returns the scalar that a member of a set is, `scalar` or what follows it; `nil` if it is a set
  /// itself, which is added to `set`.
  private mutating func member(
    _ scalar: Unicode.Scalar, _ set: inout ScalarSet
  ) throws(SearchPatternError) -> UInt32? {
    guard scalar == "\\" else { return scalar.value }
    switch try escape() {
    case .scalar(let value): return value
    case .set(let other): set.others.append(other)
    default: break
    }
    return nil
  }
}
