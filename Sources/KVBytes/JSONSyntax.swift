/// A validator of JSON text that builds no values.
///
/// Reference: RFC 8259.
package struct JSONSyntax {
  /// The deepest allowed nesting of containers; deeper texts are rejected.
  static let maximumDepth = 512

  /// Returns whether `text`, which is UTF-8, is well-formed JSON that begins with `{` or `[`.
  ///
  /// - Complexity: O(`text.count`), without recursion.
  package static func isContainer(_ text: Span<UInt8>) -> Bool {
    guard let first = text.byte(at: 0), first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else {
      return false
    }
    var syntax = JSONSyntax()
    return syntax.readContainer(text)
  }

  private enum Container { case object, array }

  /// The tokens that are allowed next.
  private enum Expectation { case value, valueOrEnd, name, nameOrEnd, separatorOrEnd }

  private var offset = 0
  private var open: [Container] = []

  private mutating func readContainer(_ text: Span<UInt8>) -> Bool {
    var expectation = Expectation.value
    while true {
      skipSpace(text)
      guard let byte = text.byte(at: offset) else { return false }
      switch (byte, expectation) {
      case (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd):
        guard enter(.object) else { return false }
        expectation = .nameOrEnd
      case (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .valueOrEnd):
        guard enter(.array) else { return false }
        expectation = .valueOrEnd
      case (UInt8(ascii: "}"), .nameOrEnd), (UInt8(ascii: "}"), .separatorOrEnd),
        (UInt8(ascii: "]"), .valueOrEnd), (UInt8(ascii: "]"), .separatorOrEnd):
        guard open.popLast() == (byte == UInt8(ascii: "}") ? .object : .array) else { return false }
        offset += 1
        if open.isEmpty {
          skipSpace(text)
          return offset == text.count
        }
        expectation = .separatorOrEnd
      case (UInt8(ascii: ","), .separatorOrEnd):
        offset += 1
        expectation = open.last == .object ? .name : .value
      case (UInt8(ascii: "\""), .name), (UInt8(ascii: "\""), .nameOrEnd):
        guard readString(text) else { return false }
        skipSpace(text)
        guard skip(UInt8(ascii: ":"), text) else { return false }
        expectation = .value
      case (_, .value), (_, .valueOrEnd):
        guard readScalar(text, first: byte) else { return false }
        expectation = .separatorOrEnd
      default: return false
      }
    }
  }

  private mutating func enter(_ container: Container) -> Bool {
    guard open.count < Self.maximumDepth else { return false }
    open.append(container)
    offset += 1
    return true
  }

  private mutating func readScalar(_ text: Span<UInt8>, first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "\""): readString(text)
    case UInt8(ascii: "t"): skip("true", text)
    case UInt8(ascii: "f"): skip("false", text)
    case UInt8(ascii: "n"): skip("null", text)
    default: readNumber(text)
    }
  }

  /// Reads a string from its opening to its closing quotation mark.
  private mutating func readString(_ text: Span<UInt8>) -> Bool {
    offset += 1
    while let byte = text.byte(at: offset) {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard readEscape(text) else { return false }
      case 0x00..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func readEscape(_ text: Span<UInt8>) -> Bool {
    guard let byte = text.byte(at: offset) else { return false }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let digit = text.byte(at: offset) else { return false }
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          offset += 1
        default: return false
        }
      }
      return true
    default: return false
    }
  }

  private mutating func readNumber(_ text: Span<UInt8>) -> Bool {
    _ = skip(UInt8(ascii: "-"), text)
    if !skip(UInt8(ascii: "0"), text) {
      guard skipDigits(text) else { return false }
    }
    if skip(UInt8(ascii: "."), text) {
      guard skipDigits(text) else { return false }
    }
    if skip(UInt8(ascii: "e"), text) || skip(UInt8(ascii: "E"), text) {
      if !skip(UInt8(ascii: "+"), text) { _ = skip(UInt8(ascii: "-"), text) }
      return skipDigits(text)
    }
    return true
  }

  /// Skips digits and returns whether there were any.
  private mutating func skipDigits(_ text: Span<UInt8>) -> Bool {
    let start = offset
    while let byte = text.byte(at: offset),
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    {
      offset += 1
    }
    return offset > start
  }

  private mutating func skipSpace(_ text: Span<UInt8>) {
    while let byte = text.byte(at: offset),
      byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    {
      offset += 1
    }
  }

  private mutating func skip(_ word: String, _ text: Span<UInt8>) -> Bool {
    word.utf8.allSatisfy { skip($0, text) }
  }

  private mutating func skip(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
    guard text.byte(at: offset) == byte else { return false }
    offset += 1
    return true
  }
}

extension Span where Element == UInt8 {
  /// Returns the byte at `offset`; `nil` past the end.
  fileprivate func byte(at offset: Int) -> UInt8? { offset < count ? self[offset] : nil }
}
