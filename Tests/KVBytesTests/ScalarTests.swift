import KVBytes
import Testing

@Suite struct ScalarTests {
  @Test("A scalar is replaced alone, and in a character with what is before or after it")
  func scalarsAreReplaced() {
    for (text, wanted) in [
      ("a\"b", "a\"\"b"), ("\"\u{301}", "\"\"\u{301}"), ("\u{600}\"", "\u{600}\"\""), ("", ""),
    ] {
      let replaced = text.replacing(scalar: "\"", with: "\"\"")
      #expect(Array(replaced.unicodeScalars) == Array(wanted.unicodeScalars))
    }
  }
}
