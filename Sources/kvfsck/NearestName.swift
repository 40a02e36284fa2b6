/// A search for the name that was meant by a misspelled one.
enum NearestName {
  /// The largest number of wrong characters in a name that is suggested.
  private static let slips = 2
  /// The largest number of characters of a name in which only one may be wrong.
  private static let shortCount = 4
  /// The least number of characters by which a longer name is found.
  private static let leastPart = 3

  /// The largest number of wrong characters in a long name that is suggested, such as a URL.
  private static let longSlips = 8
  /// The number of characters of a name for each one that may be wrong.
  private static let charactersPerSlip = 2
  /// The largest number of characters that are looked for in longer names.
  private static let greatestPart = 200

  /// Returns the one of `names` most like `text`: one that contains it, or else the one with the
  /// fewest edits; `nil` if none is like it.
  ///
  /// - Complexity: O(*n*) for names of *n* characters in total.
  static func of(_ text: String, among names: [String]) -> String? {
    let count = text.unicodeScalars.count
    guard count > 0 else { return nil }
    if count <= greatestPart, let whole = names.first(where: { $0.contains(text) }) { return whole }
    return nearest(
      to: text, among: names, limit: max(slips, min(count / charactersPerSlip, longSlips)))?.name
  }

  /// Returns the one of `names` of which `text` is a misspelling; `nil` if there is none, or if
  /// `text` is one of them.
  static func meant(by text: String, among names: [String]) -> String? {
    // Two wrong characters of four make another word.
    let limit = text.unicodeScalars.count <= shortCount ? 1 : slips
    let nearest = nearest(to: text, among: names, limit: limit)
    return nearest.flatMap { $0.changeCount > 0 ? $0.name : nil }
  }

  /// Returns the one of `names` that `text` is a part or a misspelling of; `nil` if there is none.
  static func similar(to text: String, among names: [String]) -> String? {
    let isPart = (leastPart...greatestPart).contains(text.unicodeScalars.count)
    return names.first { isPart && $0.contains(text) } ?? meant(by: text, among: names)
  }

  /// Returns the first of the `names` with the fewest edits; `nil` if all have more than `limit`.
  private static func nearest(
    to text: String, among names: [String], limit: Int
  ) -> (name: String, changeCount: Int)? {
    let scalars = Array(text.unicodeScalars)
    var nearest: (name: String, changeCount: Int)?
    for name in names {
      let limit = nearest.map { $0.changeCount - 1 } ?? limit
      guard limit >= 0 else { break }
      if let count = changeCount(scalars, Array(name.unicodeScalars), limit: limit) {
        nearest = (name, count)
      }
    }
    return nearest
  }

  /// Returns the number of characters that have to be inserted, removed, replaced or swapped with
  /// the next one to turn `first` into `second`; `nil` if that is more than `limit`.
  ///
  /// Only as many columns on both sides of the diagonal count as there can be edits.
  private static func changeCount(
    _ first: [Unicode.Scalar], _ second: [Unicode.Scalar], limit: Int
  ) -> Int? {
    guard abs(first.count - second.count) <= limit else { return nil }
    let tooMany = limit + 1
    var last = (0...second.count).map { min($0, tooMany) }
    var (older, row) = (last, last)
    for index in first.indices {
      let start = max(0, index - limit)
      let end = min(second.count, index + limit + 1)
      // What the rows before have left beside the diagonal does not count.
      row[start] = start == 0 ? min(index + 1, tooMany) : tooMany
      if end < second.count { row[end + 1] = tooMany }
      var rowLeast = row[start]
      for column in start..<max(start, end) {
        let changed = last[column] + (first[index] == second[column] ? 0 : 1)
        var least = min(changed, row[column] + 1, last[column + 1] + 1)
        if index > 0, column > 0, first[index] == second[column - 1],
          first[index - 1] == second[column]
        {
          least = min(least, older[column - 1] + 1)
        }
        row[column + 1] = min(least, tooMany)
        rowLeast = min(rowLeast, row[column + 1])
      }
      if rowLeast > limit { return nil }
      (older, last, row) = (last, row, older)
    }
    return last[second.count] <= limit ? last[second.count] : nil
  }
}
