import KVBytes
import KVModel
import Testing

/// Where candidates for keys are said to be.
struct KeyCandidateTests {
  /// Tests each of several keys in one text, of one or two bytes a character.
  @Test(arguments: [1, 2], 0...3)
  func aKeyIsFoundAtItsFirstByte(width: Int, padding: Int) throws {
    let keys = ["first-key-of-all", "another-key-here", "the-last-of-them"]
    let text = keys.map { "key=\"\($0)\";" }.joined(separator: " ")
    let units = Array(text.utf8).flatMap { [$0] + [UInt8](repeating: 0, count: width - 1) }
    var candidates = KeyCandidates()
    candidates.add(FileImage([UInt8](repeating: 0, count: padding) + units + [0, 0]), at: "app")
    for key in keys {
      let start = try #require(Array(text.utf8).firstRange(of: Array(key.utf8))).lowerBound
      let index = try #require(
        (0..<candidates.count).first { candidates[$0] == Array(key.utf8) }, "\(key)")
      #expect(
        candidates.place(of: index)
          == "app, offset \(padding + width * start)" + (width == 1 ? "" : ", as UTF-16"))
    }
  }
}
