import ExchangeFormats
import KVFixtures
import KVModel
import Testing

/// The digits of floating-point numbers in every output.
struct NumberDigitsTests {
  @Test func integersHaveAllTheirDigits() {
    #expect(Float(494_947_264).digits == "494947264.0")
    #expect(Float(0.1).digits == "0.1")
    #expect(Float(16_777_216).digits == "16777216.0")
    #expect(Float(-1e10).digits == "-10000000000.0")
    #expect((0.1).digits == "0.1")
    #expect((1.0).digits == "1.0")
    #expect((-0.0).digits == "-0.0")
    // Outside the integers of 64 bits, JSON has the short form too.
    #expect(Float(-1.1154096e+19).digits == "-1.1154096e+19")
    #expect(Double(1 << 60).digits == "1152921504606846976.0")
    #expect((1e300).digits == "1e+300")
    #expect(Double.nan.digits == "nan")
  }

  @Test(arguments: [UInt64(51)])
  func digitsReadBackAsTheSameNumber(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      let double = Double(bitPattern: random.next())
      if float.isFinite { #expect(Float(float.digits)?.bitPattern == float.bitPattern) }
      if double.isFinite { #expect(Double(double.digits)?.bitPattern == double.bitPattern) }
      let whole = Float(Int64.random(in: -1 << 40...1 << 40, using: &random))
      // Whoever reads the digits of an integer as a double gets the same integer.
      #expect(Double(whole.digits) == Double(whole))
    }
  }

  @Test func everyOutputHasTheSameDigits() throws {
    let entries = [
      TypedEntry(key: Key(Array("time".utf8)), value: .float(494_947_264)),
      TypedEntry(key: Key(Array("large".utf8)), value: .double(0x1p60)),
      TypedEntry(key: Key(Array("list".utf8)), value: .array([.float(494_947_264)])),
    ]
    for bytes in [
      try FormatContract.expectRoundTrip(JSONFormat(), entries),
      try FormatContract.expectRoundTrip(JSONLinesFormat(), entries),
      try FormatContract.expectRoundTrip(PropertyListFormat(isXML: true), entries),
    ] {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.split(separator: "494947264").count == 3, "\(text)")
      #expect(text.contains("1152921504606846976"), "\(text)")
    }
    #expect(Value.float(494_947_264).plainJSON == "494947264.0")
    #expect(Value.list(.float([494_947_264])).plainJSON == "[494947264.0]")
  }
}
