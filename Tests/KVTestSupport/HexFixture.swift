/// Bytes written as an annotated hex dump, with markers for offsets.
///
/// Each line has an offset of at least four hexadecimal digits, bytes of two digits each, and a
/// comment after `#`. Bytes between the end of a line and the offset of the next line are zero. A
/// marker (`①` to `⑳`) before a byte, or after the last one of a line, names the offset of the next
/// byte.
///
/// ```swift
/// let fixture = try HexFixture("""
///   0000  08 00 00 00               # header
///   0004  ff ff ff 07  ①01 61 01 7f  # "a" → 7f
///   """)
/// fixture["①"]  // 8
/// ```
package struct HexFixture: Hashable, Sendable {
  /// An error in the text of a fixture.
  package struct Malformed: Error, Hashable {
    /// The line number, from 1.
    package let line: Int
    /// A description of the error.
    package let reason: String
  }

  /// The bytes of the dump.
  package private(set) var bytes: [UInt8] = []
  private var marks: [Character: Int] = [:]

  /// Creates a fixture with the bytes of `text`, padded with zeros to `count` bytes.
  ///
  /// - Throws: `Malformed` if the text is not such a dump.
  package init(_ text: String, zeroFilledTo count: Int = 0) throws(Malformed) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = line.prefix { $0 != "#" }
      let words = content.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      do throws(Reason) {
        try startLine(String(first))
        for word in words.dropFirst() { try read(String(word)) }
      } catch {
        throw Malformed(line: index + 1, reason: error.text)
      }
    }
    if bytes.count < count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
  }

  /// Returns the offset that `mark` names.
  ///
  /// - Precondition: The text has the marker.
  package subscript(mark: Character) -> Int {
    guard let offset = marks[mark] else { preconditionFailure("the fixture has no \(mark)") }
    return offset
  }

  private struct Reason: Error { let text: String }

  private mutating func startLine(_ word: String) throws(Reason) {
    guard word.count >= 4, let offset = Int(word, radix: 16) else {
      throw Reason(text: "\(word) is no offset")
    }
    guard offset >= bytes.count else {
      throw Reason(text: "\(word) lies after \(bytes.count) bytes")
    }
    bytes += [UInt8](repeating: 0, count: offset - bytes.count)
  }

  private mutating func read(_ word: String) throws(Reason) {
    var digits = word
    while let mark = digits.first, ("①"..."⑳").contains(mark) {
      guard marks.updateValue(bytes.count, forKey: mark) == nil else {
        throw Reason(text: "\(mark) stands twice")
      }
      digits.removeFirst()
    }
    guard !digits.isEmpty else { return }
    guard digits.count == 2, let byte = UInt8(digits, radix: 16) else {
      throw Reason(text: "\(word) is no byte")
    }
    bytes.append(byte)
  }
}
