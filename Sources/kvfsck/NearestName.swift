/// A search for the name that was meant by a misspelled one.
enum NearestName {
  /// The largest number of wrong characters in a name that is suggested.
  private static let slips = 2
  /// The largest number of characters of a name in which only one may be wrong.
  private static let shortCount = 4
  /// The least number of characters by which a longer name is found.
  private static let leastPart = 3

  /// Returns the one of `names` most like `text`: one that contains it, or else the one with the
  /// fewest edits; "" if `names` is empty.
  static func of(_ text: String, among names: [String]) -> String {
    names.first { $0.contains(text) && !text.isEmpty }
      ?? names.min { changeCount(text, $0) < changeCount(text, $1) } ?? ""
  }

  /// Returns the one of `names` of which `text` is a misspelling; `nil` if there is none, or if
  /// `text` is one of them.
  static func meant(by text: String, among names: [String]) -> String? {
    let nearest = names.min { changeCount(text, $0) < changeCount(text, $1) }
    // Two wrong characters of four make another word.
    let limit = text.unicodeScalars.count <= shortCount ? 1 : slips
    return nearest.flatMap { (1...limit).contains(changeCount(text, $0)) ? $0 : nil }
  }

  /// Returns the one of `names` that `text` is a part or a misspelling of; `nil` if there is none.
  static func similar(to text: String, among names: [String]) -> String? {
    let isLong = text.unicodeScalars.count >= leastPart
    return names.first { isLong && $0.contains(text) } ?? meant(by: text, among: names)
  }

  /// Returns the number of characters that have to be inserted, removed, replaced or swapped with
  /// the next one to turn `first` into `second`.
  private static func changeCount(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
    var rows = [Array(0...second.count)]
    for index in first.indices {
      var row = [index + 1]
      for column in second.indices {
        let changed = rows[index][column] + (first[index] == second[column] ? 0 : 1)
        var least = min(changed, row[column] + 1, rows[index][column + 1] + 1)
        if index > 0, column > 0, first[index] == second[column - 1],
          first[index - 1] == second[column]
        {
          least = min(least, rows[index - 1][column - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}
