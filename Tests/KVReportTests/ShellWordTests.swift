import KVReport
import SystemPackage
import Testing

/// Quoting paths for pasting into a shell.
@Suite struct ShellWordTests {
  @Test func aQuoteIsQuotedThoughItIsOneCharacterWithAnAccent() {
    #expect(ShellWord.text("a'b c") == #"'a'\''b c'"#)
    let word = ShellWord.text("a'\u{301};b c")
    #expect(Array(word.utf8) == Array("'a'\\''\u{301};b c'".utf8))
  }
}
