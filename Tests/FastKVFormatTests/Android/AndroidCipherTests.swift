#if Encryption
  import FastKVFormat
  import KVBytes
  import KVFixtures
  import KVModel
  import KVRecovery
  import KVTestSupport
  import Testing

  /// Ciphertexts from stores that the demo app's own code encrypted.
  @Suite struct AndroidCipherTests {
    private let cipher = DemoCipher(key: Array("1234567890abcdef".utf8))

    @Test(arguments: [
      ("929e2f2eb0fbefb08c750f5cf12be8418debeb3b", "69"),
      ("0e7655e17887b0952ed117103c4137acacf785ec", "68656c6c6f"),
      ("02932caea3a1e5c15b899a0e456b9c9f12b0be80", ""),
    ])
    func bytesAreThoseOfTheDemoApp(ciphertext: String, plaintext: String) throws {
      let cipher = try #require(cipher)
      let bytes = try #require(Hexadecimal.bytes(ciphertext))
      #expect(cipher.decrypt(bytes).map { Hexadecimal.text($0) } == plaintext)
      let again = try #require(cipher.encrypt(Hexadecimal.bytes(plaintext) ?? []))
      #expect(cipher.decrypt(again).map { Hexadecimal.text($0) } == plaintext)
    }

    @Test(arguments: [
      ("e24dd0c3", "f9ffffff"), ("d087c472", "00006040"),
      ("90602ca30d5e01ec", "1581e97df4102211"), ("897d38d89862220d", "6957148b0abf0540"),
    ])
    func numbersAreThoseOfTheDemoApp(ciphertext: String, number: String) throws {
      let cipher = try #require(cipher)
      let bytes = try #require(Hexadecimal.bytes(ciphertext))
      let plain = try #require(Hexadecimal.bytes(number))
      #expect(cipher.decryptNumber(bytes) == plain)
      #expect(cipher.encryptNumber(plain) == bytes)
    }

    @Test func brokenCiphertextIsNone() throws {
      let cipher = try #require(cipher)
      #expect(cipher.decrypt([]) == nil)
      #expect(cipher.decrypt([UInt8](repeating: 7, count: 19)) == nil)
      #expect(cipher.decrypt([UInt8](repeating: 7, count: 21)) == nil)
    }
  }

  /// Distinguishing the right key from wrong ones, whatever bytes surround the records.
  @Suite struct AndroidKeyFitTests {
    /// A few encrypted records and the remains of an older log, truncated at any byte.
    private struct Example {
      let files: [StoreFile]
      let key: [UInt8]

      init?(
        seed: UInt64, isStruck: Bool, isVerified: Bool
      ) {
        var generator = SeededGenerator(seed: seed)
        key = generator.bytes(16)
        guard let cipher = DemoCipher(key: key) else { return nil }
        var builder = AndroidBuilder()
        for index in 0..<Int.random(in: 1...3, using: &generator) {
          guard let key = cipher.encrypt(Array("number\(index)".utf8)) else { return nil }
          builder.add(isStruck ? 0x82 : 0x02, key, cipher.encryptNumber(generator.bytes(4)))
        }
        builder.capacity = nil
        var bytes = builder.bytes
        bytes[3] |= 0x40
        if !isVerified { bytes[4] ^= 1 }
        bytes += generator.bytes(Int.random(in: 0...2000, using: &generator))
        files = AndroidBuilder.files(a: bytes, b: bytes)
      }

      func access(_ key: [UInt8]) -> Access {
        AndroidFastKVFormat(key: key).open(files).corrected().access
      }
    }

    /// With the first seed, three records follow one another in the remains by chance.
    @Test(arguments: [5_077_134_650_280_636_052] + RandomSeeds.fresh(200))
    func theKeyOfAnEmptiedStoreIsNotRefusedForWhatIsLeftOfALongValue(seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let key = generator.bytes(16)
      let cipher = try #require(DemoCipher(key: key))
      // FastKV truncated the file to a page, within a record, and wrote an empty header.
      let old =
        [0x07, 20] + (try #require(cipher.encrypt(Array("photo".utf8)))) + [0x54, 0x1c]
        + generator.bytes(4060)
      let bytes: [UInt8] = [0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0] + old
      let store = AndroidFastKVFormat(key: key).open(AndroidBuilder.files(a: bytes, b: bytes))
      #expect(bytes.count == 4096 && store.corrected().access == .readable)
    }

    /// Nothing is left out of a log whose records follow one another to its verified end.
    @Test func keysOfControlCharactersAreReadInAnIntactStore() throws {
      let key = Array("0123456789abcdef".utf8)
      let cipher = try #require(DemoCipher(key: key))
      var builder = AndroidBuilder()
      let names = ["name", "k\u{1}\u{2}", "k\u{1}\u{3}", "\u{7f}", "\u{1f}", "last"]
      for name in names {
        let key = try #require(cipher.encrypt(Array(name.utf8)))
        builder.add(0x02, key, cipher.encryptNumber([7, 0, 0, 0]))
      }
      var bytes = builder.bytes
      bytes[3] |= 0x40
      let store = AndroidFastKVFormat(key: key).open(AndroidBuilder.files(a: bytes, b: bytes))
        .corrected()
      let diagnosis = expectSound(store, now: 0)
      #expect(diagnosis.verdict == .clean)
      let live = try #require(diagnosis.best).snapshot.live
      #expect(live.map { store.key(of: $0).text } == names)
    }

    @Test(arguments: [false, true], [false, true])
    func theKeyIsTakenAndOthersAreRefused(isStruck: Bool, isVerified: Bool) throws {
      var wrong = 0
      let count = 200
      for seed in RandomSeeds.fresh(count) {
        let example = try #require(
          Example(seed: seed, isStruck: isStruck, isVerified: isVerified))
        if case .unreadable(let code, _) = example.access(example.key) {
          Issue.record("seed \(seed): \(code.name) with the store's own key")
        }
        var generator = SeededGenerator(seed: seed ^ 1)
        if case .readable = example.access(generator.bytes(16)) { wrong += 1 }
      }
      // About one wrong key in a million decrypts a record's key to valid text.
      #expect(wrong <= 1, "of \(count) wrong keys")
    }
  }
#endif
