import KVBytes
import KVModel

/// The value in the text of an element of an XML property list, and what is odd about the text.
struct PropertyListScalar {
  let value: Value
  /// What no writer writes in this way, for people to read; `nil` if there is nothing.
  let oddity: String?
  /// Whether CoreFoundation refuses the list for it.
  let isRefused: Bool

  /// Creates a value; `oddity` is what CoreFoundation reads although no writer writes it.
  init(_ value: Value, _ oddity: String? = nil) {
    self.value = value
    self.oddity = oddity
    isRefused = false
  }

  /// Returns the value in `text`, as `parse` returns it; if that is only one without the space around
  /// it, CoreFoundation does not read it.
  static func scalar(
    in text: String, _ parse: (String) -> PropertyListScalar?
  ) -> PropertyListScalar? {
    if let scalar = parse(text) { return scalar }
    var rest = text[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return rest.utf8.count == text.utf8.count
      ? nil
      : parse(String(rest)).map { PropertyListScalar($0.value, refusedFor: "space is around it") }
  }

  /// Creates a value that CoreFoundation does not read, because of `oddity`.
  init(_ value: Value, refusedFor oddity: String) {
    self.value = value
    self.oddity = oddity
    isRefused = true
  }
}

/// Numbers in XML property lists.
///
/// Reference: `parseIntegerTag` and `parseRealTag` of CoreFoundation.
enum PropertyListNumber {
  /// Returns the integer in `text`: space, a sign, space, and decimal digits or `0x` and hexadecimal
  /// ones.
  static func integer(_ text: String) -> PropertyListScalar? {
    var rest = withoutSpace(text[...])
    let sign = rest.utf8.first
    let isNegative = sign == UInt8(ascii: "-")
    if isNegative || sign == UInt8(ascii: "+") { rest = withoutSpace(rest.dropFirst()) }
    let isHexadecimal = rest.hasPrefix("0x") || rest.hasPrefix("0X")
    if isHexadecimal { rest = rest.dropFirst(2) }
    guard let magnitude = UInt64(digits: rest, radix: isHexadecimal ? 16 : 10) else { return nil }
    if isNegative {
      return magnitude <= Int64.min.magnitude
        ? PropertyListScalar(.int64(Int64(truncatingIfNeeded: 0 &- magnitude))) : nil
    }
    return PropertyListScalar(
      Int64(exactly: magnitude).map { .int64($0) } ?? .uint64(magnitude))
  }

  /// Returns the number in `text`: a name of one that is not finite, or space and a decimal number.
  static func real(_ text: String) -> PropertyListScalar? {
    let named: Double? =
      switch text.lowercased() {
      case "nan": .nan
      case "inf", "+inf", "infinity", "+infinity": .infinity
      case "-inf", "-infinity": -.infinity
      default: nil
      }
    if let named { return PropertyListScalar(.double(named)) }
    // Before a real, CoreFoundation passes over the control characters of Latin-1, too.
    let rest = Substring(
      text.unicodeScalars.drop { isSpace($0) || (0x80...0xa0).contains($0.value) })
    // Java also reads suffixes, hexadecimal digits and space behind the number.
    guard let number: Double = JavaNumber.number(String(rest)) else { return nil }
    return rest.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) })
      ? PropertyListScalar(.double(number))
      : PropertyListScalar(.double(number), refusedFor: "it is not only a decimal number")
  }

  private static func withoutSpace(_ text: Substring) -> Substring {
    Substring(text.unicodeScalars.drop(while: isSpace))
  }

  /// Returns whether CoreFoundation passes over `character` before a number.
  private static func isSpace(_ character: Unicode.Scalar) -> Bool {
    switch character.value {
    case 0...0x20, 0x7f, 0x2000...0x200b, 0x202f, 0x205f, 0x3000: true
    default: false
    }
  }
}

/// Data in XML property lists.
///
/// Reference: `parseDataTag` of CoreFoundation.
enum PropertyListData {
  /// Returns the bytes in `text`, which is Base64.
  ///
  /// As CoreFoundation, it passes over other characters of ASCII, and over what follows the last
  /// group of four.
  static func bytes(_ text: String) -> PropertyListScalar? {
    var bytes: [UInt8] = []
    var (group, count, padding) = (UInt32(0), 0, 0)
    var (hasOther, hasEnd) = (false, false)
    for character in text.utf8 {
      guard character < 0x80 else { return nil }
      let isPadding = character == UInt8(ascii: "=")
      let isSpace = character == 0x20 || (0x09...0x0d).contains(character)
      if isSpace { continue }
      padding = isPadding ? padding + 1 : 0
      hasEnd = hasEnd || isPadding
      guard let digit = isPadding ? 0 : digit(character) else {
        hasOther = true
        continue
      }
      if hasEnd, !isPadding { hasOther = true }
      group = group << 6 | UInt32(digit)
      count += 1
      if count.isMultiple(of: 4) {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        if padding < 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
        if padding < 1 { bytes.append(UInt8(truncatingIfNeeded: group)) }
      }
    }
    let oddity =
      hasOther
      ? "it has other characters than Base64"
      : count.isMultiple(of: 4) ? nil : "its last group is incomplete, and is not read"
    return PropertyListScalar(Fitting.data(bytes), oddity)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
