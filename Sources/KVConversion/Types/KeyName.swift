import KVModel

/// What the name of a key tells: which keys have names of the same pattern, and which words it has.
///
/// `user_12_name`, `user_7_name` have the pattern `user_#_name`. The words of `isFirstRun`,
/// `is_first_run` and `is.first-run` are the same.
struct KeyName {
  /// The bytes of the key, with `#` for each run of digits, and for each part that is an id.
  let pattern: [UInt8]
  /// The first and the last word, in small letters; `nil` where the key has no words of ASCII.
  let ends: (first: ByteText, last: ByteText)?

  /// The name of `key`.
  init(_ key: Key) {
    var pattern: [UInt8] = []
    var first: ByteText?
    var last: ByteText?
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
        let text = ByteText(String(decoding: word.map { $0 | 0x20 }, as: UTF8.self))
        if first == nil { first = text }
        last = text
      }
    }
    self.pattern = pattern
    if let first, let last { ends = (first, last) } else { ends = nil }
  }

  /// Whether `part` is a number in hexadecimal, or another id: eight characters or more with digits among
  /// letters.
  private static func isID(_ part: ArraySlice<UInt8>) -> Bool {
    guard part.count >= 8 else { return false }
    let digits = part.count { $0.isDigit }
    let isHexadecimal = part.allSatisfy { $0.isDigit || (0x61...0x66).contains($0 | 0x20) }
    return isHexadecimal && digits > 0 || digits * 4 >= part.count
  }

  /// The words of `part`: runs of digits, and of letters up to the next capital after a small one.
  private static func words(_ part: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var start = part.startIndex
    for index in part.indices.dropFirst() {
      let (before, byte) = (part[index - 1], part[index])
      let isNew = before.isDigit != byte.isDigit || byte.isCapital && !before.isCapital
      if isNew {
        words.append(part[start..<index])
        start = index
      }
    }
    words.append(part[start...])
    return words
  }

  /// How much likelier the name makes each group: programmers name truth values by questions and
  /// participles, numbers and texts by what they are, lists in plural.
  var custom: GroupWeights {
    var custom = GroupWeights(1)
    guard let (first, last) = ends else { return custom }
    if Self.questions.contains(first) {
      custom[.bool] = 40
    } else if let group = Self.nouns[last] {
      custom[group] = 40
    } else if Self.isParticiple(last.text), first != ByteText("last") {
      custom[.bool] = 40
    } else if Self.isPlural(last.text) {
      for group in TypeGroup.allCases where group.isList { custom[group] = 8 }
    }
    return custom
  }

  private static func isParticiple(_ word: String) -> Bool {
    word.utf8.count > 4 && word.hasSuffix("ed")
  }

  private static func isPlural(_ word: String) -> Bool {
    word.utf8.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("us")
  }

  private static let questions = Set(
    [
      "is", "has", "had", "should", "can", "show", "shown", "hide", "enable", "disable", "allow",
      "use", "did", "was", "need", "needs", "auto", "skip", "dont",
    ].map(ByteText.init))

  private static let nouns: [ByteText: TypeGroup] = {
    let words: [(TypeGroup, String)] = [
      (
        .bool, "enable disable done seen shown visible hidden active flag switch toggle on off read"
      ),
      (.bool, "valid ready logged login agree allow dark night vip only"),
      (
        .integer,
        """
        count counter num number times total index idx position pos version level size width height \
        age day days hour hours minute minutes second seconds ms timestamp time ts at interval \
        duration timeout limit max min offset page step steps score progress attempts retries retry \
        launches visits sessions unread badge coins points streak priority port quality color code id
        """
      ),
      (
        .string,
        """
        name title text token url uri path email mail phone address locale language lang country \
        city region key uuid guid json message msg note draft bio avatar nickname username password \
        description desc channel model theme host domain agent cookie nonce label currency query \
        link account
        """
      ),
      (.texts, "ids tags list history recents names favorites items users words urls"),
      (.bytes, "blob data bytes image thumbnail icon salt iv payload cache bin proto"),
      (.double, "price ratio lat lng lon latitude longitude"),
      (.float, "opacity alpha brightness zoom scale"),
    ]
    var nouns: [ByteText: TypeGroup] = [:]
    for (group, text) in words {
      for word in text.split(separator: " ") { nouns[ByteText(String(word))] = group }
    }
    return nouns
  }()
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isCapital: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  /// Whether this is part of a word, in ASCII or beyond.
  fileprivate var isNameByte: Bool {
    isDigit || isCapital || self >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
  }
}
