import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import MMKVFormat
import Testing

@Suite struct MetaDamageTests {
  private let entries = 2

  private func open(_ meta: [UInt8]?, data: [UInt8]? = SmallStore.builder.data) -> MMKVStore {
    MMKVFormat(now: 0).open(MMKVFixtureBuilder.files(data: data, meta: meta)).corrected()
  }

  @Test func missingMetaLeavesTheEntries() {
    let store = open(nil)
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.best?.snapshot.live.count == entries)
    #expect(diagnosis.verdict == .damaged)
    // No checksum is stored, so nothing is verified.
    #expect(store.lengthClaims.allSatisfy { $0.checksum == nil } && diagnosis.verified == nil)
  }

  @Test func zeroedMetaLeavesTheEntries() {
    let diagnosis = expectSound(open([UInt8](repeating: 0, count: 4096)), now: 0)
    #expect(diagnosis.best?.snapshot.live.count == entries)
    #expect(diagnosis.verified == nil)
    #expect(diagnosis.findings.contains { $0.code == "mmkv.meta-blank" })
  }

  /// Tests that a damaged version does not hide that numbers end in a time, as the flag still says.
  @Test(arguments: [UInt32(0), 12, 132])
  func aDamagedVersionHidesNoTimes(version: UInt32) throws {
    var builder = MMKVFixtureBuilder()
    builder.flags = 1
    let time = MMKVFixtureBuilder.little(UInt32(0x6abb_8b0c))
    for index in 0..<3 { builder.put("setting_\(index)", [UInt8(index)] + time) }
    var meta = builder.meta
    meta.replaceSubrange(4..<8, with: MMKVFixtureBuilder.little(version))
    let store = open(meta, data: builder.data)
    let diagnosis = expectSound(store, now: 0)
    #expect(diagnosis.verdict == .repairable)
    let best = try #require(diagnosis.best)
    #expect(best.snapshot.live.count == 3)
    for record in best.snapshot.live {
      #expect(store.expiry(of: record) == 0x6abb_8b0c)
      #expect(
        best.cautions(of: record) == [.mayBeDamaged] || best.evidence(of: record) > .structure)
    }
  }

  @Test func headerOfZeroWithoutMetaIsAnEmptyStoreToTheEngineAlone() throws {
    var builder = SmallStore.builder
    builder.header = 0
    let diagnosis = expectSound(open(nil, data: builder.data), now: 0)
    let prediction = try #require(diagnosis.predictions.first)
    #expect(prediction.load.callbacks == [] && prediction.keyCount == 0)
    #expect(prediction.isSilentLoss)
    #expect(diagnosis.best?.snapshot.live.count == entries)
  }

  @Test(arguments: 0..<40)
  func randomMetaLeavesTheEntries(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let diagnosis = expectSound(open(random.bytes(4096)), now: 0, "seed \(seed)")
    // There is no key, so the version must be beyond 7, or the store would be treated as encrypted.
    #expect(diagnosis.best?.snapshot.live.count == entries, "seed \(seed)")
  }

  @Test func metaCutAfterItsFieldsIsWholeToTheEngine() {
    for count in [112, 113, 4095] {
      let diagnosis = expectSound(open(Array(SmallStore.builder.meta.prefix(count))), now: 0)
      #expect(diagnosis.verdict == .clean)
    }
  }

  @Test func bothFilesMissingIsNoStoreAndNoTrap() {
    let store = open(nil, data: nil)
    #expect(expectSound(store, now: 0).verdict == .unreadable)
  }
}
