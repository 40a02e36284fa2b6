import KVModel

/// What the words of a key's name suggest about its type: programmers name truth values by questions and
/// participles, numbers and texts by what they are, lists in plural.
///
/// The words are data, ``NameWords``: those that several apps use. The weights of a name are
/// those of its words, added.
enum NameHints {
  /// How much likelier each group is for a key whose name has these words, in small letters.
  static func weights(of words: [ByteText]) -> GroupWeights {
    guard let last = words.last else { return GroupWeights(1) }
    var halves = halves(of: last, in: atEnd)
    if words.count > 1 {
      halves = halves + self.halves(of: words[0], in: atStart)
      for word in Set(words.dropFirst().dropLast()) {
        halves = halves + self.halves(of: word, in: inside)
      }
      // The last time that something was seen is no question: of 134 names that begin so, 4 are truth values.
      if words[0] == ByteText("last") { halves[.bool] = min(halves[.bool], 0) }
    }
    return GroupWeights { group in
      // The square root of 2 to this power.
      let half = Int(halves[group])
      let root = half % 2 == 0 ? 1 : 2.squareRoot()
      return Double(sign: .plus, exponent: (half - (half & 1)) / 2, significand: root)
    }
  }

  /// What words weigh, in halves of a bit.
  private typealias Table = [ByteText: GroupWeights]

  private static func halves(of word: ByteText, in table: Table) -> GroupWeights {
    let own = table[word] ?? GroupWeights(0)
    guard let form = form(of: word), let shared = table[form] else { return own }
    return own + shared
  }

  /// The form that `word` has in common with others, if any.
  private static func form(of word: ByteText) -> ByteText? {
    let text = word.text
    let count = text.utf8.count
    if count > 4, text.hasPrefix("is"), !exceptions.contains(word) { return ByteText("is-") }
    if count > 4, text.hasSuffix("ed") { return ByteText("-ed") }
    if count > 5, text.hasSuffix("ing") { return ByteText("-ing") }
    if count > 5, text.hasSuffix("able") || text.hasSuffix("ible") { return ByteText("-able") }
    if count > 5, text.hasSuffix("ion") { return ByteText("-ion") }
    let isPlural = text.hasSuffix("s") && !text.hasSuffix("ss") && !text.hasSuffix("us")
    return count > 3 && isPlural ? ByteText("-s") : nil
  }

  // MARK: The words

  /// Words that say what a name is the name of, and not what the value is.
  static let generic = set(
    """
    key pref prefs preference preferences setting settings sp mmkv kv app my user m k config cfg \
    val value v com org net android ios application
    """)

  /// Words before `key` that make it the value: an API key is a text.
  static let credentials = set(
    "api secret public private encrypt encryption access auth device license")

  /// Words that begin like a question without a capital, `islogin`.
  private static let exceptions = set(
    "island islands issue issues issued issuer isolation isolated")

  private static let atStart = table(
    NameWords.first, [(.float, 9, "float f"), (.double, 9, "double d")])
  private static let inside = table(NameWords.inside, [])
  private static let atEnd = table(
    NameWords.last,
    [
      (.bytes, 10, "blob data bytes image thumbnail icon salt iv payload cache bin proto"),
      (.double, 10, "price ratio lat lng lon latitude longitude"),
      (.float, 10, "opacity alpha brightness zoom scale"),
    ])

  /// The words of `learned`, and `others` for types that settings seldom have; in halves of a bit.
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

  /// The groups of the weights of ``NameWords``, in order.
  private static let groups: [TypeGroup] = [.bool, .integer, .string, .texts]

  private static func set(_ words: String) -> Set<ByteText> {
    Set(words.split(separator: " ").map { ByteText(String($0)) })
  }
}
