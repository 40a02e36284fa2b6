import ExchangeFormats
import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// The texts in which Flutter's shared_preferences keeps doubles and lists.
struct FlutterValueTests {
  private let format = SharedPreferencesFormat()
  private let double = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBEb3VibGUu"
  private let integer = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBCaWdJbnRlZ2Vy"
  private let list = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBhIGxpc3Qu"
  /// What Java 17 wrote of the list "a", "héllo 😀" with a space and U+0000, and "".
  private let java =
    "rO0ABXNyABNqYXZhLnV0aWwuQXJyYXlMaXN0eIHSHZnHYZ0DAAFJAARzaXpleHAAAAADdwQAAAADdAABYXQAEGjDqWxsbyDt"
    + "oL3tuIAgwIB0AAB4"

  private func value(_ text: String, of key: String = "flutter.k") throws -> Value? {
    let xml = "<map><string name=\"\(key)\">\(XMLText.escaped(text))</string></map>"
    return format.table(Array(xml.utf8)).entries.first?.value
  }

  @Test func valuesAreReadAsFlutterReadsThem() throws {
    #expect(try value(double + "1.5E300") == .double(1.5e300))
    #expect(try value(double + "NaN")?.isSame(as: .double(.nan)) == true)
    #expect(try value(integer + "-zz") == .int64(-1295))
    #expect(try value(list + "![\"a\",\"\\u00e9\"]") == .list(.string(["a", "é"])))
    let strings = Value.list(.string(["a", "héllo 😀 \0", ""]))
    #expect(try value(list + java) == strings)
    // Android breaks Base64 into lines.
    #expect(try value(list + java.prefix(76) + "\n" + java.dropFirst(76) + "\n") == strings)
    // The same string twice: the second is a reference.
    let twice =
      "rO0ABXNyABNqYXZhLnV0aWwuQXJyYXlMaXN0eIHSHZnHYZ0DAAFJAARzaXpleHAAAAACdwQAAAACdAAEc2FtZXEAfgACeA=="
    #expect(try value(list + twice) == .list(.string(["same", "same"])))
  }

  @Test func anythingElseIsAText() throws {
    for text in [
      double + "x", double, integer + "!", list + "![1]", list + "![\"a\"", list + "AAAA",
      list + java.prefix(100),
    ] {
      #expect(try value(String(text)) == .string(String(text)))
    }
    #expect(try value(double + "1.5", of: "k") == .string(double + "1.5"))
  }

  @Test func aListIsWrittenAsJavaWritesIt() throws {
    let strings = Value.list(.string(["a", "héllo 😀 \0", ""]))
    let entries = [
      TypedEntry(key: Key(Array("flutter.l".utf8)), value: strings),
      TypedEntry(key: Key(Array("flutter.d".utf8)), value: .double(0.1)),
    ]
    let bytes = try FormatContract.expectRoundTrip(format, entries)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(list + java.prefix(76) + "\n" + java.dropFirst(76) + "\n</string>"))
    #expect(text.contains(double + "0.1</string>"))
  }

  @Test func listsOfAnyLengthComeBack() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    var entries: [TypedEntry] = []
    for number in 0..<40 {
      let count = Int.random(in: 0...5, using: &random)
      let strings = (0..<count).map { _ in
        String(
          repeating: ["x", "é", "😀", "\u{800}"].randomElement(using: &random) ?? "",
          count: [0, 1, 30, 70_000].randomElement(using: &random) ?? 0)
      }
      entries.append(
        TypedEntry(key: Key(Array("flutter.\(number)".utf8)), value: .list(.string(strings))))
    }
    _ = try FormatContract.expectRoundTrip(format, entries)
  }

  /// Tests that a changed byte in a list traps nothing.
  @Test func damagedListsAreTexts() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    for _ in 0..<2000 {
      var bytes = Array(java.utf8)
      let index = Int.random(in: bytes.indices, using: &random)
      bytes[index] = Array("ABCDwxyz0189+/".utf8).randomElement(using: &random) ?? 0
      _ = try value(list + String(decoding: bytes, as: UTF8.self))
    }
  }
}
