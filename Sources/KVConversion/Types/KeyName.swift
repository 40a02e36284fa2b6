import KVModel

/// What the name of a key tells: which keys have names of the same pattern, and which words it has.
///
/// `user_12_name`, `user_7_name` have the pattern `user_#_name`. The words of `isFirstRun`,
/// `is_first_run` and `is.first-run` are the same.
struct KeyName {
  /// The bytes of the key, with `#` for each run of digits, and for each part that is an id.
  let pattern: Key
  /// The words of ASCII, in small letters, without those at the ends that say nothing of the value.
  private let words: [ByteText]

  /// The first and the last word; `nil` where there is none.
  var ends: (first: ByteText, last: ByteText)? {
    guard let first = words.first, let last = words.last else { return nil }
    return (first, last)
  }

  /// The name of `key`.
  init(_ key: Key) {
    var pattern: [UInt8] = []
    var words: [ByteText] = []
    for part in key.bytes.split(whereSeparator: { !$0.isNameByte }) {
      // What stands between the parts, or before the first, is part of the pattern.
      pattern.append(part.startIndex > 0 ? key.bytes[part.startIndex - 1] : 0)
      if Self.isID(part) {
        pattern.append(UInt8(ascii: "#"))
        continue
      }
      for word in Self.words(part) {
        guard !word[word.startIndex].isDigit else {
          pattern.append(UInt8(ascii: "#"))
          continue
        }
        pattern += word
        // Bytes beyond ASCII are letters of other scripts.
        guard word.allSatisfy({ $0 < 0x80 }) else { continue }
        words.append(ByteText(String(decoding: word.map { $0 | 0x20 }, as: UTF8.self)))
      }
    }
    self.pattern = Key(pattern)
    var range = words[...]
    while range.count > 1, NameHints.generic.contains(range[range.startIndex]) {
      range.removeFirst()
    }
    while range.count > 1, let last = range.last, NameHints.generic.contains(last),
      !NameHints.credentials.contains(range[range.endIndex - 2])
    {
      range.removeLast()
    }
    self.words = Array(range)
  }

  /// Whether `part` is a number in hexadecimal, or another id: eight characters or more with digits among
  /// letters.
  private static func isID(_ part: ArraySlice<UInt8>) -> Bool {
    guard part.count >= 8 else { return false }
    let digits = part.count { $0.isDigit }
    let isHexadecimal = part.allSatisfy { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
    return isHexadecimal && digits > 0 || digits * 4 >= part.count
  }

  /// The words of `part`: runs of digits, and of letters up to the next capital after a small one, or
  /// before one: `userURL`, `URLPath`.
  private static func words(_ part: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var start = part.startIndex
    for index in part.indices.dropFirst() {
      let (before, byte) = (part[index - 1], part[index])
      let isNew =
        before.isDigit != byte.isDigit || byte.isCapital && !before.isCapital
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

  /// How much likelier the name makes each group.
  var custom: GroupWeights { NameHints.weights(of: words) }
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
