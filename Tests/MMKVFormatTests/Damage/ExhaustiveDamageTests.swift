import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

/// Truncating a small store at every byte, and flipping each of its bits.
@Suite struct ExhaustiveDamageTests {
  static let keys: [MMKVKey?] = {
    #if Encryption
      [nil, MMKVKey(Array("key".utf8))]
    #else
      [nil]
    #endif
  }()

  /// Returns a store of four entries, one of which is set twice, and a removal.
  private static func builder(_ key: MMKVKey?) -> MMKVFixtureBuilder {
    var builder = SmallStore.builder
    builder.put("city", text: "Oslo")
    builder.put("on", [0])
    builder.key = key
    return builder
  }

  /// The bits of each byte that are flipped.
  ///
  /// A partial run uses two of them.
  private static let bits = TestExtent.share(2, of: 0..<8)

  /// The entries that the app reads.
  private static let truth: [Key: [UInt8]] = [
    Key(Array("name".utf8)): [3] + Array("Ann".utf8),
    Key(Array("city".utf8)): [4] + Array("Oslo".utf8), Key(Array("on".utf8)): [0],
  ]

  /// The offsets in the data file at which the last records of the three entries end.
  private static let ends = [22, 41, 46]

  /// The offset of the value of `on`.
  ///
  /// A change of a few low bits of it looks like the next value, with the checksum of the moment
  /// before.
  private static let numberOffset = 45

  /// Returns the offsets below `count` to change.
  ///
  /// All offsets before `end` are included, but only one in `step` after it, where all bytes are
  /// zero.
  private static func offsets(_ count: Int, allBefore end: Int, step: Int) -> [Int] {
    Array(0..<min(end, count)) + stride(from: end, to: count, by: step) + [count - 1]
  }

  private func open(_ data: [UInt8], _ meta: [UInt8], _ key: MMKVKey?) -> MMKVStore {
    MMKVFormat(key: key, now: 1000).open(MMKVFixtureBuilder.files(data: data, meta: meta))
      .corrected()
  }

  @Test(arguments: keys)
  func everyCutOfTheDataFileIsReported(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    let (data, meta) = (builder.data, builder.meta)
    let logEnd = 4 + builder.payload.count
    for count in Self.offsets(data.count, allBefore: logEnd + 64, step: 61) {
      let store = open(Array(data.prefix(count)), meta, key)
      let diagnosis = expectSound(store, now: 1000, "data cut at \(count)")
      let found = expectHonest(
        store, diagnosis, truth: Self.truth, "data cut at \(count)")
      // Everything before the cut must be found.
      if found.right < Self.ends.count(where: { $0 <= count }) {
        Issue.record("\(found) for data cut at \(count)")
      }
      // After the log, nothing is missing, but the file is not as the engine leaves it.
      let code = count < 4 ? "mmkv.data-cut" : "mmkv.data-not-page-sized"
      guard diagnosis.findings.contains(where: { $0.code == code }) else {
        Issue.record("no \(code) for data cut at \(count)")
        continue
      }
      if (count < logEnd) == (diagnosis.verdict == .clean) {
        Issue.record("\(diagnosis.verdict) for data cut at \(count)")
      }
    }
  }

  @Test(arguments: keys)
  func everyCutOfTheMetaFileIsReported(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    let (data, meta) = (builder.data, builder.meta)
    for count in Self.offsets(meta.count, allBefore: 128, step: 61) {
      let store = open(data, Array(meta.prefix(count)), key)
      let diagnosis = expectSound(store, now: 1000, "meta cut at \(count)")
      let found = expectHonest(
        store, diagnosis, truth: Self.truth, "meta cut at \(count)")
      if found.right < 3, key == nil || count >= 28 {
        Issue.record("\(found) for meta cut at \(count)")
      }
      let isSaid = diagnosis.findings.contains { $0.code == "mmkv.meta-short" }
      if isSaid != (count < 112) && diagnosis.verdict != .unreadable {
        Issue.record("\(diagnosis.findings.map(\.code)) for meta cut at \(count)")
      }
    }
  }

  @Test(arguments: keys)
  func everyFlippedBitOfTheDataFileIsReported(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    let (data, meta) = (builder.data, builder.meta)
    let logEnd = 4 + builder.payload.count
    for offset in Self.offsets(data.count, allBefore: logEnd + 16, step: 509) {
      for bit in Self.bits {
        var changed = data
        changed[offset] ^= 1 << bit
        let place = "bit \(bit) of data byte \(offset)"
        let store = open(changed, meta, key)
        let diagnosis = expectSound(store, now: 1000, place)
        let isInLog = (4..<logEnd).contains(offset)
        if isInLog != (diagnosis.verdict != .clean) {
          Issue.record("\(diagnosis.verdict) for \(place)")
        }
        if diagnosis.findings.isEmpty { Issue.record("no finding for \(place)") }
        let found = expectHonest(store, diagnosis, truth: Self.truth, place)
        // The CRC-32 determines one bit. In an encrypted store, no checksum covers the
        // initialization vector, on which the first block depends.
        if offset == Self.numberOffset, bit < 5 {
          #expect(found.right == 3 && diagnosis.verdict == .damaged, "\(found) for \(place)")
          continue
        }
        let isRestored =
          found.right == 3 && found.marked == 0
          && (!isInLog || diagnosis.verdict == .repairable)
          && (key != nil || found.weakest == (isInLog ? .corrected : .checksum))
        if !isRestored { Issue.record("\(found), \(diagnosis.verdict) for \(place)") }
      }
    }
  }

  @Test(arguments: keys)
  func everyFlippedBitOfTheMetaFileCostsNothing(_ key: MMKVKey?) {
    let builder = Self.builder(key)
    let (data, meta) = (builder.data, builder.meta)
    for offset in 0..<112 {
      for bit in Self.bits {
        var changed = meta
        changed[offset] ^= 1 << bit
        let place = "bit \(bit) of meta byte \(offset)"
        let store = open(data, changed, key)
        let diagnosis = expectSound(store, now: 1000, place)
        let found = expectHonest(store, diagnosis, truth: Self.truth, place)
        let isTold = [.clean, .repairable].contains(diagnosis.verdict)
        if found.right != 3 || found.marked > 0 || !isTold {
          Issue.record("\(found), \(diagnosis.verdict) for \(place)")
        }
      }
    }
  }
}
