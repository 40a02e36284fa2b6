#if Encryption
  import KVBytes
  import KVModel
  import KVRecovery
  import KVTestSupport
  import MMKVFormat
  import Testing

  /// Lengths that are not in their shortest form, from which MMKV computes where a long encrypted
  /// value is.
  @Suite struct OverlongLengthTests {
    /// Returns `number` as a varint with `count` bytes more than needed.
    private func varint(_ number: Int, longerBy count: Int) -> [UInt8] {
      var bytes = MMKVFixtureBuilder.varint(UInt64(number))
      for _ in 0..<count {
        bytes[bytes.count - 1] |= 0x80
        bytes.append(0)
      }
      return bytes
    }

    private func builder(
      key: Int, value: Int, of valueCount: Int, isEncrypted: Bool
    ) -> MMKVFixtureBuilder {
      var builder = MMKVFixtureBuilder()
      if isEncrypted { builder.key = MMKVKey([UInt8](repeating: 0x6b, count: 9)) }
      builder.put("first", text: "entry")
      builder.records += varint(4, longerBy: key) + Array("long".utf8)
      let inner = MMKVFixtureBuilder.varint(UInt64(valueCount - 2))
      builder.records += varint(valueCount, longerBy: value) + inner
      builder.records += [UInt8](repeating: 0x61, count: valueCount - inner.count)
      return builder
    }

    private func lost(_ builder: MMKVFixtureBuilder) throws -> [Key] {
      try #require(expectSound(builder.open(), now: 0).predictions.first).lostKeys
    }

    @Test(arguments: [(1, 0), (0, 1), (2, 3)])
    func aLongEncryptedValueIsMisread(key: Int, value: Int) throws {
      let builder = builder(key: key, value: value, of: 300, isEncrypted: true)
      #expect(try lost(builder) == [Key(Array("long".utf8))])
      // The repair writes the lengths in their shortest form.
      let store = builder.open()
      let diagnosis = Diagnosis(of: store, now: 0)
      let plan = try #require(
        RepairPlanner(strategy: FixedStrategy.recover).plan(store, given: diagnosis))
      let format = MMKVFormat(key: builder.key, now: 0)
      let files = try format.encode(plan.contents(of: store), like: store)
      let repaired = format.open(
        MMKVFixtureBuilder.files(data: files[0].bytes, meta: files[1].bytes))
      #expect(expectSound(repaired, now: 0).predictions.first?.lostKeys == [])
      // What the engine reads there is not presented as the value.
      var planner = RepairPlanner(strategy: FixedStrategy.recover)
      planner.isLikeEngine = true
      let like = try #require(planner.plan(store, given: diagnosis))
      #expect(like.kept.map(\.evidence) == [.checksum, .guess])
    }

    @Test(arguments: [(1, 0, 256, true), (0, 1, 200, true), (1, 1, 300, false), (0, 0, 300, true)])
    func otherValuesAreReadAsStored(
      key: Int, value: Int, valueCount: Int, isEncrypted: Bool
    ) throws {
      #expect(
        try lost(builder(key: key, value: value, of: valueCount, isEncrypted: isEncrypted)) == [])
    }
  }
#endif
