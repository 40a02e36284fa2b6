import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Several of a kind in one store, and numbers on either side of a limit.
///
/// With one of each, the first, the last and the longest are the same.
@Suite struct AppleSeveralTests {
  /// Returns the shapes of four records, each of which has one of two key lengths and may be changed.
  private static let shapes: [[(keyCount: Int, isChanged: Bool)]] = (0..<256).map { number in
    (0..<4).map { ((number >> $0) & 1 == 0 ? 4 : 5, (number >> (4 + $0)) & 1 == 1) }
  }

  /// Tests which entries may be stale: exactly those before a changed record with a key as long.
  @Test func whatPrecedesAChangedRecordOfItsLengthMayBeStale() throws {
    for (number, shape) in Self.shapes.enumerated() {
      var builder = AppleFixtureBuilder()
      builder.add(7, "untouched", Array("whole".utf8))
      for (index, (keyCount, isChanged)) in shape.enumerated() {
        let key = "\(index)" + String(repeating: "k", count: keyCount - 1)
        let start = builder.area.count
        builder.add(7, key, Array("the value of \(index)".utf8))
        guard isChanged else { continue }
        // After six fields and the key. No correction explains three bytes.
        for (place, mask) in [(0, 0x2a), (4, 0x13), (9, 0x36)] as [(Int, UInt8)] {
          builder.area[start + 5 * 8 - 4 + keyCount + place] ^= mask
        }
      }
      let store = AppleFastKVStore(builder.file(zeroFilledTo: 4096))
      #expect(store.correctedBits.isEmpty, "\(number)")
      let best = try #require(Diagnosis(of: store, now: 0).best)
      let live = best.snapshot.live
      #expect(live.count == 5, "\(number)")
      let expected = shape.indices.filter { index in
        shape[(index + 1)...].contains { $0.isChanged && $0.keyCount == shape[index].keyCount }
      }
      let stale = live.indices.filter { best.cautions(of: live[$0]).contains(.mayBeStale) }
      #expect(stale == expected.map { $0 + 1 }, "\(number): \(shape)")
      let damaged = live.indices.filter { best.cautions(of: live[$0]).contains(.mayBeDamaged) }
      #expect(damaged == shape.indices.filter { shape[$0].isChanged }.map { $0 + 1 }, "\(number)")
    }
  }

  /// The orders of three texts in the slack.
  private static let orders = [
    [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
  ]

  /// Tests that of the longer texts in the slack, the longest of each key is reported.
  @Test(arguments: orders)
  func theLongestOfSeveralLongerTextsIsReported(order: [Int]) {
    let ends = ["aus Köln", "aus Köln am Rhein", "aus Köln am Rhein, der Vater"]
    var builder = AppleFixtureBuilder()
    for key in ["greeting", "other"] { builder.add(7, key, Array("grüße a".utf8)) }
    let length = UInt64(builder.area.count)
    // The rest of an older record: what follows the log is not a newer part of it.
    builder.area += Array("of an older record".utf8) + Array(builder.separator.utf8)
    var longest: [Extent] = []
    for key in ["other", "greeting"] {
      for index in order {
        let text = Array("grüße \(ends[index])".utf8)
        let start = 18 + builder.area.count + 5 * 8 - 4 + key.utf8.count
        builder.add(7, key, text)
        if index == 2 { longest.append(Extent(.data, start..<start + text.count)) }
      }
    }
    let store = AppleFastKVStore(builder.file(zeroFilledTo: 4096, length: length))
    let found = store.check().filter { $0.code == "fastkv-apple.longer-text" }
    #expect(found.map(\.extent) == longest)
  }

  /// Tests that the last text of a key decides whether a longer one may be what it was.
  @Test(arguments: 0..<16)
  func theLastTextOfAKeyDecidesWhetherItIsCut(number: Int) {
    let isCut = (0..<4).map { number >> $0 & 1 == 1 }
    var builder = AppleFixtureBuilder()
    for (index, isCut) in isCut.enumerated() {
      // Only texts with other characters than those of ASCII are cut.
      builder.add(7, index % 2 == 0 ? "one" : "two", Array((isCut ? "grüße a" : "hello").utf8))
    }
    let length = UInt64(builder.area.count)
    builder.area += Array("of an older record".utf8) + Array(builder.separator.utf8)
    var longer: [Extent] = []
    for (index, key) in ["one", "two"].enumerated() {
      let text = Array("grüße aus Köln".utf8)
      let start = 18 + builder.area.count + 5 * 8 - 4 + key.utf8.count
      builder.add(7, key, text)
      if isCut[index + 2] { longer.append(Extent(.data, start..<start + text.count)) }
    }
    let store = AppleFastKVStore(builder.file(zeroFilledTo: 4096, length: length))
    let found = store.check().filter { $0.code == "fastkv-apple.longer-text" }
    #expect(found.map(\.extent) == longer, "\(isCut)")
  }

  /// Numbers that are usual in an app, up to both limits.
  private static let usual: [Double] = [
    0, -0.0, 1, -1, 0.1, 1e-150, -1e-150, 1e150, -1e150, 1.25e-20, 1e-100, 1e20, 6.02e23, -1e100,
    1_760_000_000.5,
  ]
  /// Numbers beyond the limits, which are taken for a float with bytes of the stack after it.
  private static let unusual: [Double] = [
    1e-150.nextDown, -1e-150.nextDown.magnitude, 1e150.nextUp, -1e150.nextUp.magnitude, 1e-300,
    1e300, .infinity, .nan,
  ]

  private func readings(of number: Double) throws -> (values: [Value], codes: [String]) {
    var builder = AppleFixtureBuilder()
    let bits = number.bitPattern
    builder.add(6, "number", (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) })
    let store = AppleFastKVStore(builder.file(zeroFilledTo: 4096))
    let record = try #require(Diagnosis(of: store, now: 0).best?.snapshot.live.first)
    return (store.readings(of: record).map(\.value), store.codes)
  }

  @Test func aUsualNumberIsReadAndIsNoFinding() throws {
    for number in Self.usual {
      let (values, codes) = try readings(of: number)
      #expect(values.first == .double(number), "\(number)")
      if case .double(let read)? = values.first { #expect(read.sign == number.sign, "\(number)") }
      #expect(!codes.contains("fastkv-apple.broken-double"), "\(number)")
    }
  }

  @Test func anUnusualNumberIsReadAsAFloatAndReported() throws {
    for number in Self.unusual {
      let (values, codes) = try readings(of: number)
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: number.bitPattern))
      #expect(values.count == 1 && values.first?.kind == .double, "\(number): \(values)")
      if !float.isNaN { #expect(values == [.double(Double(float))], "\(number)") }
      #expect(codes.contains("fastkv-apple.broken-double"), "\(number)")
    }
  }
}
