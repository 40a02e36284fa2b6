import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct EncodeTests {
  private let format = MMKVFormat(now: 0)

  private func contents(_ entries: [([UInt8], [UInt8])]) -> StoreContents {
    StoreContents(entries.map { .init(key: Key($0.0), value: $0.1) })
  }

  private let two: [([UInt8], [UInt8])] = [
    (Array("a".utf8), [7]), (Array("name".utf8), [3, 0x41, 0x6e, 0x6e]),
  ]

  private func encode(
    _ contents: StoreContents, like builder: MMKVFixtureBuilder = SmallStore.builder,
    cipher: CipherChoice = .keep
  ) throws -> [EncodedFile] {
    try format.encode(contents, like: builder.open(), cipher: cipher)
  }

  @Test func filesAreThoseOfTheDump() throws {
    let files = try encode(contents(two))
    #expect(files.map(\.role) == [.data, .meta])
    #expect(files.map(\.name) == ["kv", "kv.crc"])
    let data = files[0].bytes
    // The prefix is random and has four bytes, as the engine has written it since 1.3.9.
    let prefix = data[4..<8]
    #expect(prefix.dropLast().allSatisfy { $0 >= 0x80 } && prefix[7] < 0x80 && prefix[7] > 0)
    let expected = try HexFixture(
      """
      0000  12 00 00 00                        # payload count
      0008  01 61  01 07                       # "a" = 7
      000c  04 6e 61 6d 65  04 03 41 6e 6e     # "name" = "Ann"
      """, zeroFilledTo: 4096
    ).bytes
    #expect(data.prefix(4) == expected.prefix(4))
    #expect(data.dropFirst(8) == expected.dropFirst(8))
    let digest = MMKVFixtureBuilder.little(MMKVFixtureBuilder.crc32(data[4..<22]))
    let meta = try HexFixture(
      """
      0004  04 00 00 00  04 00 00 00           # version, sequence: one more than before
      001c  12 00 00 00  12 00 00 00           # actual and confirmed size
      """, zeroFilledTo: 4096
    ).bytes
    #expect(files[1].bytes == digest + meta[4..<36] + digest + meta[40...])
  }

  @Test func storeWithoutEntriesIsAsAfterClearAll() throws {
    let files = try encode(contents([]))
    #expect(files[0].bytes == [UInt8](repeating: 0, count: 4096))
    let meta = try HexFixture("0004  04 00 00 00  04 00 00 00", zeroFilledTo: 4096).bytes
    #expect(files[1].bytes == meta)
    let store = format.open(MMKVFixtureBuilder.files(data: files[0].bytes, meta: files[1].bytes))
      .corrected()
    #expect(expectSound(store, now: 0).verdict == .clean)
  }

  @Test func expiryFlagAndPageSizeAreKept() throws {
    var builder = SmallStore.builder
    builder.flags = 1
    builder.page = 16384
    let files = try encode(contents(two), like: builder)
    #expect(files.map(\.bytes.count) == [16384, 16384])
    #expect(Array(files[1].bytes[104..<112]) == [1, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func unknownVersionIsNotCarriedOn() throws {
    var meta = SmallStore.builder.meta
    meta.replaceSubrange(4..<8, with: [9, 0, 0, 0])
    let old = format.open(
      MMKVFixtureBuilder.files(data: SmallStore.builder.data, meta: meta)
    ).corrected()
    let files = try format.encode(contents(two), like: old)
    #expect(Array(files[1].bytes[4..<8]) == [4, 0, 0, 0])
  }

  @Test func sequenceWrapsAround() throws {
    var builder = SmallStore.builder
    builder.sequence = .max
    let files = try encode(contents(two), like: builder)
    #expect(Array(files[1].bytes[8..<12]) == [0, 0, 0, 0])
  }

  @Test func thereIsRoomForMore() throws {
    // The engine's rule: there is room for half as many more entries, and for at least eight.
    for count in [1, 8, 9, 100, 500] {
      let entries = (0..<count).map { (Array("key \($0)".utf8), [UInt8](repeating: 1, count: 40)) }
      let files = try encode(contents(entries))
      let payload = files[0].bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let needed = 4 + payload
      let average = (needed + count - 1) / count
      #expect(files[0].bytes.count % 4096 == 0)
      #expect(files[0].bytes.count > needed + average * max(8, count / 2))
    }
  }

  @Test(arguments: [(65531, 1, true), (65532, 1, false), (65531, 255, false)])
  func keyThatTheEngineCannotReadIsRefused(_ count: Int, _ valueCount: Int, _ isWritten: Bool)
    throws
  {
    let key = [UInt8](repeating: 0x6b, count: count)
    let contents = contents([(key, [UInt8](repeating: 1, count: valueCount))])
    if isWritten {
      #expect(try encode(contents).count == 2)
    } else {
      do throws(EncodingError) {
        _ = try format.encode(contents, like: SmallStore.builder.open())
        Issue.record("a store was written that the engine cannot read")
      } catch .unreadableEntry(let refused, _) {
        #expect(refused.bytes == key)
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  #if Encryption
    @Test func encryptedFilesDifferInTheirVectorAlone() throws {
      let key = MMKVKey(Array("key".utf8))
      let files = try encode(contents(two), cipher: .rekey(key.bytes, isAES256: false))
      let meta = files[1].bytes
      let vector = Array(meta[12..<28])
      #expect(vector != [UInt8](repeating: 0, count: 16))
      // The same payload, encrypted by hand with that vector.
      var builder = MMKVFixtureBuilder()
      builder.key = key
      builder.vector = vector
      let store = MMKVFormat(key: key, now: 0).open(
        MMKVFixtureBuilder.files(data: files[0].bytes, meta: meta)
      ).corrected()
      builder.prefix = store.decoded(.data).bytes(in: 4..<8)
      for (key, value) in two { builder.put(key, value) }
      builder.sequence = 4
      builder.confirmed = (18, MMKVFixtureBuilder.crc32(builder.storedPayload))
      #expect(files[0].bytes == builder.data)
      #expect(meta == builder.meta)
      // Equal contents under the same key are equal files, and others have another vector.
      let again = try encode(contents(two), cipher: .rekey(key.bytes, isAES256: false))
      #expect(again.map(\.bytes) == files.map(\.bytes))
      let other = try encode(
        contents(Array(two.prefix(1))), cipher: .rekey(key.bytes, isAES256: false))
      #expect(Array(other[1].bytes[12..<28]) != vector)
    }

    @Test func cipherIsKeptTakenOffOrChangedAsAsked() throws {
      var builder = SmallStore.builder
      builder.key = MMKVKey(Array("old".utf8), isAES256: true)
      let new = MMKVKey(Array("new".utf8))
      let choices: [(CipherChoice, MMKVKey?)] = [
        (.keep, builder.key), (.plain, nil), (.rekey(new.bytes, isAES256: false), new),
      ]
      for (choice, key) in choices {
        let files = try encode(contents(two), like: builder, cipher: choice)
        let store = MMKVFormat(key: key, now: 0).open(
          MMKVFixtureBuilder.files(data: files[0].bytes, meta: files[1].bytes)
        ).corrected()
        let diagnosis = expectSound(store, now: 0)
        #expect(diagnosis.verdict == .clean)
        #expect(store.entries(diagnosis.best?.snapshot.live ?? []).count == 2)
      }
    }
  #endif
}

/// Writing random contents and reading them back.
@Suite struct RoundTripTests {
  private static let keys: [MMKVKey?] = {
    #if Encryption
      [nil, MMKVKey(Array("0123456789".utf8)), MMKVKey(Array("0123456789".utf8), isAES256: true)]
    #else
      [nil]
    #endif
  }()

  @Test(arguments: 0..<12 as Range<UInt64>)
  func randomContentsRoundTrip(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for key in Self.keys {
      for hasExpiry in [false, true] {
        let contents = StoreContents.random(using: &random, hasExpiry: hasExpiry)
        var old = SmallStore.builder
        old.flags = hasExpiry ? 1 : 0
        let cipher = key.map { CipherChoice.rekey($0.bytes, isAES256: $0.isAES256) } ?? .plain
        let files = try MMKVFormat(now: 1000).encode(contents, like: old.open(), cipher: cipher)
        let store = MMKVFormat(key: key, now: 1000).open(
          MMKVFixtureBuilder.files(data: files[0].bytes, meta: files[1].bytes)
        ).corrected()
        let place: Comment = "seed \(seed), \(key?.isAES256 as Any), expiry \(hasExpiry)"
        let diagnosis = expectSound(store, now: 1000, place.rawValue)
        #expect(diagnosis.verdict == .clean, place)
        let live = diagnosis.best?.snapshot.live ?? []
        #expect(
          live.map { StoreContents.Entry(key: store.key(of: $0), value: store.value(of: $0)) }
            == contents.entries, place)
        for prediction in diagnosis.predictions {
          #expect(prediction.load.outcome == .loaded && prediction.load.callbacks == [], place)
          #expect(prediction.keyCount == contents.entries.count, place)
        }
      }
    }
  }
}

extension StoreContents {
  /// Returns up to 60 entries with random keys and values.
  ///
  /// Most keys are text, as in apps.
  static func random(using random: inout SeededGenerator, hasExpiry: Bool) -> StoreContents {
    var entries: [Entry] = []
    var keys: Set<Key> = []
    for index in 0..<Int.random(in: 0...60, using: &random) {
      let key =
        index > 0 && Int.random(in: 0..<8, using: &random) == 0
        ? Key(random.bytes(Int.random(in: 1...40, using: &random)))
        : Key(Array("key \(random.next() % 1000)".utf8))
      guard keys.insert(key).inserted else { continue }
      var value = Encoder.encode(.random(using: &random))
      if hasExpiry {
        value += Encoder.fixed(
          Bool.random(using: &random) ? 0 : UInt32.random(in: 0...9999, using: &random))
      }
      entries.append(Entry(key: key, value: value))
    }
    return StoreContents(entries)
  }
}
