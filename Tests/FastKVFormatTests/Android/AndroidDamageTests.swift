import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Truncating a small store at every byte, flipping each of its bits, and reading random stores.
@Suite struct AndroidDamageTests {
  private static let bytes = AndroidBuilder.small.bytes

  /// The entries that the app reads.
  private static let truth: [Key: [UInt8]] = [
    Key(Array("on".utf8)): [1], Key(Array("count".utf8)): [7, 0, 0, 0],
    Key(Array("name".utf8)): Array("Grace Hopper".utf8),
    Key(Array("tags".utf8)): [2, 0x61, 0x62],
    Key(Array("blob".utf8)): [1, 2, 3],
  ]
  /// The offsets in the file at which the records of these entries end.
  private static let ends = [28, 39, 59, 80, 91]

  @Test func everyCutOfBothCopiesLeavesWhatIsBeforeIt() {
    for count in 0...Self.bytes.count {
      let cut = Array(Self.bytes.prefix(count))
      for store in [AndroidBuilder.open(a: cut, b: cut), AndroidBuilder.open(c: cut)] {
        let place = "\(store.files.count) files cut at \(count)"
        let diagnosis = expectSound(store, now: 0, place)
        let found = expectHonest(store, diagnosis, truth: Self.truth, place)
        let isWhole = count >= 12 + AndroidBuilder.small.data.count
        if found.right != Self.ends.count(where: { $0 <= count }) || found.marked > 0
          || (diagnosis.verdict == .clean) != isWhole
        {
          Issue.record("\(found), \(diagnosis.verdict): \(place)")
        }
      }
    }
  }

  @Test func everyFlipInBothCopiesCostsOneEntryAtMost() {
    for offset in 0..<12 + AndroidBuilder.small.data.count + 4 {
      for bit in 0..<8 {
        var image = Self.bytes
        image[offset] ^= 1 << UInt8(bit)
        let place = "bit \(bit) at \(offset)"
        let store = AndroidBuilder.open(a: image, b: image)
        let diagnosis = expectSound(store, now: 0, place)
        let found = expectHonest(store, diagnosis, truth: Self.truth, place)
        if found.right < 4 { Issue.record("\(found): \(place)") }
      }
    }
  }

  @Test func everyFlipInOneCopyCostsNothing() {
    for offset in 0..<12 + AndroidBuilder.small.data.count {
      for bit in 0..<8 {
        var image = Self.bytes
        image[offset] ^= 1 << UInt8(bit)
        for store in [
          AndroidBuilder.open(a: image, b: Self.bytes),
          AndroidBuilder.open(a: Self.bytes, b: image),
        ] {
          let best = Diagnosis(of: store, now: 0).best
          if best?.isSound != true || best?.snapshot.live.count != 5 {
            Issue.record("bit \(bit) at \(offset): \(best?.snapshot.live.count ?? -1) entries")
          }
        }
      }
    }
  }

  @Test func randomBytesAreSound() {
    let seed = RandomSeeds.run
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let bytes = generator.bytes(Int.random(in: 0..<600, using: &generator))
      expectSound(AndroidBuilder.open(a: bytes, b: bytes), now: 0, "seed \(seed)")
      expectSound(AndroidBuilder.open(c: bytes), now: 0, "seed \(seed)")
    }
  }

  #if Encryption
    @Test(arguments: [nil, Array("1234567890abcdef".utf8)])
    func randomStoresRoundTrip(_ key: [UInt8]?) throws { try roundTrip(key) }
  #else
    @Test func randomStoresRoundTrip() throws { try roundTrip(nil) }
  #endif

  private func roundTrip(_ key: [UInt8]?) throws {
    let seed = RandomSeeds.run
    var generator = SeededGenerator(seed: seed)
    let format = AndroidFastKVFormat(key: key)
    for _ in 0..<20 {
      var builder = AndroidBuilder()
      for index in 0..<Int.random(in: 0..<40, using: &generator) {
        let name = "key\(index % 30)"
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: builder.add(0x01, Array(name.utf8), [1])
        case 1: builder.add(0x05, Array(name.utf8), generator.bytes(8))
        case 2: builder.add(0x03, Array(name.utf8), generator.bytes(4))
        case 3: builder.add(0x07, Array(name.utf8), [5, 0] + generator.bytes(5))
        default: builder.text(name, "text \(index)")
        }
      }
      builder.capacity = 4096
      let store = AndroidBuilder.open(a: builder.bytes, b: builder.bytes)
      let entries = store.entries(Diagnosis(of: store, now: 0).best?.snapshot.live ?? [])
      let plan = try #require(
        RepairPlanner(strategy: FixedStrategy.recover)
          .plan(store, given: Diagnosis(of: store, now: 0)))
      let files = try format.encode(
        plan.contents(of: store), like: store,
        cipher: key.map { .rekey($0, isAES256: false) } ?? .keep)
      let copy = format.open(
        files.map { StoreFile($0.role, at: FilePath($0.name), .init($0.bytes)) }
      ).corrected()
      let diagnosis = expectSound(copy, now: 0, "seed \(seed)")
      #expect(diagnosis.verdict == .clean, "seed \(seed): \(diagnosis.findings)")
      #expect(
        copy.entries(diagnosis.best?.snapshot.live ?? []) == entries, "seed \(seed)")
    }
  }

  /// Tests a copy whose first page is newer, and whose second page, with the record that was added, is
  /// missing.
  @Test(arguments: [true, false])
  func wholeCopyBesideTheHeaderOfALongerLogMayBeStale(isA: Bool) throws {
    var older = AndroidBuilder()
    older.text("pad", String(repeating: "p", count: 4096))
    older.text("token", "old")
    older.capacity = 8192
    var newer = older
    newer.text("token", "new")
    let page = 4096
    let torn = Array(newer.bytes.prefix(page) + older.bytes.dropFirst(page))
    let store =
      isA
      ? AndroidBuilder.open(a: torn, b: older.bytes) : AndroidBuilder.open(a: older.bytes, b: torn)
    let diagnosis = Diagnosis(of: store, now: 0)
    #expect(diagnosis.verdict == .damaged)
    #expect(diagnosis.findings.contains { $0.code == "fastkv-android.copy-may-be-older" })
    let best = try #require(diagnosis.best)
    #expect(best.snapshot.live.count == 2)
    #expect(best.snapshot.live.allSatisfy { best.cautions(of: $0).contains(.mayBeStale) })
  }
}
