import KVBytes
import KVModel

/// A line of the file in which a search notes how far it has come: a mark, a checksum, and JSON.
enum CarvingLine {
  private static let mark = Array("kvfsck carve ".utf8)
  /// The numbers that are no positions and no counts of bytes, by the names of their fields, with the
  /// largest ones that they can be.
  private static let limits: [([UInt8], Double)] = [
    ("digest", 0x1p64), ("checksum", 0x1p64), ("seed", 0x1p64), ("isLive", 0x1p64),
    ("spent", 0x1p62), ("trials", 0x1p62), ("modified", 0x1p64),
  ].map { (Array($0.utf8), $1) }

  /// Returns the line with `json`, without a line feed.
  static func line(_ json: [UInt8]) -> [UInt8] {
    mark + Hexadecimal.text(checksum(json)).utf8 + [UInt8(ascii: " ")] + json
  }

  /// Returns the JSON in `line`; `nil` if it is no such line, or another one than was written.
  static func json(in line: [UInt8]) -> [UInt8]? {
    let json = Array(line.dropFirst(mark.count + 11))
    return line.starts(with: mark) && self.line(json) == line ? json : nil
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    CRC32.digest(of: FileImage(bytes), in: bytes.indices)
  }

  /// Returns whether no number in `json` is negative, or larger than `bound` where it is a position.
  ///
  /// The text is passed once, because as a tree it would take many times the memory.
  static func hasPossibleNumbers(_ json: some Sequence<UInt8>, bound: Int) -> Bool {
    var (text, field): ([UInt8], [UInt8]) = ([], [])
    var number: [UInt8] = []
    var (isText, isEscaped) = (false, false)
    for byte in json {
      if isText {
        isText = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        if isText { text.append(byte) }
        continue
      }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        number.append(byte)
        continue
      case UInt8(ascii: "\""): (isText, text) = (true, [])
      case UInt8(ascii: ":"): field = text
      default: break
      }
      guard number.isEmpty || isPossible(number, field, bound) else { return false }
      number = []
    }
    return true
  }

  /// Returns whether `number`, which may be a letter of `true`, is one that `field` can have.
  private static func isPossible(_ number: [UInt8], _ field: [UInt8], _ bound: Int) -> Bool {
    let limit = limits.first { $0.0 == field }?.1 ?? Double(bound)
    return number == [UInt8(ascii: "e")]
      || Double(String(decoding: number, as: UTF8.self)).map { 0...limit ~= $0 } ?? false
  }
}
