extension Span where Element == UInt8 {
  /// Returns the length of the UTF-8 sequence at `offset`, in bytes; 0 if it is malformed or does
  /// not end by `limit`.
  ///
  /// Well-formed sequences are those of the Unicode Standard 15.0, table 3-7.
  ///
  /// - Precondition: `offset < limit`, and `limit` lies within the span.
  package func utf8Count(at offset: Int, limit: Int) -> Int {
    let first = self[offset]
    if first < 0x80 { return 1 }
    let count: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch first {
    case 0xc2...0xdf: count = 2
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: count = 3
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: count = 4
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    default: return 0
    }
    guard limit - offset >= count, second.contains(self[offset + 1]) else { return 0 }
    for index in 2..<Swift.max(2, count) where self[offset + index] & 0xc0 != 0x80 { return 0 }
    return count
  }
}
