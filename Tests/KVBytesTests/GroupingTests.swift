import KVBytes
import Testing

@Suite struct GroupingTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1000, "1,000"), (-12_345, "-12,345"), (67_108_864, "67,108,864"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func digitsAreGroupedByThree(number: Int, text: String) {
    #expect(number.grouped == text)
  }

  @Test func unsignedNumbersAreGroupedToo() {
    #expect(UInt64.max.grouped == "18,446,744,073,709,551,615")
  }
}
