#if Encryption
  import KVBytes
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Keys that were given in another form, and stores that a checksum over another size shows to be
  /// readable.
  @Suite struct KeyFormTests {
    private static let digits = "9f3c77aa01bb42d0e5f6a7b8c9d0e1f2"

    private func store(_ key: MMKVKey) -> MMKVFixtureBuilder {
      var builder = MMKVFixtureBuilder()
      builder.key = key
      for index in 0..<4 { builder.put("setting_\(index)", text: "value \(index)") }
      return builder
    }

    /// Returns the reason why `builder` cannot be read with `key`.
    private func reason(_ builder: MMKVFixtureBuilder, _ key: MMKVKey) -> String? {
      let access = MMKVFormat(key: key, now: 0).open(builder.files()).access
      guard case .unreadable(let code, let reason) = access, code.name == "mmkv.wrong-key" else {
        return nil
      }
      return reason
    }

    @Test(arguments: [digits, digits.uppercased()])
    func aKeyThatIsTheTextOfItsDigitsIsRecognized(text: String) throws {
      let bytes = try #require(Hexadecimal.bytes(Self.digits))
      let builder = store(MMKVKey(Array(text.utf8)))
      #expect(reason(builder, MMKVKey(bytes))?.contains("as the text of its hexadecimal") == true)
    }

    @Test(arguments: [digits, digits.uppercased(), "0x" + digits])
    func aKeyOfDigitsThatMeanBytesIsRecognized(text: String) throws {
      let bytes = try #require(Hexadecimal.bytes(Self.digits))
      let builder = store(MMKVKey(bytes))
      #expect(reason(builder, MMKVKey(Array(text.utf8)))?.contains("as the bytes that") == true)
    }

    @Test func anotherKeyGetsNoSuchHint() throws {
      let builder = store(MMKVKey(Array("secret".utf8)))
      let bytes = try #require(Hexadecimal.bytes(Self.digits))
      for key in [MMKVKey(bytes), MMKVKey(Array(Self.digits.utf8))] {
        #expect(reason(builder, key)?.contains("it fits") == false)
      }
    }

    /// Tests that the notes about what follows an empty log do not contradict each other.
    @Test func oneRecordAfterAnEmptyLogIsNotNone() {
      var builder = MMKVFixtureBuilder()
      builder.key = MMKVKey(Array("secret".utf8))
      builder.put("session_token", text: "value")
      // Only the prefix is left of the log.
      let prefix = builder.storedPayload.prefix(4)
      (builder.actualCount, builder.digest) = (4, MMKVFixtureBuilder.crc32(Array(prefix)))
      let findings = builder.open().check()
      let messages = findings.map(\.message)
      #expect(findings.contains { $0.code == "mmkv.tail-beyond-size" }, "\(messages)")
      #expect(messages.contains { $0.contains("at most one readable record") }, "\(messages)")
    }
  }
#endif
