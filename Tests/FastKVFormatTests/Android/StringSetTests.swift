import FastKVFormat
import KVBytes
import Testing

@Suite struct StringSetTests {
  /// Tests that a null is stored as the count -1 in five bytes.
  ///
  /// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Record.
  @Test func aNullIsACountOfMinusOneInFiveBytes() {
    let bytes: [UInt8] = [1, 0x78, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]
    #expect(StringSet.bytes(["x", nil, ""]) == bytes)
    #expect(StringSet.elements(bytes.storageSpan, bytes.indices, isStrict: true) == ["x", nil, ""])
  }

  /// Tests that the fifth byte always ends a count.
  ///
  /// The engine's reader ignores the upper bits of that byte.
  @Test(arguments: [0x0f, 0x8f, 0xff] as [UInt8])
  func theFifthByteOfACountIsTheLastOne(last: UInt8) {
    let bytes: [UInt8] = [0xff, 0xff, 0xff, 0xff, last, 1, 0x78]
    #expect(StringSet.elements(bytes.storageSpan, bytes.indices, isStrict: true) == [nil, "x"])
  }
}
