import KVBytes

/// Tells bytes in which nothing can be found without decoding them.
///
/// Made once for a pattern: a search of a phone asks it for many thousands of files.
struct SearchExclusion: Sendable {
  /// How often packed text may be packed again.
  private static let packingLimit = 3

  private let needles: [SearchPattern.Needle]
  private let automata: [TextAutomaton]
  /// Whether numbers match an expression, whose bytes are not known.
  private let matchesNumbers: Bool
  /// The bytes that numbers can have.
  private let forms: [[UInt8]]
  /// The number of bytes of the longest needle or form, and of what an expression needs of zeros.
  private let longestCount: Int
  /// Whether JSON may have the pattern only with an escape other than `\u`.
  private let mayBeEscaped: Bool
  /// Whether each byte begins a sign of what hides texts.
  private let beginsSign: [Bool]
  private let digits = Base64.values
  private let leastCount = Base64.leastCount

  init(of pattern: SearchPattern) {
    needles = pattern.needles
    automata = pattern.expressions.map(\.automaton)
    matchesNumbers = automata.contains(where: \.matchesNumbers)
    forms = pattern.numbers.flatMap { $0.forms }
    let counts =
      (needles.map { $0.bytes } + forms).map { $0.count }
      + pattern.expressions.map { 2 * $0.program.instructions.count }
    longestCount = counts.max() ?? 0
    // JSON may spell a number in several ways.
    let begins = "\u{1f}x<\\" + (forms.isEmpty ? "" : "{[")
    beginsSign = (0...UInt8.max).map { begins.utf8.contains($0) }
    mayBeEscaped =
      pattern.isHexadecimal
      || needles.contains { $0.encoding == .utf8 && $0.bytes.contains(where: Self.isEscaped) }
      || pattern.expressions.contains { $0.program.takes(anyOf: Self.isEscaped) }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
      || byte == UInt8(ascii: "/")
  }

  /// Returns `false` if no value that is stored in `bytes` without encryption, and no document in
  /// such a value, can match: then nothing need be decoded.
  ///
  /// Texts are in the bytes as they are, or else there is a sign of what hides them: of compressed
  /// data, of XML, of escapes, or of Base64, which is decoded.
  ///
  /// - Complexity: O(`bytes.count`).
  func mayOccur(in bytes: Span<UInt8>, depth: Int = 0) -> Bool {
    if matchesNumbers { return true }
    // Half of a store and more was never written to.
    let written = bytes.lastNonzero(in: 0..<bytes.count).map { $0 + 1 } ?? 0
    let bytes = bytes.extracting(..<min(bytes.count, written + longestCount))
    let all = 0..<bytes.count
    // A closure would copy each.
    for index in needles.indices where needles[index].firstOccurrence(in: bytes, all) != nil {
      return true
    }
    return forms.contains { bytes.firstOccurrence(of: $0.storageSpan, in: all) != nil }
      || automata.contains { $0.mayMatch(in: bytes) || $0.mayMatchWide(in: bytes) }
      || hasSign(bytes)
      || packedTexts(bytes) {
        depth >= Self.packingLimit || mayOccur(in: $0.storageSpan, depth: depth + 1)
      }
  }

  /// Returns whether `bytes` may have compressed data, XML, or texts with escapes.
  private func hasSign(_ bytes: Span<UInt8>) -> Bool {
    for offset in 0..<bytes.count where beginsSign[Int(bytes[offset])] {
      let next = offset + 1 < bytes.count ? bytes[offset + 1] : 0
      switch bytes[offset] {
      case 0x1f where next == 0x8b: return true
      case 0x78 where next == 0x9c || next == 0xda || next == 0x01 || next == 0x5e: return true
      case UInt8(ascii: "<") where next == UInt8(ascii: "?") || next == UInt8(ascii: "p"):
        return true
      case UInt8(ascii: "\\") where mayBeEscaped || next == UInt8(ascii: "u"): return true
      case UInt8(ascii: "{"), UInt8(ascii: "["): return true
      default: break
      }
    }
    return false
  }

  /// Returns whether `test` is true of what a part of `bytes` encodes as Base64.
  ///
  /// Where the text begins is not known: what is before it may look like it. So it is decoded from
  /// each of four characters.
  private func packedTexts(_ bytes: Span<UInt8>, _ test: ([UInt8]) -> Bool) -> Bool {
    let (digits, leastCount, none) = (digits, leastCount, Base64.none)
    var decoded: [UInt8] = []
    // Most parts that consist of such characters are words, and too short.
    var (start, count) = (0, 0)
    for offset in 0...bytes.count {
      let digit = offset < bytes.count ? digits[Int(bytes[offset])] : none
      if digit < 64 {
        if count == 0 { start = offset }
        count += 1
      } else if digit == none {
        if count >= leastCount {
          for first in 0..<4 {
            decode(bytes.extracting(start..<offset), from: first, to: &decoded)
            if test(decoded) { return true }
          }
        }
        count = 0
      }
    }
    return false
  }

  /// Leaves in `bytes` what the characters of Base64 in `text` encode, without the `first` ones.
  private func decode(_ text: Span<UInt8>, from first: Int, to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    let digits = digits.storageSpan
    var (word, count, left) = (UInt32(0), 0, first)
    for offset in 0..<text.count {
      let digit = digits[Int(text[offset])]
      if digit >= 64 { continue }
      left -= 1
      if left >= 0 { continue }
      word = word << 6 | UInt32(digit)
      count += 6
      guard count >= 24 else { continue }
      count = 0
      bytes.append(UInt8(truncatingIfNeeded: word >> 16))
      bytes.append(UInt8(truncatingIfNeeded: word >> 8))
      bytes.append(UInt8(truncatingIfNeeded: word))
    }
    while count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(count)))
    }
  }
}
