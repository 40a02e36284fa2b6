/// Text folded between words, for the lines of a terminal.
package enum FoldedText {
  /// Returns the lines of `text`, none longer than `width` if its words allow; all but the first
  /// are indented by `margin` more.
  ///
  /// A longer word has a line of its own. Color sequences take no room.
  package static func lines(of text: String, width: Int, margin: Int = 4) -> [String] {
    guard count(of: text) > width else { return [text] }
    let indent = String(text.prefix { $0 == " " })
    let next = indent + String(repeating: " ", count: margin)
    var lines: [String] = []
    var line = indent
    var length = indent.count
    var isEmpty = true
    for word in text.dropFirst(indent.count).split(
      separator: " ", omittingEmptySubsequences: false)
    {
      let wordLength = count(of: word)
      if !isEmpty, length + 1 + wordLength > width {
        lines.append(line)
        (line, length, isEmpty) = (next, next.count, true)
      }
      line += (isEmpty ? "" : " ") + word
      length += (isEmpty ? 0 : 1) + wordLength
      isEmpty = false
    }
    return lines + [line]
  }

  /// Returns the number of visible characters of `text`.
  static func count(of text: some StringProtocol) -> Int {
    var count = 0
    var isColor = false
    for character in text {
      if character == "\u{1b}" {
        isColor = true
      } else if isColor {
        isColor = character != "m"
      } else {
        count += 1
      }
    }
    return count
  }
}
