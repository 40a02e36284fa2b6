import ExchangeFormats
import KVBytes
import KVModel
import Testing

/// Property lists in which many objects refer to the same container.
@Suite struct RepeatedContainerTests {
  /// Returns the bytes of an array with any number of elements.
  private static func array(_ references: [Int]) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeBytes([0xaf, 0x12])
    for number in [references.count] + references {
      writer.writeInteger(UInt32(number), as: .big)
    }
    return writer.bytes
  }

  /// Returns the findings about a list of `count` times the same array of 100,000 times `true`.
  private func findings(_ count: Int) -> [Finding] {
    let list = BinaryListBuilder(objects: [
      BinaryListBuilder.container(0xd0, [1, 2]), BinaryListBuilder.text("a"),
      Self.array([Int](repeating: 3, count: count)),
      Self.array([Int](repeating: 4, count: 100_000)), [0x09],
    ])
    return PropertyListFormat().table(list.bytes).findings
  }

  /// Tests that a file with far fewer bytes than values is not read as a whole, whatever its size.
  @Test func aLargeFileIsReadAsFewMoreValuesThanItHasBytes() {
    #expect(findings(20).isEmpty)
    let messages = findings(30).map(\.message)
    #expect(
      messages.contains { $0.contains("each other as more than 2,097,152 values") }, "\(messages)")
  }
}
