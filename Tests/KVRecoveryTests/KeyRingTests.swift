import KVModel
import KVSystem
import SystemPackage
import Testing

/// Reading the keys of many stores from the lines of a file.
struct KeyRingTests {
  @Test(arguments: [
    ("user", "user", true), ("user", "a/user", true), ("user", "a.zip!user", true),
    ("user", "a/xuser", false), ("user", "a/user/x", false), ("user", "User", false),
    ("mmkv/*", "files/mmkv/user", true), ("mmkv/*", "files/mmkv/a/user", false),
    ("mmkv/**", "files/mmkv/a/user", true), ("**", "a/b", true), ("*", "a/b", true),
    ("com.app/**/user_?", "x.zip!com.app/files/mmkv/user_1", true),
    ("com.app/**/user_?", "x.zip!com.app/files/mmkv/user_12", false),
    ("x.zip!**", "x.zip!a/b", true), ("x.zip!**", "y.zip!a/b", false),
    ("/a/b", "/a/b", true), ("/a/b", "x//a/b", false), ("/a/**", "/a/b/c", true),
    ("a\\*b", "a*b", true), ("a\\*b", "axb", false), ("\\xff", "a/\\xff", true),
    ("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false), ("", "", true),
    ("caf?", "cafe\u{301}", false), ("caf*", "cafe\u{301}", true),
  ])
  func aPatternIsThatOfAPathOrItsEnd(_ pattern: String, _ path: String, _ isMatched: Bool) {
    #expect(PathPattern(Array(pattern.utf8)).matches(Array(path.utf8)) == isMatched)
  }

  private static func ring(_ text: String) throws(KeyRingError) -> KeyRing {
    try KeyRing(parsing: Array(text.utf8), named: "keys.txt") { name throws(FileError) in
      guard name == Array("k.bin".utf8) else {
        throw .empty(path: FilePath(String(decoding: name, as: UTF8.self)))
      }
      return [1, 2, 10]
    }
  }

  @Test func aLineHasAStoreAndItsKey() throws {
    let ring = try Self.ring(
      """
      \u{feff}# a comment
      text = some key \r

        hex=hex: 00fF
      file = file:k.bin
      a\\=b = c=d==
      plain =
      a/b:c = of an id
      * = rest
      """)
    func key(_ path: String, id: String? = nil) -> [UInt8]? {
      ring.choice(for: [FilePath(path)]) { $0 == id }.key
    }
    #expect(key("x/text") == Array("some key".utf8))
    #expect(key("hex") == [0, 0xff])
    #expect(key("file") == [1, 2, 10])
    #expect(key("a=b") == Array("c=d==".utf8))
    #expect(key("plain") == nil)
    #expect(ring.unusedLines == "keys.txt: no store matched lines 8, 9")
    #expect(key("0123", id: "a/b:c") == Array("of an id".utf8))
    #expect(key("other") == Array("rest".utf8))
    #expect(ring.unusedLines == nil)
  }

  @Test func theFirstLineThatMatchesCounts() throws {
    let ring = try Self.ring("b/* = 1\n**/user = 2\nuser = 3")
    #expect(ring.choice(for: ["a/b/user"]).key == Array("1".utf8))
    #expect(ring.choice(for: ["a/user"]).key == Array("2".utf8))
    #expect(ring.choice(for: ["user"]).key == Array("3".utf8))
    #expect(ring.choice(for: ["x"]).key == nil)
  }

  /// Tests that a message names an invalid line by its number.
  ///
  /// The line may contain a key, so messages do not repeat it.
  @Test(arguments: [
    ("secret", "no \"=\""), ("= secret", "there is no store before"),
    ("a = hex:secret", "hexadecimal"),
    ("a = file:other", "is empty"),
  ])
  func aLineThatMakesNoSenseIsNamedByItsNumber(_ line: String, _ reason: String) {
    let error = #expect(throws: KeyRingError.self) { try Self.ring("# first\n\(line)") }
    #expect(error?.message.hasPrefix("keys.txt, line 2: ") == true)
    #expect(error?.message.contains(reason) == true)
    #expect(error?.message.contains("secret") == false)
  }
}
