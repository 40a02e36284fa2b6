import KVFixtures

/// A random regular expression over a few letters.
struct RandomExpression {
  var text: String
  /// Whether it matches nothing at all somewhere.
  var canBeEmpty = false
  /// Whether it repeats what can be empty, on which engines disagree.
  var repeatsEmpty = false

  init(_ depth: Int, _ random: inout SeededGenerator) {
    let letters = [
      "a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\d", "é", "a-", "[\\W]", "[^\\W]", "[\\w ]",
      "[\\D1]",
    ]
    let places = ["^", "$", "\\b"]
    text = (letters + places).randomElement(using: &random) ?? "a"
    canBeEmpty = places.contains(text)
    guard depth > 0 else { return }
    let first = RandomExpression(depth - 1, &random)
    let second = RandomExpression(depth - 1, &random)
    repeatsEmpty = first.repeatsEmpty || second.repeatsEmpty
    canBeEmpty = first.canBeEmpty && second.canBeEmpty
    text = first.text + second.text
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2: break
    case 3:
      text = "(\(first.text)|\(second.text))"
      canBeEmpty = first.canBeEmpty || second.canBeEmpty
    case let kind:
      let sign = ["*", "+?", "{1,2}", "?"][kind - 4]
      text = "(?:\(first.text))\(sign)"
      repeatsEmpty = first.repeatsEmpty || first.canBeEmpty
      canBeEmpty = first.canBeEmpty || sign == "*" || sign == "?"
    }
  }
}
