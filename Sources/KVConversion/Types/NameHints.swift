import KVModel

/// The types that the words of a key's name suggest.
///
/// Programmers name Booleans with questions and participles, numbers and text after what they are,
/// and lists in the plural. ``NameWords`` has the words that several apps use, with their weights.
/// The weights of a name are the sums of those of its words.
enum NameHints {
  /// Returns how much likelier each group is for a key whose name has these words, which are in
  /// lowercase.
  static func weights(of words: [ByteText]) -> GroupWeights {
    guard let last = words.last else { return GroupWeights(1) }
    var halves = halves(of: last, in: atEnd)
    if words.count > 1 {
      halves = halves + self.halves(of: words[0], in: atStart)
      for word in Set(words.dropFirst().dropLast()) {
        halves = halves + self.halves(of: word, in: inside)
      }
      // A name such as `lastSeen` is a time and not a question: of 134 names that begin with
      // `last`, 4 are of Booleans.
      if words[0] == ByteText("last") { halves[.bool] = min(halves[.bool], 0) }
    }
    return GroupWeights { group in
      // The weight is the square root of 2 to the power of `half`.
      let half = Int(halves[group])
      let root = half % 2 == 0 ? 1 : 2.squareRoot()
      return Double(sign: .plus, exponent: (half - (half & 1)) / 2, significand: root)
    }
  }

  /// The weights of words, in half bits.
  private typealias Table = [ByteText: GroupWeights]

  private static func halves(of word: ByteText, in table: Table) -> GroupWeights {
    let own = table[word] ?? GroupWeights(0)
    guard let form = form(of: word), let shared = table[form] else { return own }
    return own + shared
  }

  /// Returns the form that `word` shares with others, such as `-ed`; `nil` if it has none.
  private static func form(of word: ByteText) -> ByteText? {
    let text = word.text
    let count = text.utf8.count
    if count > 4, text.hasPrefix("is"), !exceptions.contains(word) { return ByteText("is-") }
    if count > 4, text.hasSuffix("ed") { return ByteText("-ed") }
    if count > 5, text.hasSuffix("ing"), !nouns.contains(word) { return ByteText("-ing") }
    if count > 5, text.hasSuffix("able") || text.hasSuffix("ible") { return ByteText("-able") }
    if count > 5, text.hasSuffix("ion") { return ByteText("-ion") }
    let isPlural = text.hasSuffix("s") && !text.hasSuffix("ss") && !text.hasSuffix("us")
    return count > 3 && isPlural ? ByteText("-s") : nil
  }

  // MARK: The words

  /// Words that say nothing about the value, such as the name of the app or of its library.
  static let generic = set(
    """
    key pref prefs preference preferences setting settings sp mmkv kv app my user m k config cfg \
    val value v com org net android ios application
    """)

  /// Words after which `key` is the value itself: an API key is text.
  static let credentials = set(
    "api secret public private encrypt encryption access auth device license")

  /// Words that begin with `is` but are no questions, unlike `islogin`.
  private static let exceptions = set(
    "island islands issue issues issued issuer isolation isolated")

  /// Words that end in `ing` but are no participles.
  private static let nouns = set(
    "string spring evening morning building ceiling sibling nothing anything something everything")

  private static let atStart = table(
    NameWords.first, [(.float, 9, "float f"), (.double, 9, "double d")])
  private static let inside = table(NameWords.inside, [])
  private static let atEnd = table(
    NameWords.last,
    [
      (.string, 11, "string"),
      (.bytes, 10, "blob data bytes image thumbnail icon salt iv payload cache bin proto"),
      (.double, 10, "price ratio lat lng lon latitude longitude"),
      (.float, 10, "opacity alpha brightness zoom scale"),
    ])

  /// Returns a table of the words in `learned`, and of `others` for types that settings seldom
  /// have; their weights are in half bits.
  private static func table(
    _ learned: String, _ others: [(group: TypeGroup, halves: Double, words: String)]
  ) -> Table {
    var table: Table = [:]
    for entry in learned.split(separator: " ") {
      let parts = entry.split(separator: ":")
      guard parts.count == 2 else { continue }
      var halves = GroupWeights(0)
      for (group, number) in zip(groups, parts[1].split(separator: ",")) {
        halves[group] = Double(number) ?? 0
      }
      table[ByteText(String(parts[0]))] = halves
    }
    for row in others {
      for word in set(row.words) { table[word, default: GroupWeights(0)][row.group] = row.halves }
    }
    return table
  }

  /// The groups that the weights in ``NameWords`` are for, in order.
  private static let groups: [TypeGroup] = [.bool, .integer, .string, .texts]

  /// Returns the words of `words`, which spaces separate.
  static func set(_ words: String) -> Set<ByteText> {
    Set(words.split(separator: " ").map { ByteText(String($0)) })
  }
}
