import KVBytes
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Which of several stores that carvers show are kept.
struct SweepTests {
  /// A carver that shows given stores, whatever the source has.
  private struct GivenStores: StoreCarver {
    let given: [CarvedStore]

    func needs(pass: Int) -> Bool { pass == 0 }
    mutating func examine(_ window: CarvingWindow, pass: Int) throws(FileError) {}
    func stores() -> [CarvedStore] { given }
    var isLimited: Bool { false }
    mutating func learn(from other: GivenStores) {}
    func isSound(in count: Int) -> Bool { true }
  }

  private static func store(
    _ runs: [Range<Int>], _ tier: CarvedStore.Tier = .inferred, _ probability: Double = 0.9,
    own count: Int? = nil
  ) -> CarvedStore {
    CarvedStore(
      "mmkv", [CarvedFile("", runs, own: count)], tier, Probability(probability), because: "",
      entryCount: nil)
  }

  /// Returns the places of `stores` that are kept.
  private func kept(_ stores: [CarvedStore]) throws -> [[Range<Int>]] {
    let folder = try TemporaryFolder()
    try folder.write([UInt8](repeating: 1, count: 100), to: "image")
    let sweep = Sweep { [GivenStores(given: stores)] }
    return try RawSource.open(folder.path.appending("image")) { (source) throws(FileError) in
      try sweep.stores(in: source, from: nil) { _ throws(FileError) in }.stores
    }.map { $0.files[0].runs }
  }

  /// Tests each place of a second part, with a surer store that covers the bytes from 40 to 59.
  @Test func aStoreIsLeftOutIfOneOfItsPartsIsOfASurerOne() throws {
    let sure = [40..<60]
    for start in 10...80 {
      let first = 0..<10
      let second = start..<start + 10
      for runs in [[first, second], [second, first]] {
        let kept = try kept([Self.store(runs), Self.store(sure, .proven)])
        let isFree = second.upperBound <= 40 || second.lowerBound >= 60
        let expected =
          isFree ? [runs, sure].sorted { $0[0].lowerBound < $1[0].lowerBound } : [sure]
        #expect(kept == expected, "\(start)")
      }
    }
  }

  /// Tests that a proven store comes before a likelier one, a likelier one before an earlier one, and
  /// the earlier of two equal ones first.
  @Test func theBestOfOverlappingStoresIsKept() throws {
    let proven = Self.store([10..<30], .proven, 0.8)
    let likely = Self.store([0..<20], .inferred, 0.99)
    let early = Self.store([5..<15])
    let late = Self.store([12..<25])
    for (stores, expected) in [
      ([likely, proven], proven), ([early, likely], likely), ([late, likely], likely),
      ([late, early], early), ([early, late], early), ([late, early, likely, proven], proven),
    ] {
      #expect(try kept(stores) == [expected.files[0].runs])
      #expect(try kept(stores.reversed()) == [expected.files[0].runs])
    }
  }

  /// Tests each place of a store and the page that its log ends in, with a surer one from 40 to 49
  /// whose page ends at 60.
  @Test func aStoreEndsWhereTheNextBegins() throws {
    let sure = Self.store([40..<60], .proven, own: 10)
    for start in 0...90 {
      let own = start..<start + 10
      let kept = try kept([Self.store([start..<start + 20], own: 10), sure])
      if own.overlaps(40..<50) {
        #expect(kept == [[40..<60]], "\(start)")
      } else if start < 40 {
        #expect(kept == [[start..<min(start + 20, 40)], [40..<60]], "\(start)")
      } else {
        #expect(kept == [[40..<min(60, start)], [start..<start + 20]], "\(start)")
      }
    }
  }
}
