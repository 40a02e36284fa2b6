import KVReport
import Testing

/// Folding lines that are longer than a terminal is wide.
@Suite struct FoldedTextTests {
  @Test func aShortLineStaysAsItIs() {
    #expect(FoldedText.lines(of: "  a  b ", width: 7) == ["  a  b "])
  }

  @Test func wordsAreNotDivided() {
    #expect(
      FoldedText.lines(of: "one two three four", width: 9)
        == ["one two", "    three", "    four"])
    #expect(
      FoldedText.lines(of: "  one two three", width: 9, margin: 2)
        == ["  one two", "    three"])
    #expect(FoldedText.lines(of: "a wonderful b", width: 4, margin: 0) == ["a", "wonderful", "b"])
  }

  @Test func colorsTakeNoRoom() {
    let red = "\u{1b}[31mred\u{1b}[0m"
    #expect(FoldedText.lines(of: "\(red) and \(red)", width: 11) == ["\(red) and \(red)"])
    #expect(FoldedText.lines(of: "\(red) and \(red)", width: 10) == ["\(red) and", "    \(red)"])
  }

  @Test func theLastColumnOfATableIsFolded() {
    var table = Columns(["name", "text"])
    table.add(["a", "some words that are too many for the line"])
    #expect(table.lines == ["name  text", "a     some words that are too many for the line"])
    #expect(
      table.blocks(width: 31) == [
        ["name  text"],
        ["a     some words that are too", "      many for the line"],
      ])
  }

  @Test func aLastColumnWithoutRoomGoesToTheNextLine() {
    var table = Columns(["a long name of a row", "text"])
    table.add(["a", "some words that are too many for it"])
    table.add(["b", "few"])
    #expect(
      table.blocks(width: 30) == [
        ["a long name of a row  text"], ["a", "    some words that are too", "    many for it"],
        ["b" + String(repeating: " ", count: 21) + "few"],
      ])
  }
}
