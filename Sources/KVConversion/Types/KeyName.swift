import KVModel

/// The parts of a key's name that suggest its type: the pattern that it shares with other keys, and
/// its words.
///
/// `user_12_name` and `user_7_name` have the pattern `user_#_name`. `isFirstRun`, `is_first_run`
/// and `is.first-run` have the same words.
struct KeyName: Sendable {
  /// The first and the last word that are not generic; `nil` if the name has no words.
  let ends: (first: ByteText, last: ByteText)?
  /// The factor by which the words of the name make each group likelier.
  let custom: GroupWeights

  /// Creates the name that all keys with this pattern share.
  ///
  /// A pattern has the bytes of the key, with `#` for each run of digits and for each part that is an
  /// ID.
  init(pattern: [UInt8]) {
    let words = Self.words(of: pattern)
    // Drop the words at the ends that say nothing about the value. After a word such as `api`, the
    // last word stays: an `apiKey` is a value.
    var range = words[...]
    while range.count > 1, NameHints.generic.contains(range[range.startIndex]) {
      range.removeFirst()
    }
    while range.count > 1, let last = range.last, NameHints.generic.contains(last),
      !NameHints.credentials.contains(range[range.endIndex - 2])
    {
      range.removeLast()
    }
    if let first = range.first, let last = range.last {
      ends = (first, last)
    } else {
      ends = nil
    }
    custom = NameHints.weights(of: Array(range))
  }

  /// Replaces `pattern` by the bytes of the pattern of `key`.
  static func write(patternOf key: Span<UInt8>, to pattern: inout [UInt8]) {
    pattern.removeAll(keepingCapacity: true)
    var start = 0
    while start < key.count {
      var end = start
      var digits = 0
      var isHexadecimal = true
      while end < key.count, key[end].isNameByte {
        let byte = key[end]
        if byte.isDigit {
          digits += 1
        } else if !(0x61...0x66).contains(byte | 0x20) {
          isHexadecimal = false
        }
        end += 1
      }
      defer { start = end + 1 }
      guard end > start else { continue }
      // The separator before a part belongs to the pattern: 0 if there is none, the last if there
      // are several.
      pattern.append(start > 0 ? key[start - 1] : 0)
      // An ID has eight characters or more, which are hexadecimal digits, one of them 0 to 9, or of
      // which at least a quarter are 0 to 9.
      if end - start >= 8, isHexadecimal && digits > 0 || digits * 4 >= end - start {
        pattern.append(UInt8(ascii: "#"))
        continue
      }
      for index in start..<end {
        if !key[index].isDigit {
          pattern.append(key[index])
        } else if index == start || !key[index - 1].isDigit {
          pattern.append(UInt8(ascii: "#"))
        }
      }
    }
  }

  /// Returns the words of a name in lowercase; no table has words in other scripts than Latin.
  static func words(of name: [UInt8]) -> [ByteText] {
    name.split { !$0.isNameByte }.flatMap(words).filter { $0.allSatisfy { $0 < 0x80 } }
      .map { ByteText(String(decoding: $0.map { $0 | 0x20 }, as: UTF8.self)) }
  }

  /// Splits `part` into words, as in `user|URL` and `URL|Path`.
  ///
  /// A word begins at a capital after another character, and at the last capital of several before
  /// a small letter.
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
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  fileprivate var isSmall: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
  /// Whether the byte is part of a word; bytes beyond ASCII are letters of other scripts.
  fileprivate var isNameByte: Bool {
    isDigit || isCapital || self >= 0x80 || isSmall
  }
}
