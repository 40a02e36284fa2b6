#if Encryption
  import Foundation
  import KVTestSupport
  import Testing

  /// Converting to an encrypted store, and keys that are of no use.
  struct EncryptedConversionTests {
    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      _ = try scratch.write(Array(#"{"token":"4111222233334444"}"#.utf8), to: "plain.json")
      _ = try scratch.write(Array("file key".utf8), to: "key")
    }

    private func convert(_ arguments: [String]) async throws -> Outcome {
      try await Tool.run(["convert"] + .clock + arguments, in: scratch.path)
    }

    private func get(_ store: String, _ key: String, _ options: [String]) async throws -> Outcome {
      try await Tool.run(["get"] + .clock + options + [store, key], in: scratch.path)
    }

    /// Returns whether a file of the store called `name` contains `text`.
    private func shows(_ text: String, in name: String) throws -> Bool {
      Data(try scratch.bytes(of: name)).firstRange(of: Data(text.utf8)) != nil
    }

    @Test(arguments: [
      (["--rekey", "secret"], ["--key", "secret"]),
      (["--rekey-file", "key"], ["--key-file", "key"]),
      (["--rekey", "secret", "--aes256"], ["--key", "secret", "--aes256"]),
    ])
    func aNewKeyEncryptsTheNewStore(options: [String], key: [String]) async throws {
      let outcome = try await convert(["plain.json", "--to", "mmkv", "--out", "new"] + options)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(try !shows("4111222233334444", in: "new"))
      #expect(try await get("new", "token", key).output == "4111222233334444\n")
      #expect(try await get("new", "token", []).status == 8)
    }

    @Test func aKeyThatNoStoreNeedsIsAnError() async throws {
      for options in [["--key", "foo"], ["--key-hex", "666f6f"], ["--key-file", "key"]] {
        for target in ["mmkv", "datastore"] {
          let outcome = try await convert(["plain.json", "--to", target, "--out", "new"] + options)
          #expect(outcome.status == 8, "\(outcome.testDescription)")
          #expect(outcome.errors.contains("plain.json is not encrypted"))
          #expect(outcome.errors.contains("--rekey-file"))
          #expect(scratch.names(in: ".") == ["key", "plain.json"])
        }
      }
    }

    @Test func anEncryptedStoreStaysEncrypted() async throws {
      let store = Fixture.encrypted.path
      let key = ["--key", Fixture.key]
      let all = try await Tool.run(["dump", "--json"] + .clock + key + [store])
      let entry = try #require(
        try all.objects("entry").first { $0["value"]?["kind"]?.string != nil })
      let name = try #require(entry["key"]?.string)
      let kept = try await convert(
        [store, "--accept-bytes", "--to", "mmkv", "--out", "kept"] + key)
      #expect([0, 4].contains(kept.status), "\(kept.testDescription)")
      #expect(kept.errors.contains("the new store is encrypted under the key of"))
      let value = try await get(store, name, key).output
      #expect(try await get("kept", name, key).output == value)
      #expect(try await get("kept", name, []).status == 8)
      let plain = try await convert(
        [store, "--accept-bytes", "--plain", "--to", "mmkv", "--out", "plain"] + key)
      #expect([0, 4].contains(plain.status), "\(plain.testDescription)")
      #expect(try await get("plain", name, []).output == value)
    }

    @Test func onlyStoresThatCanBeEncryptedTakeANewKey() async throws {
      let outcome = try await convert(["plain.json", "--to", "plist", "--out", "x", "--rekey", "k"])
      #expect(outcome.status == 16 && outcome.errors.contains("need --to mmkv"))
      let both = try await convert(
        ["plain.json", "--to", "mmkv", "--out", "x", "--rekey", "k", "--plain"])
      #expect(both.status == 16, "\(both.testDescription)")
    }

    @Test func storesUnderDifferentKeysDoNotSayWhichIsMeant() async throws {
      for (name, key) in [("a", "one"), ("b", "two")] {
        let made = try await convert(["plain.json", "--to", "mmkv", "--out", name, "--rekey", key])
        #expect(made.status == 0, "\(made.testDescription)")
      }
      _ = try scratch.write(Array("a = one\nb = two\n".utf8), to: "keys")
      let merge = ["a", "b", "--keys", "keys", "--to", "mmkv", "--out", "both"]
      let outcome = try await convert(merge)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("give it with --rekey-file"))
      #expect(try await convert(merge + ["--rekey", "three"]).status == 0)
      #expect(try await get("both", "token", ["--key", "three"]).status == 0)
    }
  }
#endif
