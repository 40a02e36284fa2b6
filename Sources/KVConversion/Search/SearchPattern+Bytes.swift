import KVBytes

/// The search in bytes that may not be text.
extension SearchPattern {
  /// Returns what matches in `bytes`, in order, and whether there is more.
  ///
  /// Of each way to encode a pattern, at most `limit` matches are returned. Where UTF-16 in either
  /// byte order matches, only the better text counts.
  ///
  /// - Complexity: O(`bytes.count`) for each pattern, and memory for each match.
  func occurrences(
    in bytes: Span<UInt8>, limit: Int
  ) -> (found: [SearchMatch.Occurrence], isCut: Bool) {
    var found: [SearchMatch.Occurrence] = []
    var isCut = false
    // A byte order must not hide that the other one matches, too.
    let (limit, total) = (max(limit, 1), 4 * max(limit, 1))
    for needle in needles where isHexadecimal || needle.bytes.count >= Self.leastCount {
      guard found.count < total else { return (Self.best(found, in: bytes), true) }
      let ranges = needle.occurrences(in: bytes, limit: limit)
      isCut = isCut || ranges.count == limit
      found += ranges.map {
        SearchMatch.Occurrence(range: $0, encoding: needle.encoding, isLiteral: true)
      }
    }
    for expression in expressions {
      for encoding in [SearchMatch.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
        guard found.count < total else { return (Self.best(found, in: bytes), true) }
        let ranges = expression.matches(in: bytes, as: encoding, limit: limit)
        isCut = isCut || ranges.count == limit
        found += ranges.map {
          SearchMatch.Occurrence(range: $0, encoding: encoding, isLiteral: false)
        }
      }
    }
    return (Self.best(found, in: bytes), isCut)
  }

  /// Returns `all` in order, without repetitions, and without texts in UTF-16 that are there only
  /// because the bytes of better texts were taken in the other byte order.
  private static func best(
    _ all: [SearchMatch.Occurrence], in bytes: Span<UInt8>
  ) -> [SearchMatch.Occurrence] {
    let all = all.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var kept: [SearchMatch.Occurrence] = []
    // The last one in each byte order, with its index in `kept`.
    var last: [SearchMatch.Encoding: (index: Int, score: Int)] = [:]
    var dropped: Set<Int> = []
    for next in all {
      let same = kept.reversed().prefix { $0.range == next.range }
      if same.contains(where: { $0.encoding == next.encoding }) { continue }
      guard next.encoding.isWide else {
        kept.append(next)
        continue
      }
      let score = next.encoding.score(of: next.range, in: bytes)
      let isLittle = next.encoding == .utf16LittleEndian
      let other: SearchMatch.Encoding = isLittle ? .utf16BigEndian : .utf16LittleEndian
      if let rival = last[other], kept[rival.index].range.overlaps(next.range) {
        // Most devices write little-endian.
        guard score > rival.score || score == rival.score && isLittle else { continue }
        dropped.insert(rival.index)
        last[other] = nil
      }
      last[next.encoding] = (kept.count, score)
      kept.append(next)
    }
    return dropped.isEmpty ? kept : kept.indices.filter { !dropped.contains($0) }.map { kept[$0] }
  }
}

extension SearchPattern.Needle {
  /// Returns the first `limit` places in `bytes` with the needle.
  fileprivate func occurrences(in bytes: Span<UInt8>, limit: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var offset = 0
    while ranges.count < limit,
      let start = firstOccurrence(in: bytes, offset..<bytes.count)
    {
      offset = start + self.bytes.count
      ranges.append(start..<offset)
    }
    return ranges
  }
}

extension SearchPattern.Expression {
  /// Returns the first `limit` matches in `bytes` that have as many bytes as texts must.
  fileprivate func matches(
    in bytes: Span<UInt8>, as encoding: SearchMatch.Encoding, limit: Int
  ) -> [Range<Int>] {
    let mayMatch =
      encoding.isWide ? automaton.mayMatchWide(in: bytes) : automaton.mayMatch(in: bytes)
    guard mayMatch else { return [] }
    var machine = TextMachine(program, for: encoding)
    var ranges: [Range<Int>] = []
    func add(_ part: Range<Int>) {
      ranges += machine.matches(
        in: bytes.extracting(part), atLeast: SearchPattern.leastCount, limit: limit - ranges.count
      ).map { $0.lowerBound + part.lowerBound..<$0.upperBound + part.lowerBound }
    }
    for start in 0..<(encoding.isWide ? min(2, bytes.count) : 1) {
      // Most pairs of bytes are letters in UTF-16, which `\w+` matches, but no text by chance.
      if isText || !encoding.isWide {
        add(start..<bytes.count)
        continue
      }
      var offset = start
      while ranges.count < limit, let part = encoding.nextText(in: bytes, from: offset) {
        add(part)
        offset = part.upperBound
      }
    }
    return ranges
  }
}

/// What a code unit of UTF-16 can be.
private enum WideUnit {
  /// A character of Western European languages.
  case common
  /// One of another alphabet, or a sign. There are few of them, but in any binary data.
  case foreign
  /// One of a large script, or a part of one: as most pairs of bytes are.
  case rare
  /// A control character.
  case none

  init(_ unit: UInt16) {
    switch unit {
    case 0x09, 0x0a, 0x0d, 0x20...0x7e, 0xa0...0xff: self = .common
    case 0x0100..<0x2000:
      let properties = Unicode.Scalar(unit)?.properties
      self = properties.map { $0.isAlphabetic || $0.isGraphemeExtend } ?? false ? .foreign : .rare
    case 0x2010...0x205e, 0x20a0...0x20c0: self = .foreign
    case 0x2000...0xfffd: self = .rare
    default: self = .none
    }
  }
}

extension SearchMatch.Encoding {
  /// The number of characters before and after a text that tell its byte order.
  private static let contextCount = 64

  /// Returns the next part of `bytes` from `start` on that looks like UTF-16: at least half of it is
  /// of Western European languages, and so is the half of each part at its start.
  ///
  /// - Complexity: O(end of the part - `start`).
  fileprivate func nextText(in bytes: Span<UInt8>, from start: Int) -> Range<Int>? {
    var (first, end, balance) = (Int?.none, start, 0)
    var offset = start
    scan: while offset + 1 < bytes.count {
      switch WideUnit(unit(in: bytes, at: offset)) {
      case .common:
        first = first ?? offset
        balance += 1
        end = offset + 2
      case .foreign where balance > 0:
        balance -= 1
        end = offset + 2
      case .rare where balance > 0: balance -= 1
      default: if first != nil { break scan }
      }
      offset += 2
    }
    guard var first else { return nil }
    // The text may begin with another alphabet.
    let least = max(start, first - (end - first))
    while first - 2 >= least, WideUnit(unit(in: bytes, at: first - 2)) == .foreign { first -= 2 }
    return first..<end
  }

  /// Returns how many characters of Western European languages are in `range` and around it; letters
  /// and digits of ASCII, and spaces, count twice.
  ///
  /// In the other byte order, a text lacks a character at one end, and may have a sign at the other.
  ///
  /// - Complexity: O(`range.count`).
  fileprivate func score(of range: Range<Int>, in bytes: Span<UInt8>) -> Int {
    var (start, end) = (range.lowerBound, range.upperBound)
    for _ in 0..<Self.contextCount {
      if start >= 2, WideUnit(unit(in: bytes, at: start - 2)) == .common { start -= 2 }
      if end + 1 < bytes.count, WideUnit(unit(in: bytes, at: end)) == .common { end += 2 }
    }
    var score = 0
    for offset in stride(from: start, to: end - 1, by: 2) {
      switch unit(in: bytes, at: offset) {
      case 0x20, 0x30...0x39, 0x41...0x5a, 0x61...0x7a: score += 2
      case let unit: if WideUnit(unit) == .common { score += 1 }
      }
    }
    return score
  }
}
