import ExchangeFormats
import KVBytes
import KVFixtures
import Testing

/// Finding zeros that no writer leaves in a row.
struct ZeroRunsTests {
  @Test func eightZerosAreARunAndSevenAreNot() {
    let bytes: [UInt8] = [1] + zeros(7) + [2] + zeros(8) + [3] + zeros(20)
    #expect(runs(bytes) == [9..<17, 18..<38])
    #expect(ZeroRuns(in: bytes.storageSpan, 10..<30).ranges == [18..<30])
    #expect(ZeroRuns(in: "a\u{0}b" + String(repeating: "\u{0}", count: 9)).ranges == [3..<12])
    #expect(runs([]) == [])
    #expect(runs(zeros(8)) == [0..<8])
  }

  @Test func aRunTouchesWhatItCoversAndWhatEndsWhereItBegins() {
    let bytes: [UInt8] = [UInt8](repeating: 1, count: 10) + zeros(10) + [1] + zeros(8) + [1, 1]
    let runs = ZeroRuns(in: bytes.storageSpan, bytes.indices)
    let touched = [0..<10, 0..<11, 19..<20, 12..<13, 20..<21, 28..<29]
    #expect(touched.allSatisfy { runs.touch($0) })
    let untouched = [0..<9, 29..<31, 30..<31]
    #expect(untouched.allSatisfy { !runs.touch($0) })
  }

  @Test(arguments: [UInt64(3)])
  func runsAreThoseOfASlowSearch(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let count = Int.random(in: 0..<60, using: &random)
      let bytes = (0..<count).map { _ in UInt8(Int.random(in: 0..<12, using: &random) / 11) }
      var expected: [Range<Int>] = []
      var start = 0
      for end in 0...count where end == count || bytes[end] != 0 {
        if end - start >= ZeroRuns.leastCount { expected.append(start..<end) }
        start = end + 1
      }
      #expect(runs(bytes) == expected)
    }
  }

  private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private func runs(_ bytes: [UInt8]) -> [Range<Int>] {
    ZeroRuns(in: bytes.storageSpan, bytes.indices).ranges
  }
}
