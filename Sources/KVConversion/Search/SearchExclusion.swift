import KVBytes

/// Tells bytes in which nothing can be found without decoding them.
///
/// Made once for a pattern: a search of a phone asks it for many thousands of files.
struct SearchExclusion: Sendable {
  /// How often packed text may be packed again.
  private static let packingLimit = 3
  /// Names of members that are not in the bytes: of the parts of JSON Web Tokens, and of Booleans.
  private static let givenNames = ["header", "claims", "true", "false"]
  /// The keys of archived objects that are shown as other texts than those in the bytes, and what
  /// they begin with.
  private static let archiveKeys = (
    first: Array("NS.".utf8), all: ["NS.uuidbytes", "NS.base"].map { Array($0.utf8) }
  )

  private let needles: [SearchPattern.Needle]
  private let automata: [TextAutomaton]
  /// Whether the pattern matches what has no certain bytes: a number as text, or a name that is given
  /// to a member.
  private let isBlind: Bool
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
    isBlind =
      automata.contains(where: \.matchesNumbers)
      || Self.givenNames.contains { pattern.match(in: $0) != nil }
    forms = pattern.numbers.flatMap { $0.forms }
    let counts =
      (needles.map { $0.bytes } + forms).map { $0.count }
      + pattern.expressions.map { 2 * $0.program.instructions.count }
    longestCount = counts.max() ?? 0
    // JSON may spell a number in several ways.
    let begins = "\u{1f}x<\\" + (forms.isEmpty ? "" : "{[")
    beginsSign = (0...UInt8.max).map { begins.utf8.contains($0) }
    let escaped = Array(0..<0x20) + Array("\"\\/".utf8)
    mayBeEscaped =
      pattern.isHexadecimal
      || needles.contains { $0.encoding == .utf8 && $0.bytes.contains(where: escaped.contains) }
      || automata.contains { escaped.contains(where: $0.takes) }
  }

  /// Returns `false` if no value that is stored in `bytes` without encryption, and no document in
  /// such a value, can match: then nothing need be decoded.
  ///
  /// Texts are in the bytes as they are, or else there is a sign of what hides them: of compressed
  /// data, of XML, of escapes, of objects that are shown as texts, or of Base64, which is decoded.
  ///
  /// - Complexity: O(`bytes.count`).
  func mayOccur(in bytes: Span<UInt8>, depth: Int = 0) -> Bool {
    if isBlind { return true }
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
      || mayHide(bytes, depth)
      || hasWideText(bytes) && mayHide(bytes.withoutZeros.storageSpan, depth)
  }

  /// Returns whether `bytes` may hide a text that matches.
  private func mayHide(_ bytes: Span<UInt8>, _ depth: Int) -> Bool {
    hasSign(bytes)
      || packedTexts(bytes) {
        depth >= Self.packingLimit || mayOccur(in: $0.storageSpan, depth: depth + 1)
      }
  }

  /// Returns whether `bytes` may have ASCII in UTF-16, in which signs and Base64 can be, too.
  private func hasWideText(_ bytes: Span<UInt8>) -> Bool {
    guard let zero = bytes.firstZero, zero + 2 < bytes.count else { return false }
    for offset in (zero + 2)..<bytes.count
    where bytes[offset] == 0 && bytes[offset - 1] != 0 && bytes[offset - 2] == 0 { return true }
    return false
  }

  /// Returns whether `bytes` may have compressed data, XML, texts with escapes, or objects that are
  /// shown as texts.
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
    let (first, all) = Self.archiveKeys
    guard let start = bytes.firstOccurrence(of: first.storageSpan, in: 0..<bytes.count) else {
      return false
    }
    return all.contains {
      bytes.firstOccurrence(of: $0.storageSpan, in: start..<bytes.count) != nil
    }
  }

  // MARK: Base64

  /// Returns whether `test` is true of what a part of `bytes` encodes as Base64.
  ///
  /// Where the text begins is not known: what is before it may look like it. So it is decoded from
  /// each of four characters.
  private func packedTexts(_ bytes: Span<UInt8>, _ test: ([UInt8]) -> Bool) -> Bool {
    let (leastCount, none) = (leastCount, Base64.none)
    var decoded: [UInt8] = []
    // Most parts that consist of such characters are words, and too short.
    var (start, count, last) = (0, 0, UInt8(0))
    for offset in 0...bytes.count {
      let byte = offset < bytes.count ? bytes[offset] : 0
      let digit = digit(byte, after: last)
      last = byte
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

  /// Returns what `byte` is in Base64 within JSON, which writes `\/` for a slash, and `\n` for the
  /// end of a line; `last` is the byte before it.
  private func digit(_ byte: UInt8, after last: UInt8) -> UInt8 {
    let escape = UInt8(ascii: "\\")
    if byte == escape { return Base64.space }
    if last == escape, byte == UInt8(ascii: "n") || byte == UInt8(ascii: "r") {
      return Base64.space
    }
    return digits[Int(byte)]
  }

  /// Leaves in `bytes` what the characters of Base64 in `text` encode, without the `first` ones.
  private func decode(_ text: Span<UInt8>, from first: Int, to bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    var (word, count, left, last) = (UInt32(0), 0, first, UInt8(0))
    for offset in 0..<text.count {
      let digit = digit(text[offset], after: last)
      last = text[offset]
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

private let zero: [UInt8] = [0]

extension Span where Element == UInt8 {
  /// The offset of the first zero; `nil` if there is none.
  var firstZero: Int? { firstOccurrence(of: zero.storageSpan, in: 0..<count) }

  /// The bytes that are not zero.
  fileprivate var withoutZeros: [UInt8] {
    var bytes: [UInt8] = []
    for offset in 0..<count where self[offset] != 0 { bytes.append(self[offset]) }
    return bytes
  }
}
