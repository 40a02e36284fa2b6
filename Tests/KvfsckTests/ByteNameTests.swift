#if os(Linux)
  import Foundation
  import Testing

  /// File names that are not UTF-8, in written and in printed output.
  struct ByteNameTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a script in the test's folder, in which `$name` is `k` and the byte 0xff.
    private func run(_ script: String, _ arguments: [String] = []) async throws -> Outcome {
      try await Tool.shell(
        "name=$(printf 'k\\377'); \(script)", arguments, in: scratch.path)
    }

    /// Returns the names in the test's folder, with `\377` for the byte 0xff.
    private func names(_ folder: String = ".") async throws -> [String] {
      try await run("LC_ALL=C ls -1 --quoting-style=escape \(folder)").lines.map(String.init)
    }

    @Test func aKeptFolderHasTheNameThatWasGiven() async throws {
      _ = try scratch.write(Array("string a b\n".utf8), to: "script")
      let outcome = try await run(
        #""$0" fixture crashes script --keep "$name"; code=$?; rm script; exit $code"#)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(try await names() == [#"k\377"#])
    }

    @Test func whatAScriptMakesIsListedByItsName() async throws {
      _ = try scratch.write(Array("string a b\n".utf8), to: "script")
      let outcome = try await run(#""$0" fixture make script --out "$name""#)
      let wrote = outcome.lines.filter { $0.hasPrefix("Wrote ") }
      #expect(!wrote.isEmpty && wrote.allSatisfy { $0.hasPrefix(#"Wrote k\xff/"#) }, "\(wrote)")
      for option in ["--out", "--out new --expected"] {
        let empty = try await run("\"$0\" fixture make script \(option) ''")
        #expect(empty.status == 16, "\(empty.testDescription)")
      }
    }

    @Test func aValueAfterAnEqualsSignKeepsItsBytes() async throws {
      let outcome = try await run(#""$0" repair -y "$1/kv" --out="$name""#, [Fixture.lossy.path])
      #expect(outcome.status == 5, "\(outcome.testDescription)")
      #expect(try await names() == [#"k\377"#])
    }

    @Test func argumentsThatReadAlikeAreRefused() async throws {
      let outcome = try await run(#""$0" check "$name" 'k\xff'"#)
      #expect(outcome.status == 16, "\(outcome.testDescription)")
      let twice = try await run(
        #"cp -r "$1" "$name"; "$0" check "$name" "$name""#, [Fixture.clean.path])
      #expect(twice.status == 0, "\(twice.testDescription)")
    }

    @Test func aRepairedStoreKeepsItsName() async throws {
      let copied = try await run(
        #"mkdir in; for end in '' .crc; do cp "$1/kv$end" "in/$name$end"; done"#,
        [Fixture.lossy.path])
      #expect(copied.status == 0)
      let outcome = try await run(#""$0" repair -y --min-confidence 0.98 "in/$name" --out new"#)
      #expect(outcome.status == 5, "\(outcome.testDescription)")
      #expect(
        try await names("new") == [#"k\377"#, #"k\377.crc"#, #"k\377.lost-and-found.jsonl"#])
      #expect(outcome.output.contains(#"Wrote new/k\xff, "#))
    }

    /// Tests that every line with a path has its bytes too.
    @Test func programsGetTheBytesOfEachPath() async throws {
      let made = try await run(
        #"""
        mkdir -p "app/$name"
        for end in '' .crc; do cp "$1/kv$end" "app/$name/$name$end"; done
        """#, [Fixture.lossy.path])
      #expect(made.status == 0)
      let digits = { (path: String) in
        Array(path.utf8).map { $0 == UInt8(ascii: "?") ? 0xff : $0 }
          .map { (byte: UInt8) in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
      }
      for (command, lines) in [
        ("repair -y app/\"$name\" --out new --json", ["written": "new/k?"]),
        ("convert \"app/$name/missing\" --to json --out x --json", ["failure": "app/k?/missing"]),
      ] {
        let outcome = try await run("\"$0\" \(command)")
        for (type, start) in lines {
          let paths = try outcome.objects(type).map { $0["path_hex"]?.string ?? "" }
          #expect(
            !paths.isEmpty && paths.allSatisfy { $0.hasPrefix(digits(start)) },
            "\(type): \(outcome.testDescription)")
        }
      }
      let converted = try await run(#""$0" convert app --resume --to json --out json --json"#)
      let line = try #require(try converted.objects("conversion").first)
      #expect(line["path_hex"]?.string == digits("app/k?/k?"), "\(converted.testDescription)")
      let new = line["paths_hex"]?.array?.compactMap(\.string) ?? []
      #expect(new.count == 1 && new.allSatisfy { $0.hasPrefix(digits("json/k?/k")) })
    }

    @Test func theStoresOfAFolderAreCheckedByTheirNames() async throws {
      let outcome = try await run(
        #"""
        mkdir -p "app/$name"
        for end in '' .crc; do cp "$1/kv$end" "app/$name/$name$end"; done
        "$0" check --json --junit junit.xml app
        """#, [Fixture.clean.path])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let junit = String(decoding: try scratch.bytes(of: "junit.xml"), as: UTF8.self)
      #expect(junit.contains(#"name="app/k\xff/k\xff""#) && junit.contains(#"errors="0""#))
    }

    @Test(arguments: [("json", ".json"), ("sqlite", ".sqlite"), ("mmkv", ".crc")])
    func convertedStoresKeepTheirNames(format: String, suffix: String) async throws {
      let converted = try await run(
        #"""
        mkdir in named
        for name in "$name" "$(printf 'k\376')" "$(printf 'k\357\277\275')"; do
          for end in '' .crc; do cp "$1/kv$end" "in/$name$end"; done
          "$0" convert --accept-bytes "in/$name" --to "$2" --out named || exit
        done
        convert="convert --accept-bytes in --out all --to"
        "$0" $convert "$2" && "$0" $convert "$2" --resume
        """#, [Fixture.clean.path, format])
      #expect(converted.status == 0, "\(converted.testDescription)")
      let expected = [#"k\357\277\275"#, #"k\376"#, #"k\377"#].map { $0 + suffix }
      for folder in ["named", "all"] {
        let names = try await names(folder).filter { $0.hasSuffix(suffix) }
        #expect(names.sorted() == expected, "\(folder): \(names)")
      }
    }

    @Test func theFolderOfTheStoreIsNamedByItsBytes() async throws {
      let outcome = try await run(
        #"cp -r "$1" "$name"; "$0" repair -y "$name/kv" --out "$name""#, [Fixture.lossy.path])
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains(#"k\xff is the folder of the store itself"#))
    }
  }
#endif
