#if Encryption
  import KVCryptography
  import KVFixtures
  import KVTestSupport
  import Testing

  @Suite struct CipherPieceTests {
    /// Tests that long texts are decrypted correctly piece by piece.
    ///
    /// The text was encrypted in one piece, which shows whether the decrypted pieces fit together.
    @Test(
      arguments: [
        0, 1, 15, 16, 17, 1 << 16, 1 << 16 + 1, 1 << 17 - 1, 700_003, 1 << 23,
        9_000_001,
      ], [16, 24, 32])
    func longTextsAreDecryptedInPieces(count: Int, keyCount: Int) throws {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      let (key, vector) = (random.bytes(keyCount), random.bytes(16))
      let (head, plain) = (random.bytes(4), random.bytes(count))
      let cipher = try #require(Cryptography.encryptCFB(plain, key: key, iv: vector))
      #expect(
        Cryptography.decryptCFB(head + cipher, after: 4, key: key, iv: vector) == head + plain,
        "seed \(seed)")
      #expect(Cryptography.decryptCFB(cipher, key: random.bytes(15), iv: vector) == nil)
      #expect(Cryptography.decryptCFB(cipher, key: key, iv: random.bytes(15)) == nil)
    }

    /// Tests every length around those that are decrypted several blocks at a time, after every
    /// number of bytes that are not encrypted.
    @Test(arguments: [16, 32])
    func textsOfEveryLengthAreDecrypted(keyCount: Int) throws {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      let (key, vector) = (random.bytes(keyCount), random.bytes(16))
      for count in 0...300 {
        let (head, plain) = (random.bytes(count % 19), random.bytes(count))
        let cipher = try #require(Cryptography.encryptCFB(plain, key: key, iv: vector))
        #expect(
          Cryptography.decryptCFB(head + cipher, after: head.count, key: key, iv: vector)
            == head + plain, "seed \(seed), \(count) bytes")
      }
      #expect(Cryptography.decryptCFB([1, 2], after: 3, key: key, iv: vector) == [1, 2])
    }
  }
#endif
