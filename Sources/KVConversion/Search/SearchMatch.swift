import KVBytes
package import KVModel

/// Where a pattern was found in a value.
package struct SearchMatch: Sendable {
  /// How what was found is encoded.
  package enum Encoding: Hashable, Sendable {
    case utf8, utf16LittleEndian, utf16BigEndian, bytes
    /// It is a number of this type.
    case number(Value.Kind)
  }

  /// Bytes that match among those that were searched.
  struct Occurrence: Hashable, Sendable {
    let range: Range<Int>
    let encoding: Encoding
    /// Whether the same bytes match wherever they are, unlike those of a regular expression.
    let isLiteral: Bool
  }

  /// The number of characters that an excerpt has before a match, and in all.
  private static let shownCount = (before: 40, all: 120)

  /// How what was found is encoded.
  package let encoding: Encoding
  /// The text around it.
  package let excerpt: String
  /// The bytes that match; `nil` if a number does.
  let occurrence: Occurrence?
  /// The number of bytes that were searched.
  private let searchedCount: Int
  /// The bytes of the excerpt, and the offset of the first.
  private let shown: (offset: Int, bytes: [UInt8])

  /// Creates the match of a number that is printed as `text`.
  init(number text: String, _ kind: Value.Kind) {
    encoding = .number(kind)
    excerpt = text
    (occurrence, searchedCount, shown) = (nil, 0, (0, []))
  }

  /// Creates the match at `found` in `image`.
  init(_ found: Occurrence, in image: FileImage) {
    let (range, encoding) = (found.range, found.encoding)
    let width = encoding.unitCount
    let start =
      range.lowerBound - min(range.lowerBound / width, Self.shownCount.before) * width
    let last = min(image.count, start + Self.shownCount.all * width)
    // The pattern is shown in full, but a regular expression may match any number of bytes.
    let end = found.isLiteral ? max(range.upperBound, last) : last
    let ownEnd = min(range.upperBound, end)
    let before = encoding.text(of: image.bytes(in: start..<range.lowerBound)).unicodeScalars
    var own = encoding.text(of: image.bytes(in: range.lowerBound..<ownEnd)).unicodeScalars
    // The end may be within a character.
    if ownEnd < range.upperBound, own.last == "\u{fffd}" { own.removeLast() }
    let after = encoding.text(of: image.bytes(in: ownEnd..<end)).unicodeScalars
    self.encoding = encoding
    excerpt =
      String(before.suffix(while: \.isOfText)) + String(own)
      + String(after.prefix(while: \.isOfText))
    occurrence = found
    searchedCount = image.count
    shown = (start, image.bytes(in: start..<end))
  }

  /// The bytes that match; `nil` if they are too many, or a number matches.
  package var bytes: [UInt8]? {
    guard let range = occurrence?.range, range.upperBound - shown.offset <= shown.bytes.count
    else { return nil }
    return Array(shown.bytes[range.lowerBound - shown.offset..<range.upperBound - shown.offset])
  }

  /// Returns where the bytes that match are in `range` of `image`, which has what was searched or
  /// something from which that was decoded; `nil` if that is not certain.
  ///
  /// - Complexity: O(`range.count`).
  func place(in image: FileImage, _ range: Range<Int>) -> Range<Int>? {
    guard let found = occurrence else { return nil }
    func offset(of bytes: [UInt8]) -> Int? {
      guard let first = image.firstOccurrence(of: bytes, in: range) else { return nil }
      // Which of several ones matches depends on what is around them.
      let isCertain =
        found.isLiteral
        || image.firstOccurrence(of: bytes, in: first + 1..<range.upperBound) == nil
      return isCertain ? first : nil
    }
    let own = found.range
    // Before a text is at most its length.
    let start = range.upperBound - searchedCount
    let isWhole =
      start >= range.lowerBound && image.has(shown.bytes, at: start + shown.offset)
    let first =
      isWhole
      ? start + own.lowerBound
      : offset(of: shown.bytes).map { $0 - shown.offset + own.lowerBound }
        ?? bytes.flatMap { offset(of: $0) }
    guard let first, own.count <= range.upperBound - first else { return nil }
    return first..<first + own.count
  }
}

extension FileImage {
  /// Returns whether `bytes` are at `offset`.
  fileprivate func has(_ bytes: [UInt8], at offset: Int) -> Bool {
    offset + bytes.count <= count && self.bytes(in: offset..<offset + bytes.count) == bytes
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may be in a text, unlike control characters and what stands for bytes that
  /// are no text.
  fileprivate var isOfText: Bool {
    value == 0x09 || value == 0x0a || value == 0x0d
      || value >= 0x20 && value != 0x7f && value != 0xfffd
  }
}

extension BidirectionalCollection {
  /// Returns the longest suffix whose elements all satisfy `test`.
  fileprivate func suffix(while test: (Element) -> Bool) -> SubSequence {
    self[(lastIndex { !test($0) }.map(index(after:)) ?? startIndex)...]
  }
}

extension SearchMatch.Encoding {
  /// The name in JSON.
  package var name: String {
    switch self {
    case .utf8: "utf-8"
    case .utf16LittleEndian: "utf-16le"
    case .utf16BigEndian: "utf-16be"
    case .bytes: "bytes"
    case .number(let kind): kind.rawValue
    }
  }

  /// Whether it is UTF-16.
  var isWide: Bool { self == .utf16LittleEndian || self == .utf16BigEndian }

  /// The number of bytes of a code unit.
  fileprivate var unitCount: Int { isWide ? 2 : 1 }

  /// Returns `bytes` as text, in which what is none is replaced.
  fileprivate func text(of bytes: [UInt8]) -> String {
    guard isWide else {
      if self == .bytes { return Hexadecimal.text(bytes) }
      // The start may be within a character.
      return String(decoding: bytes.drop { $0 & 0xc0 == 0x80 }, as: UTF8.self)
    }
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
      unit(in: bytes.storageSpan, at: $0)
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Returns the code unit of UTF-16 at `offset`.
  ///
  /// - Precondition: There are two bytes.
  func unit(in bytes: Span<UInt8>, at offset: Int) -> UInt16 {
    let low = self == .utf16LittleEndian ? 0 : 1
    return UInt16(bytes[offset + low]) | UInt16(bytes[offset + 1 - low]) << 8
  }

  /// Returns the scalar at `offset` and the number of its bytes; what is no text is replaced.
  ///
  /// - Returns: `nil` at the end.
  func scalar(in bytes: Span<UInt8>, at offset: Int) -> (value: UInt32, count: Int)? {
    guard offset < bytes.count else { return nil }
    guard isWide else { return Self.narrowScalar(in: bytes, at: offset) }
    guard offset + 1 < bytes.count else { return nil }
    let first = unit(in: bytes, at: offset)
    guard UTF16.isLeadSurrogate(first), offset + 3 < bytes.count,
      case let second = unit(in: bytes, at: offset + 2), UTF16.isTrailSurrogate(second)
    else { return (first & 0xf800 == 0xd800 ? 0xfffd : UInt32(first), 2) }
    return (0x10000 + (UInt32(first & 0x3ff) << 10 | UInt32(second & 0x3ff)), 4)
  }

  private static func narrowScalar(
    in bytes: Span<UInt8>, at offset: Int
  ) -> (value: UInt32, count: Int) {
    let first = bytes[offset]
    let count = (~first).leadingZeroBitCount
    if count == 0 { return (UInt32(first), 1) }
    guard (2...4).contains(count), offset + count <= bytes.count else { return (0xfffd, 1) }
    var value = UInt32(first) & (0x7f >> UInt32(count))
    for next in offset + 1..<offset + count {
      guard bytes[next] & 0xc0 == 0x80 else { return (0xfffd, 1) }
      value = value << 6 | UInt32(bytes[next] & 0x3f)
    }
    // Longer forms of smaller scalars, and halves of pairs of UTF-16, are not UTF-8.
    guard let scalar = Unicode.Scalar(value), UTF8.width(scalar) == count else {
      return (0xfffd, 1)
    }
    return (value, count)
  }
}
