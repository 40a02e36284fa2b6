/// The Base64 encoding of RFC 4648 § 4, with padding, and that for URLs of § 5, without.
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the Base64 encoding of `bytes`.
  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        let isThere = index <= group.count
        text.append(
          isThere ? digits[Int(word >> UInt32(18 - 6 * index) & 0x3f)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The smallest number of characters that is taken for Base64.
  package static let leastCount = 16
  /// What ``values`` has for white space, and for characters that are in neither form.
  package static let space: UInt8 = 64
  package static let none: UInt8 = 255
  /// The value of each character as a digit of either form, ``space`` or ``none``.
  package static let values: [UInt8] = {
    var values = [UInt8](repeating: none, count: 256)
    for (range, start) in [(0x41...0x5a, 0), (0x61...0x7a, 26), (0x30...0x39, 52)] {
      for (index, character) in range.enumerated() { values[character] = UInt8(start + index) }
    }
    for (characters, value) in [("+-", UInt8(62)), ("/_", 63), ("\t\n\r ", space)] {
      for character in characters.utf8 { values[Int(character)] = value }
    }
    return values
  }()

  /// Returns the bytes that `image` encodes, with or without line ends; `nil` if it is not Base64.
  ///
  /// `isLenient` also takes the form for URLs, and either form without the padding.
  package static func bytes(of image: FileImage, isLenient: Bool = false) -> [UInt8]? {
    let others = Array((isLenient ? "" : "-_").utf8)
    var bytes: [UInt8] = []
    var word: UInt32 = 0
    var count = 0
    var paddingCount = 0
    for offset in image.range {
      let character = image[offset]
      if character == UInt8(ascii: "=") {
        paddingCount += 1
        continue
      }
      let value = values[Int(character)]
      if value == space { continue }
      guard value < space, paddingCount == 0, !others.contains(character) else { return nil }
      word = word << 6 | UInt32(value)
      count += 1
      if count % 4 == 0 {
        bytes += [UInt8(word >> 16 & 0xff), UInt8(word >> 8 & 0xff), UInt8(word & 0xff)]
      }
    }
    let isPadded = paddingCount == (4 - count % 4) % 4 || isLenient && paddingCount == 0
    guard count >= leastCount, isPadded, count % 4 != 1 else { return nil }
    switch count % 4 {
    case 2: bytes.append(UInt8(word >> 4 & 0xff))
    case 3: bytes += [UInt8(word >> 10 & 0xff), UInt8(word >> 2 & 0xff)]
    default: break
    }
    return bytes
  }
}
