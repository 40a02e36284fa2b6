#if Encryption
  import Foundation
  import KVFixtures
  import KVTestSupport
  import Testing

  /// Keys of many stores, from files, standard input and the environment.
  ///
  /// No key is ever printed.
  struct KeyTests {
    private let scratch: Scratch

    /// The stores in ``scratch``.
    ///
    /// The key of the first store is the first half of ``longKey``, and that of the second is all
    /// of it.
    private static let stores = [
      (fixture: "aes128_key16", path: "com.first/mmkv/user"),
      (fixture: "aes256_key32", path: "com.second/mmkv/user"),
      (fixture: "all_types", path: "com.second/mmkv/plain"),
    ]
    private static let longKey = "0123456789abcdef0123456789ABCDEF"

    init() throws {
      scratch = try Scratch()
      let extraction = Extraction(in: scratch)
      for store in Self.stores {
        let path = store.path.split(separator: "/").map(String.init)
        try extraction.copy(
          "mmkv/golden/\(store.fixture)", (["tree"] + path.dropLast()).joined(separator: "/"),
          as: path.last ?? "")
      }
    }

    private func write(_ lines: String) throws {
      _ = try scratch.write(Array(lines.utf8), to: "keys.txt")
      _ = try scratch.write(Array(Self.longKey.utf8), to: "long.key")
    }

    @Test(arguments: [
      "30313233343536373839616263646566", "0x30313233343536373839616263646566",
      "0X30313233343536373839616263646566", "30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66",
      "30:31:32:33:34:35:36:37:38:39:61:62:63:64:65:66", "0x30 0x313233343536373839616263646566",
      " 30313233 34353637  38396162 63646566 ",
    ])
    func aKeyInHexadecimalIsTakenAsPeopleWriteIt(hex: String) async throws {
      let store = "tree/com.first/mmkv/user"
      let outcome = try await Tool.run(["check", "--key-hex", hex, store], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      try write("user = hex:\(hex)\n")
      let listed = try await Tool.run(["check", "--keys", "keys.txt", store], in: scratch.path)
      #expect(listed.status == 0, "\(listed.testDescription)")
    }

    /// Apps often pass the hexadecimal digits of a key as text, and an examiner takes them for bytes; or
    /// the other way round.
    @Test(arguments: [
      ("9f3c77aa01bb42d0e5f6a7b8c9d0e1f2", "--key-hex", "--key"),
      ("9F3C77AA01BB42D0E5F6A7B8C9D0E1F2", "--key-hex", "--key"),
      ("hex:9f3c77aa01bb42d0e5f6a7b8c9d0e1f2", "--key", "--key-hex"),
    ])
    func aKeyInTheOtherFormIsRecognized(key: String, given: String, right: String) async throws {
      let digits = key.split(separator: ":").last.map(String.init) ?? key
      let isHex = key.hasPrefix("hex:")
      let bytes =
        isHex
        ? stride(from: 0, to: 32, by: 2).compactMap { offset in
          UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        } : Array(digits.utf8)
      _ = try scratch.write(bytes, to: "app.key")
      _ = try scratch.write(Array(#"{"name":"some text","count":12345}"#.utf8), to: "plain.json")
      for size in ["--aes128", "--aes256"] {
        let made = try await Tool.run(
          [
            "convert", "plain.json", "--to", "mmkv", "--out", "new", "--rekey-file", "app.key",
            size,
          ],
          in: scratch.path)
        #expect(made.status == 0, "\(made.testDescription)")
        let outcome = try await Tool.run(["check", "new", given, digits, size], in: scratch.path)
        #expect(outcome.status == 8, "\(outcome.testDescription)")
        #expect(outcome.output.contains("the key fits as the"), "\(outcome.testDescription)")
        #expect(outcome.output.contains("use \(right)\n"), "\(outcome.testDescription)")
        let other = try await Tool.run(["check", "new", right, digits, size], in: scratch.path)
        #expect(other.status == 0, "\(other.testDescription)")
        let none = try await Tool.run(
          ["check", "new", given, String(digits.reversed()), size], in: scratch.path)
        #expect(none.status == 8 && !none.output.contains("the key fits"))
        for file in ["new", "new.crc"] {
          try FileManager.default.removeItem(atPath: scratch.path(file))
        }
      }
    }

    @Test(arguments: ["3", "0x3", "30 3 13", "30-31", "3g", "0x0x30"])
    func whatIsNotHexadecimalIsRefused(hex: String) async throws {
      let outcome = try await Tool.run(["check", "--key-hex", hex, "tree"], in: scratch.path)
      #expect(outcome.status == 16 && outcome.output == "")
    }

    @Test func aWrongKeyOfHexadecimalDigitsLeadsToTheOtherOption() async throws {
      let store = "tree/com.first/mmkv/user"
      for (key, isHex) in [("30313233", true), ("0x3031", true), ("303", false), ("secret", false)]
      {
        let outcome = try await Tool.run(["check", "--key", key, store], in: scratch.path)
        #expect(outcome.status == 8 && outcome.output.contains("mmkv.wrong-key"))
        let words = "If these are hexadecimal digits, use --key-hex"
        #expect(outcome.output.contains(words) == isHex, "\(outcome.output)")
      }
    }

    @Test func eachStoreOfAScanIsReadWithItsOwnKey() async throws {
      try write("com.first/**/user = 0123456789abcdef\n**/user = file:long.key\nnever = 1\n")
      let packed = try await Tool.run(
        "/bin/sh", ["-c", "tar cf a.tar tree && mv a.tar tree"], in: scratch.path)
      #expect(packed.status == 0)
      let outcome = try await Tool.run(
        ["scan", "tree", "--keys", "keys.txt"] + .clock, in: scratch.path)
      #expect(outcome.status == 0)
      let verdicts = try outcome.verdicts(after: "")
      let paths = Self.stores.map(\.path)
      #if Archives
        let expected = paths.map { "tree/\($0)" } + paths.map { "tree/a.tar!tree/\($0)" }
      #else
        let expected = paths.map { "tree/\($0)" }
      #endif
      for path in expected { #expect(verdicts[Array(path.utf8)] == "clean", "\(path)") }
      #expect(outcome.errors.contains("keys.txt: no store matched line 3"))
      #expect(!(outcome.output + outcome.errors).contains("0123456789"))
    }

    @Test(arguments: [
      ["check"], ["dump"], ["map"], ["get"], ["repair", "-y", "--out", "new"],
      ["convert", "--to", "json", "--out", "new.json"], ["compare"],
    ])
    func eachCommandTakesTheKeyOfTheStore(command: [String]) async throws {
      try write("com.first/** = 0123456789abcdef\n** = \(Self.longKey)\n")
      for store in Self.stores {
        var arguments = command + ["--keys", "keys.txt", "tree/\(store.path)"] + .clock
        if command == ["get"] {
          let dump = try await Tool.run(
            ["dump", "--json", "--keys", "keys.txt", "tree/\(store.path)"], in: scratch.path)
          arguments.append(
            "0x" + (try #require(try dump.objects("entry").first?["key_hex"]?.string)))
        }
        if command == ["compare"] { arguments.append("tree/com.second/mmkv/plain") }
        let outcome = try await Tool.run(arguments, in: scratch.path)
        #expect([0, 4].contains(outcome.status), "\(arguments): \(outcome.testDescription)")
        #expect(!outcome.output.contains("mmkv.wrong-key") && !outcome.output.isEmpty)
        for name in ["new", "new.json"] {
          try? FileManager.default.removeItem(atPath: scratch.path(name))
        }
      }
    }

    @Test func theLineThatGaveAWrongKeyIsSaidAndTheKeyIsNot() async throws {
      try write("# the second line\nuser = not the key\n")
      let wrong = try await Tool.run(
        ["check", "--keys", "keys.txt", "tree/com.first/mmkv/user"], in: scratch.path)
      #expect(wrong.status == 8)
      #expect(wrong.output.contains("mmkv.wrong-key"))
      #expect(wrong.output.contains("(the key is from keys.txt, line 2)"))
      #expect(!(wrong.output + wrong.errors).contains("not the key"))
      try write("other = not the key\n")
      let missing = try await Tool.run(
        ["check", "--keys", "keys.txt", "tree/com.first/mmkv/user"], in: scratch.path)
      #expect(missing.status == 8)
      #expect(missing.output.contains("(no line of keys.txt matches it)"))
      #expect(missing.output.contains("Add a line with the app's key: PATH = KEY"))
    }

    @Test func aFileOfKeysThatMakesNoSenseIsAnErrorThatNamesTheLine() async throws {
      for (lines, words) in [
        ("a = b\nsecret\n", "keys.txt, line 2"), ("a = file:missing\n", "missing: no such file"),
      ] {
        try write(lines)
        let outcome = try await Tool.run(["scan", "tree", "--keys", "keys.txt"], in: scratch.path)
        #expect(outcome.status == 8)
        #expect(outcome.errors.contains(words) && !outcome.errors.contains("secret"))
      }
    }

    @Test func aKeyComesFromStandardInputOrTheEnvironment() async throws {
      try write("user = 0123456789abcdef\n")
      _ = try scratch.write(Array("0123456789abcdef".utf8), to: "key")
      let store = "tree/com.first/mmkv/user"
      for script in [
        "\"$0\" check --key-file - \(store) < key", "\"$0\" check --keys - \(store) < keys.txt",
        "KVFSCK_KEY_FILE=key \"$0\" check \(store)",
        // An option takes precedence.
        "KVFSCK_KEY_FILE=missing \"$0\" check --key-file key \(store)",
        "KVFSCK_KEY_FILE= \"$0\" check --key-file key \(store)",
      ] {
        #expect(try await Tool.shell(script, in: scratch.path).status == 0, "\(script)")
      }
      let missing = try await Tool.shell(
        "KVFSCK_KEY_FILE=missing \"$0\" check \(store)", in: scratch.path)
      #expect(missing.status == 8)
      #expect(missing.errors.contains("KVFSCK_KEY_FILE: cannot read missing"))
    }

    @Test func standardInputIsEitherPathsOrAKey() async throws {
      for arguments in [
        ["scan", "-", "--key-file", "-"], ["scan", "--files0-from", "-", "--keys", "-"],
        ["check", "x", "--key-file", "a", "--keys", "b"],
      ] {
        #expect(try await Tool.run(arguments).status == 16, "\(arguments)")
      }
    }

    @Test func aKeyOfManyStoresIsNoObstacleForOneThatNeedsNone() async throws {
      let out = scratch.path("new")
      let store = "tree/com.second/mmkv/plain"
      try write("** = k\n")
      let repair = try await Tool.run(
        ["repair", "-y", "--json", "--keys", "keys.txt", store, "--out", out] + .clock,
        in: scratch.path)
      #expect(repair.status == 0 && repair.output.contains("mmkv.key-not-needed"))
      let again = try await Tool.run(["check", out] + .clock)
      #expect(again.status == 0 && !again.output.contains("encrypted"))
      // A key given for a single store that is not encrypted is refused.
      let check = try await Tool.run(["check", "--key", "k", store] + .clock, in: scratch.path)
      #expect(check.status == 8 && check.output.contains("mmkv.key-not-needed"))
    }

    /// Tests that a key is no obstacle for the one of several stores that needs none: the app turned
    /// encryption on between the two.
    @Test func aKeyIsForThoseOfSeveralStoresThatNeedIt() async throws {
      let plain = "tree/com.second/mmkv/plain"
      let made = try await Tool.run(
        ["repair", "-y", "--rekey", "k", plain, "--out", "secret"] + .clock, in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      for pair in [["secret", plain], [plain, "secret"]] {
        let compare = try await Tool.run(["compare", "--key", "k"] + pair, in: scratch.path)
        #expect(compare.status == 0, "\(compare.testDescription)")
        #expect(compare.output.contains("0 added, 0 removed, 0 changed"))
        let check = try await Tool.run(["check", "--key", "k"] + .clock + pair, in: scratch.path)
        #expect(check.status == 0 && check.output.contains("note: [mmkv.key-not-needed]"))
        let out = pair[0] == plain ? "one.json" : "two.json"
        let merged = try await Tool.run(
          ["convert", "--key", "k", "--on-conflict", "last", "--out", out] + .clock + pair,
          in: scratch.path)
        #expect(merged.status == 0, "\(merged.testDescription)")
        let wrong = try await Tool.run(["compare", "--key", "x"] + pair, in: scratch.path)
        #expect(wrong.status == 8 && wrong.errors.contains("wrong"), "\(wrong.testDescription)")
      }
    }

    @Test func aScanWithOneKeyReadsBothSizesOfAESAndStoresWithoutAKey() async throws {
      // MMKV uses the first 16 bytes of a key for AES-128.
      let outcome = try await Tool.run(
        ["scan", "tree", "--key", Self.longKey] + .clock, in: scratch.path)
      let verdicts = try outcome.verdicts(after: "")
      for store in Self.stores {
        #expect(verdicts[Array("tree/\(store.path)".utf8)] == "clean", "\(store.path)")
      }
      let objects = try outcome.objects("result")
      #expect(objects.allSatisfy { $0["lost_at_next_launch"]?.integer == 0 })
      let one = try await Tool.run(
        ["check", "--key", Self.longKey, "tree/com.second/mmkv/user"] + .clock, in: scratch.path)
      #expect(one.status == 8 && one.output.contains("mmkv.cipher-mismatch"))
      #expect(one.output.contains("Use --aes256"))
    }

    @Test func whatAnAppLosesOfAStoreThatCannotBeReadIsNotKnown() async throws {
      let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
      let unreadable = outcome.lines.filter { $0.contains(#""verdict":"unreadable""#) }
      #expect(!unreadable.isEmpty)
      #expect(unreadable.allSatisfy { $0.contains(#""lost_at_next_launch":null"#) })
    }

    /// Tests that the commands that a scan suggests read each store as the scan did.
    ///
    /// The scan tries one key on each store. One store needs no key, and one uses AES-256.
    @Test(.enabled("there is no python3") { try await Python.isHere() })
    func theCommandsAfterAScanReadEachStoreAsItDid() async throws {
      try write("")
      for store in Self.stores {
        var bytes = try scratch.bytes(of: "tree/\(store.path)")
        bytes[40] ^= 1
        _ = try scratch.write(bytes, to: "tree/\(store.path)")
      }
      let arguments = ["scan", "tree", "--key-file", "long.key"] + .clock
      let shown = try await Python.run(
        "import os, pty, sys; os.chdir(sys.argv[1]); sys.exit(pty.spawn(sys.argv[2:]) >> 8)",
        [scratch.path, try Tool.path()] + arguments)
      let commands = shown.output.split(whereSeparator: \.isNewline).map(String.init)
        .filter { $0.contains("kvfsck check ") }
      #expect(commands.count == Self.stores.count, "\(shown.testDescription)")
      for command in commands {
        let line = command.replacing("kvfsck check", with: "\(try Tool.path()) check")
        let check = try await Tool.run("/bin/sh", ["-c", line], in: scratch.path)
        #expect(check.status == 4, "\(command): \(check.testDescription)")
        #expect(!check.output.contains("unreadable"))
      }
    }

    /// Tests that a flipped bit of the initialization vector does not make the key wrong.
    ///
    /// No checksum covers the vector. A log of one or two entries has nothing after its first block
    /// that would confirm the key.
    @Test(arguments: [1, 2])
    func aFlippedBitOfTheVectorDoesNotMakeTheKeyWrong(count: Int) async throws {
      let texts = ["access_token eyJhbGciOiJIUzI1NiJ9", "user_id 4711-0815-user"]
      let lines = ["key k3y"] + texts.prefix(count).map { "string \($0)" }
      _ = try scratch.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "a.script")
      let made = try await Tool.run(
        ["fixture", "make", "a.script", "--out", "short", "--seed", "5"], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      let meta = try scratch.bytes(of: "short/kv.crc")
      for bit in stride(from: 0, to: 128, by: 11) {
        var damaged = meta
        damaged[12 + bit / 8] ^= 1 << UInt8(bit % 8)
        _ = try scratch.write(damaged, to: "short/kv.crc")
        let dump = try await Tool.run(["dump", "short", "--key", "k3y"], in: scratch.path)
        #expect(dump.output.contains("access_token"), "\(bit): \(dump.testDescription)")
        #expect(dump.output.split(separator: "\n").count == count, "\(bit)")
        let wrong = try await Tool.run(["dump", "short", "--key", "k3x"], in: scratch.path)
        #expect(wrong.status == 8, "\(bit): \(wrong.testDescription)")
      }
    }

    /// Tests that a list with an expiry time is not taken for a sign of damage.
    ///
    /// A list of strings looks like records that a damaged first block has absorbed.
    @Test func aListThatExpiresBehindALongKeyIsNoSignOfDamage() async throws {
      var generator = SeededGenerator(seed: RandomSeeds.run)
      func digest() -> String {
        (0..<32).map { _ in String("0123456789abcdef".randomElement(using: &generator) ?? "0") }
          .joined()
      }
      for number in 0..<30 {
        let script =
          "key secretkey\nenableexpire 0\nvec \(digest()) \(digest()) \(digest()) \(digest())\n"
          + "string name Ann\n"
        _ = try scratch.write(Array(script.utf8), to: "\(number).script")
        let made = try await Tool.run(
          ["fixture", "make", "\(number).script", "--out", "\(number)"], in: scratch.path)
        #expect(made.status == 0, "\(made.testDescription)")
        let check = try await Tool.run(
          ["check", "--key", "secretkey", "\(number)"], in: scratch.path)
        #expect(!check.output.contains("vector-unverified"), "\(script)")
      }
    }

    @Test func aKeyThatEndsInALineFeedIsAskedAbout() async throws {
      _ = try scratch.write(Array("0123456789abcdef\n".utf8), to: "key")
      let outcome = try await Tool.run(
        ["check", "--key-file", "key", "tree/com.second/mmkv/user"], in: scratch.path)
      #expect(outcome.status == 8)
      #expect(outcome.output.contains("ends in a line feed"))
    }
  }
#endif
