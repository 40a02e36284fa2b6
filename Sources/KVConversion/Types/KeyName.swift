import KVModel

/// What the name of a key tells: which keys have names of the same pattern, and which words it has.
///
/// `user_12_name`, `user_7_name` have the pattern `user_#_name`. The words of `isFirstRun`,
/// `is_first_run` and `is.first-run` are the same.
struct KeyName: Sendable {
  /// The bytes of the key, with `#` for each run of digits, and for each part that is an id.
  let pattern: Key
  /// The first and the last word; `nil` where there is none.
  let ends: (first: ByteText, last: ByteText)?
  /// How much likelier the name makes each group.
  let custom: GroupWeights

  /// The name of all keys with this pattern: its words are those of each of them.
  init(pattern: Key) {
    // Bytes beyond ASCII are letters of other scripts.
    let words = pattern.bytes.split { !$0.isNameByte }.flatMap(Self.words)
      .filter { $0.allSatisfy { $0 < 0x80 } }
      .map { ByteText(String(decoding: $0.map { $0 | 0x20 }, as: UTF8.self)) }
    // Those at the ends that say nothing of the value.
    var range = words[...]
    while range.count > 1, NameHints.generic.contains(range[range.startIndex]) {
      range.removeFirst()
    }
    while range.count > 1, let last = range.last, NameHints.generic.contains(last),
      !NameHints.credentials.contains(range[range.endIndex - 2])
    {
      range.removeLast()
    }
    self.pattern = pattern
    if let first = range.first, let last = range.last {
      ends = (first, last)
    } else {
      ends = nil
    }
    custom = NameHints.weights(of: Array(range))
  }

  /// The pattern of `key`.
  static func pattern(of key: Key) -> Key {
    let bytes = key.bytes
    var pattern: [UInt8] = []
    pattern.reserveCapacity(bytes.count + 1)
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end].isNameByte { end += 1 }
      defer { start = end + 1 }
      guard end > start else { continue }
      // What stands between the parts, or before the first, is part of the pattern.
      pattern.append(start > 0 ? bytes[start - 1] : 0)
      if isID(bytes[start..<end]) {
        pattern.append(UInt8(ascii: "#"))
        continue
      }
      for index in start..<end {
        if !bytes[index].isDigit {
          pattern.append(bytes[index])
        } else if index == start || !bytes[index - 1].isDigit {
          pattern.append(UInt8(ascii: "#"))
        }
      }
    }
    return Key(pattern)
  }

  /// Whether `part` is a number in hexadecimal, or another id: eight characters or more with digits among
  /// letters.
  private static func isID(_ part: ArraySlice<UInt8>) -> Bool {
    guard part.count >= 8 else { return false }
    let digits = part.count { $0.isDigit }
    let isHexadecimal = part.allSatisfy { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
    return isHexadecimal && digits > 0 || digits * 4 >= part.count
  }

  /// The words of `part`: letters up to the next capital after a small one, or before one: `userURL`,
  /// `URLPath`.
  private static func words(_ part: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var start = part.startIndex
    for index in part.indices.dropFirst() {
      let (before, byte) = (part[index - 1], part[index])
      let isNew =
        byte.isCapital && !before.isCapital
        || before.isCapital && byte.isSmall && index - 1 > start
      if isNew {
        let end = before.isCapital && byte.isSmall ? index - 1 : index
        words.append(part[start..<end])
        start = end
      }
    }
    words.append(part[start...])
    return words
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  fileprivate var isSmall: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  /// Whether this is part of a word, in ASCII or beyond.
  fileprivate var isNameByte: Bool {
    isDigit || isCapital || self >= 0x80 || isSmall
  }
}
