import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Two damaged copies of one log, each with several entries that the other lacks or has removed.
@Suite struct AndroidSeveralTests {
  /// What a copy has of a key.
  private enum Held: Int, CaseIterable { case nothing, value, removal }

  /// Returns a copy with `count` whole entries, a record without an end, and the keys `a` and `b` as
  /// stated.
  private static func copy(_ count: Int, _ a: Held, _ b: Held, broken: UInt8) -> [UInt8] {
    var builder = AndroidBuilder()
    for index in 0..<count { builder.text("entry\(index)", "the value of \(index)") }
    // No file has as many bytes as this length says.
    builder.add(0x09, [0x62, 0x72, broken], [0xff, 0xff, 0xff, 0x7f] + Array("rest".utf8))
    for (key, held) in [("first", a), ("second", b)] where held != .nothing {
      builder.text(key, "the value of \(key)", struck: held == .removal)
    }
    builder.text("last", "the last of the log")
    builder.capacity = 1024
    var bytes = builder.bytes
    bytes[6] ^= 0x55
    return bytes
  }

  /// Tests that the union of two damaged copies has what either has, except what the fuller one has
  /// removed.
  @Test func theUnionOfDamagedCopiesBringsNoRemovedKeyBack() {
    for number in 0..<81 {
      let held = [1, 3, 9, 27].map { Held.allCases[number / $0 % 3] }
      let store = AndroidBuilder.open(
        a: Self.copy(6, held[0], held[1], broken: 0x31),
        b: Self.copy(3, held[2], held[3], broken: 0x32))
      let best = Diagnosis(of: store, now: 0).best
      let keys = Set((best?.snapshot.live ?? []).compactMap { store.key(of: $0).text })
      var expected = Set((0..<6).map { "entry\($0)" } + ["last"])
      for (key, a, b) in [("first", held[0], held[2]), ("second", held[1], held[3])]
      where a == .value || a == .nothing && b == .value {
        expected.insert(key)
      }
      #expect(keys == expected, "\(held)")
    }
  }

  /// Returns a copy with `count` entries whose keys begin with `name`.
  private static func whole(_ name: String, _ count: Int) -> [UInt8] {
    var builder = AndroidBuilder()
    for index in 0..<count { builder.text("\(name)\(index)", "the value of \(index)") }
    return builder.bytes
  }

  /// Tests which of a pair and a last copy without an entry in common is read: the last copy if the
  /// engine could read the pair when it wrote that, and otherwise the one with more entries.
  @Test func aPairThatCouldNotBeReadIsReadIfItIsFuller() {
    for pairCount in 1...4 {
      for lastCount in 1...4 {
        let (pair, last) = (Self.whole("pair", pairCount), Self.whole("last", lastCount))
        for b in [nil, Array(pair.prefix(5)), pair] {
          let store = AndroidBuilder.open(a: pair, b: b, c: last)
          let isPairTaken = b != pair && pairCount > lastCount
          let best = Diagnosis(of: store, now: 0).best
          let keys = Set((best?.snapshot.live ?? []).compactMap { store.key(of: $0).text })
          let expected =
            isPairTaken ? (0..<pairCount).map { "pair\($0)" } : (0..<lastCount).map { "last\($0)" }
          #expect(keys == Set(expected), "\(pairCount), \(lastCount), \(b?.count ?? 0) bytes")
        }
      }
    }
  }
}
