import KVBytes

/// Bytes written as hexadecimal digits: plainly, or as a hexdump of xxd, `hexdump` or `od`.
enum HexText {
  /// The smallest number of bytes that is taken for a file.
  private static let leastCount = 8
  /// The number of bytes in a line of a hexdump.
  private static let rowCount = 16
  /// The numbers of digits that its offsets have.
  private static let offsetCounts = 7...8
  /// The longest line of a hexdump.
  private static let lineCount = 200

  /// Returns the bytes that `image` spells; `nil` if it is not hexadecimal text.
  static func bytes(of image: FileImage) -> [UInt8]? {
    let start = image.bytes(in: 0..<min(lineCount, image.count))
    guard start.count >= 2 * leastCount, start.prefix(4).allSatisfy({ value(of: $0) != nil }) else {
      return nil
    }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    // A line of a hexdump begins with its offset.
    if let end = line.firstIndex(where: { value(of: $0) == nil }), offsetCounts.contains(end),
      line[end] == UInt8(ascii: ":") || line[end] == UInt8(ascii: " ")
    {
      // od writes offsets in octal.
      return dumped(image, radix: 16) ?? dumped(image, radix: 8)
    }
    return plain(image)
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }

  /// Returns the bytes of digits with any white space between bytes.
  private static func plain(_ image: FileImage) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for offset in image.range {
      guard let digit = value(of: image[offset]) else {
        guard isSpace(image[offset]), high == nil else { return nil }
        continue
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil && bytes.count >= leastCount ? bytes : nil
  }

  /// Returns the bytes of a hexdump whose offsets are in base `radix`; a line `*` stands for
  /// repetitions of the line before.
  private static func dumped(_ image: FileImage, radix: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var row: [UInt8] = []
    var isRepeated = false
    var hasEnd = false
    for line in image.bytes.split(separator: UInt8(ascii: "\n")) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if line.elementsEqual("*".utf8) {
        isRepeated = true
        continue
      }
      guard !hasEnd, line.count <= lineCount, let parsed = DumpLine(line, radix: radix) else {
        return nil
      }
      if isRepeated {
        guard row.count == rowCount, parsed.offset <= CopySearch.byteLimit else { return nil }
        while bytes.count < parsed.offset { bytes += row }
        isRepeated = false
      }
      if parsed.bytes.isEmpty {
        // hexdump and od end with the size. hexdump fills the last number up to two bytes.
        if parsed.offset == bytes.count - 1, row.count.isMultiple(of: 2) { bytes.removeLast() }
        hasEnd = true
      }
      guard parsed.offset == bytes.count, hasEnd || row.isEmpty || row.count == rowCount else {
        return nil
      }
      row = parsed.bytes
      bytes += row
    }
    return isRepeated || bytes.count < leastCount ? nil : bytes
  }

  /// A line of a hexdump.
  private struct DumpLine {
    let offset: Int
    let bytes: [UInt8]

    init?(_ line: ArraySlice<UInt8>, radix: Int) {
      let digits = line.prefix { value(of: $0) != nil }
      let text = String(decoding: digits, as: UTF8.self)
      guard offsetCounts.contains(digits.count), let offset = Int(digits: text, radix: radix) else {
        return nil
      }
      self.offset = offset
      var rest = line[digits.endIndex...]
      let isOfXXD = rest.first == UInt8(ascii: ":")
      if isOfXXD { rest = rest.dropFirst() }
      // What follows the digits is text.
      let bar = rest.firstIndex(of: UInt8(ascii: "|")) ?? rest.endIndex
      rest = rest[..<bar]
      if isOfXXD, let end = Self.textStart(in: rest) { rest = rest[..<end] }
      let words = rest.split(separator: UInt8(ascii: " "))
      // hexdump without options writes numbers of two bytes, the lower one first.
      let isSwapped = !isOfXXD && !words.isEmpty && words.allSatisfy { $0.count == 4 }
      var bytes: [UInt8] = []
      for word in words {
        guard let part = Hexadecimal.bytes(String(decoding: word, as: UTF8.self)) else {
          return nil
        }
        bytes += isSwapped ? part.reversed() : part
      }
      guard bytes.count <= rowCount else { return nil }
      self.bytes = bytes
    }

    /// Returns where the text of a line of xxd begins: after two spaces.
    private static func textStart(in rest: ArraySlice<UInt8>) -> Int? {
      var isAfterDigit = false
      for index in rest.indices {
        let isSpace = rest[index] == UInt8(ascii: " ")
        if isSpace, isAfterDigit, index + 1 < rest.endIndex,
          rest[index + 1] == UInt8(ascii: " ")
        {
          return index
        }
        isAfterDigit = !isSpace
      }
      return nil
    }
  }
}

/// Text that a tool made from bytes, one character for each byte.
struct DecodedText {
  /// The characters from 0x80 on in the code pages of Windows and of its consoles; bytes without a
  /// character stand for themselves.
  private enum CodePage: CaseIterable {
    case latin1, windows1252, dos437, dos850

    var upper: String {
      switch self {
      case .latin1: ""
      case .windows1252:
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ"
      case .dos437:
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
          + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}"
      case .dos850:
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤"
          + "ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}"
      }
    }

    /// Returns the bytes of `characters`; `nil` if one is not in the code page.
    func bytes(of characters: [UInt32]) -> [UInt8]? {
      var values: [UInt32: UInt8] = [:]
      for byte in UInt8(0)...255 { values[UInt32(byte)] = byte }
      let upper = upper.unicodeScalars
      // A character of the table is not that of its number in Latin-1.
      for byte in 0x80..<0x80 + upper.count { values[UInt32(byte)] = nil }
      for (index, scalar) in upper.enumerated() { values[scalar.value] = UInt8(0x80 + index) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(characters.count)
      for character in characters {
        guard let byte = values[character] else { return nil }
        bytes.append(byte)
      }
      return bytes
    }
  }

  private let characters: [UInt32]

  /// Creates the text of a file in UTF-16 with a byte order mark; `nil` if `image` is not one.
  init?(utf16 image: FileImage) {
    guard image.count >= 4, image.count.isMultiple(of: 2) else { return nil }
    let isLittleEndian = image[0] == 0xff && image[1] == 0xfe
    guard isLittleEndian || image[0] == 0xfe && image[1] == 0xff else { return nil }
    characters = stride(from: 2, to: image.count, by: 2).map { offset in
      let (first, second) = (UInt32(image[offset]), UInt32(image[offset + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
  }

  /// Creates the text of a file in UTF-8 that has characters other than ASCII; `nil` if `image` is
  /// not one, or a byte was replaced when it was written.
  init?(utf8 image: FileImage) {
    let head = image.bytes(in: 0..<min(4096, image.count))
    guard head.contains(where: { $0 >= 0x80 }), !head.contains(where: { $0 >= 0xf0 }),
      let text = String(utf8: image.bytes)
    else { return nil }
    let scalars = text.unicodeScalars.map(\.value)
    // A byte order mark is no byte of the file.
    characters = scalars.first == 0xfeff ? Array(scalars.dropFirst()) : scalars
    if characters.contains(0xfffd) { return nil }
  }

  /// What the bytes may have been, in each code page, and with and without the last line end, which
  /// a shell adds.
  var originals: CopyChange.Originals {
    let pages: [CodePage] =
      characters.contains { $0 >= 0x80 } ? CodePage.allCases : [.latin1]
    return CopyChange.Originals(count: pages.count * 2) { index in
      guard let bytes = pages[index / 2].bytes(of: characters) else { return nil }
      let lines = LineEnds.withoutReturns(bytes) ?? bytes
      if index % 2 == 0 { return lines }
      return lines.last == UInt8(ascii: "\n") ? lines.dropLast() : nil
    }
  }
}
