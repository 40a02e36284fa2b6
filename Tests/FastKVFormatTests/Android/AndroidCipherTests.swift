#if Encryption
  import FastKVFormat
  import KVBytes
  import KVModel
  import KVRecovery
  import Testing

  /// Vectors from stores that the demo app's own code encrypted.
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
#endif
