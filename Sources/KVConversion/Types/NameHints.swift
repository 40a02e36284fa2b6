import KVModel

/// What the words of a key's name suggest about its type: programmers name truth values by questions and
/// participles, numbers and texts by what they are, lists in plural.
///
/// The words are data: English, general, and none of a certain app. Each weight says how much likelier the
/// word makes a type for the values that it matters for, `00` and `01`; they are rounded from the names of
/// settings in the source of public apps; those of other apps were kept aside to measure with.
enum NameHints {
  /// Where a word stands in the name.
  private enum Place { case first, inside, last }

  /// How much likelier each group is for a key whose name has these words, in small letters.
  static func weights(of words: [ByteText]) -> GroupWeights {
    var weights = GroupWeights(1)
    guard let first = words.first, let last = words.last else { return weights }
    // A question is one of a truth value, whatever it is about: showUnreadCount. But a number of times
    // is one: skipCount.
    if words.count > 1, questions.contains(first) || isJoinedQuestion(first),
      topics.contains(first) || !isNumber(last)
    {
      weights[.bool] = 40
      return weights
    }
    func add(_ hints: [Hint]?) {
      for hint in hints ?? [] { weights[hint.group] *= hint.weight }
    }
    if words.count > 1 { add(table[.first]?[first]) }
    // The last time that something was seen is no question: lastSeen.
    let isTime = first == ByteText("last")
    let known = table[.last]?[last]?.filter { !isTime || $0.group != .bool }
    add(known)
    if words.count > 1, isParticiple(first.text), table[.first]?[first] == nil {
      weights[.bool] *= 3
    }
    if known == nil, isParticiple(last.text), !isTime {
      weights[.bool] *= 30
    } else if known == nil, isJoinedQuestion(last) {
      weights[.bool] *= 10
    } else if known == nil, isPlural(last.text) {
      weights[.bool] *= 2
      for group in TypeGroup.allCases where group.isList { weights[group] *= 3 }
    }
    addInside(words, to: &weights)
    return weights
  }

  /// The words between the first and the last: one hint for each group.
  private static func addInside(_ words: [ByteText], to weights: inout GroupWeights) {
    guard words.count > 2, let last = words.last else { return }
    let inner = words.dropFirst().dropLast()
    // What is counted or timed is a number, whatever the sentence is about: timesShownOnStart; but what
    // is shown of it is a question: libraryShowUpdatesCount.
    if isNumber(last), !inner.dropLast().contains(where: { topics.contains($0) }) { return }
    var seen: Set<TypeGroup> = []
    for word in inner {
      for hint in table[.inside]?[word] ?? [] where seen.insert(hint.group).inserted {
        weights[hint.group] *= hint.weight
        if isNumber(last), topics.contains(word) { weights[hint.group] *= 40 }
      }
    }
  }

  /// Whether `word` is a question without a capital: islogin.
  private static func isJoinedQuestion(_ word: ByteText) -> Bool {
    word.text.hasPrefix("is") && word.text.utf8.count > 4 && !exceptions.contains(word)
  }

  private static func isNumber(_ word: ByteText) -> Bool {
    table[.last]?[word]?.contains { $0.group == .integer && $0.weight >= 60 } == true
  }

  private static func isParticiple(_ word: String) -> Bool {
    word.utf8.count > 4 && word.hasSuffix("ed")
  }

  private static func isPlural(_ word: String) -> Bool {
    word.utf8.count > 3 && word.hasSuffix("s") && !word.hasSuffix("ss") && !word.hasSuffix("us")
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

  /// Words with which a name is a question or an order.
  private static let questions = set(
    """
    is are has have had should can could will would was were did do does need needs must may show hide \
    enable disable allow use skip ignore force ask confirm keep prefer require display suggest remember \
    mute prevent block always never dont include exclude respect invert want apply warn remind notify \
    accept agree opt highlight blur animate change match strip verify detect
    """)

  /// Those of them that are one also before a number: `showCount`.
  private static let topics = set("show hide enable disable use allow is has should can display")

  /// Words that begin like a question.
  private static let exceptions = set(
    "island islands issue issues issued issuer isolation isolated")

  private struct Hint {
    let group: TypeGroup
    let weight: Double
  }

  /// Words, by where they stand, and what they make likelier.
  private static let table: [Place: [ByteText: [Hint]]] = {
    var table: [Place: [ByteText: [Hint]]] = [:]
    for row in rows {
      for word in set(row.words) {
        table[row.place, default: [:]][word, default: []].append(
          Hint(group: row.group, weight: row.weight))
      }
    }
    return table
  }()

  private static let rows: [(place: Place, group: TypeGroup, weight: Double, words: String)] = [
    (
      .first, .bool, 6,
      """
      open close play start stop add load save reset share delete remove clear lock support report send \
      receive follow merge restore reduce increase swap separate sync edit detailed fix fit
      """
    ),
    (.first, .bool, 3, "auto automatic automatically"),
    (.first, .bool, 15, "dark night incognito developer debug safe silent offline"),
    // The type itself, as a prefix, and the prefixes of Hungarian notation.
    (.first, .bool, 100, "bool boolean"), (.first, .integer, 100, "int integer long"),
    (.first, .string, 100, "string str"), (.first, .float, 100, "float"),
    (.first, .double, 100, "double"),
    (.first, .bool, 20, "b"), (.first, .integer, 20, "n i l"), (.first, .string, 20, "s"),
    (.first, .float, 20, "f"), (.first, .double, 20, "d"),
    (.first, .integer, 40, "last max min num total times"),
    (.first, .integer, 12, "selected current latest next count"), (.first, .integer, 8, "default"),
    (.first, .string, 8, "last"), (.first, .string, 6, "default custom"),
    (.first, .string, 3, "selected current latest"),

    (
      .inside, .bool, 10,
      "is has should can show hide enable disable enabled disabled allow use skip"
    ),
    (.inside, .bool, 10, "ignore force ask always never"),
    (
      .inside, .bool, 4,
      "on in to by with when while before after for from as not without if only at"
    ),
    (.inside, .bool, 15, "dark night incognito developer debug safe silent offline"),
    (.inside, .integer, 6, "days hours minutes seconds count number times"),

    (
      .last, .bool, 15,
      """
      enable disable shown visible active flag switch toggle off ready login agree dark night vip first \
      run onboarding guide tutorial intro tip hint promo banner badge menu button buttons bar vibrate \
      vibration haptic haptics sync confirmation fullscreen open visibility again optin consent privacy \
      mute notifications analytics
      """
    ),
    (.last, .bool, 40, "enabled disabled done seen hidden valid on only read"),
    (
      .last, .integer, 100,
      """
      count counter cnt timestamp time ts ms millis at interval duration timeout second seconds minute \
      minutes hour hours day days since until expiry expires expiration index idx version code attempts \
      retries launches visits impressions age year month week
      """
    ),
    (
      .last, .integer, 40,
      """
      num number times total level lvl width height length size limit max min offset step steps score \
      progress retry opens sessions runs coins points streak priority port quality color colour speed delay \
      gender tab rating stars volume percent angle distance threshold amount balance quantity build dp px \
      pixels padding margin radius frequency period rate bitrate seq x y column columns row rows threads \
      sensitivity seed sum option type
      """
    ),
    (.last, .integer, 60, "id"), (.last, .string, 60, "id"), (.last, .integer, 25, "theme"),
    (.last, .integer, 15, "style order orientation position pos"),
    (.last, .integer, 10, "action date"), (.last, .integer, 6, "unread page provider sort"),
    (.last, .integer, 8, "mode"), (.last, .integer, 3, "state status"),
    (
      .last, .string, 40,
      """
      token path email mail phone locale language lang uuid guid password pwd passwd nickname nick \
      username hash signature description desc version country folder directory format theme key
      """
    ),
    (
      .last, .string, 20,
      """
      name title text url uri address city region json message msg note draft bio avatar model host \
      domain agent cookie nonce label currency query link secret dir file encoding variant pattern prefix \
      suffix payload profile source birthday identifier type font code
      """
    ),
    (.last, .string, 10, "action date style order sort"),
    (
      .last, .string, 6,
      "info session server channel account category location filter client position"
    ),
    (.last, .string, 6, "mode error behavior behaviour tag"), (.last, .string, 2, "state status"),
    (
      .last, .texts, 100,
      """
      ids tags list recents names favorites favourites words languages categories
      """
    ),
    (.last, .texts, 20, "bookmarks users urls topics accounts sources items"),
    (.last, .bytes, 40, "blob data bytes image thumbnail icon salt iv payload cache bin proto"),
    (.last, .double, 40, "price ratio lat lng lon latitude longitude"),
    (.last, .float, 40, "opacity alpha brightness zoom scale"),
  ]

  private static func set(_ words: String) -> Set<ByteText> {
    Set(words.split(separator: " ").map { ByteText(String($0)) })
  }
}
