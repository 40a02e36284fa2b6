import KVBytes
import KVModel

extension Ranking {
  /// Adds the lists that the bytes after an inner length can be.
  mutating func addLists(_ content: Span<UInt8>, besideText isText: Bool) {
    guard !content.isEmpty else {
      add(.list(.string([])), .possible, because: "an empty list of any type")
      return
    }
    addTexts(content, besideText: isText)
    addNumbers(content, besideText: isText) { Value.List.double($0) }
    addNumbers(content, besideText: isText) { Value.List.float($0) }
    let hasTruthValues = addTruthValues(content)
    addIntegers(content, besideOthers: isText || hasTruthValues)
  }

  private mutating func addTexts(_ content: Span<UInt8>, besideText isText: Bool) {
    guard let list = LengthPrefixedList(content), list.isPlausible(content, average: 2) else {
      return
    }
    guard let texts = list.texts(content, keeping: limit) else {
      guard list.isPlausible(content, average: 4) else { return }
      add(
        .bytes(list.bytes(content, keeping: limit)), of: list.count, .possible,
        because: "each length leads to the next element; not all elements are UTF-8")
      return
    }
    addTexts(texts, of: list, content, besideText: isText)
  }

  private mutating func addTexts(
    _ texts: [String], of list: LengthPrefixedList, _ content: Span<UInt8>, besideText isText: Bool
  ) {
    let value = Value.List.string(texts)
    // Strings of 32 bytes and more have a printable length, so the whole is printable too. One in a
    // hundred longer texts is divided like that by its own characters.
    let isByChance =
      isText && !list.isEvident(content) && content[0].oftenBeginsText
      && (list.filledCount == 1 || !list.isUniform)
      && (JSONSyntax.isContainer(content) || !list.hasForeignLength(content))
    switch (list.filledCount, list.isPrintable) {
    case (1..., true) where isByChance:
      add(
        value, of: list.count, .plausible,
        because: "its characters, read as lengths, divide it exactly")
    case (2..., true),
      (1, true) where isText:
      add(
        value, of: list.count, .compelling,
        because: "lengths and printable texts alternate to the end")
    case (1, true):
      add(
        value, of: list.count, content.count > 3 ? .compelling : .likely,
        because: "a second length fits the printable text after it"
      )
    // The remainder of splitting an empty string.
    case (0, _) where list.count == 1:
      add(value, of: list.count, .plausible, because: "a list with only an empty text")
    default:
      add(
        value, of: list.count, .possible, because: "each length leads to the next element")
    }
  }

  private mutating func addNumbers<Number: UsualNumber>(
    _ content: Span<UInt8>, besideText isText: Bool, as list: ([Number]) -> Value.List
  ) {
    guard let count = Number.count(in: content),
      let numbers = Number.list(in: content, keeping: limit)
    else { return }
    let width = Number.Bits.bitWidth / 8
    let isUsual =
      Number.allSatisfy(in: content) { $0.isUsual }
      && !Number.allSatisfy(in: content) { $0.isZero }
    // A single number with a usual exponent can be a coincidence; several, or a round one, hardly.
    let isRound = Number.allSatisfy(in: content) { $0.significantDigits <= Number.fewDigits }
    let bits = Double(count) * Number.bitsOfUsual
    guard isUsual, isRound || bits > 6 else {
      add(
        list(numbers), of: count, .remote,
        because: "\(width.grouped) bytes each fit, but some numbers are unusual")
      return
    }
    add(
      list(numbers), of: count, isText ? .possible : bits > 12 ? .compelling : .likely,
      because: "\(width.grouped) bytes each, and every number is typical")
  }

  /// Adds a list of Booleans, and returns whether it is a plausible one.
  private mutating func addTruthValues(_ content: Span<UInt8>) -> Bool {
    var hasTrue = false
    for offset in content.indices {
      guard content[offset] <= 1 else { return false }
      hasTrue = hasTrue || content[offset] == 1
    }
    var elements: [Bool] = []
    let kept = min(limit, content.count)
    elements.reserveCapacity(kept)
    for offset in 0..<kept { elements.append(content[offset] == 1) }
    add(
      .bool(elements), of: content.count, hasTrue && content.count > 1 ? .likely : .possible,
      because: "every byte is 00 or 01")
    return true
  }

  private mutating func addIntegers(_ content: Span<UInt8>, besideOthers: Bool) {
    guard let list = VarintList(content) else { return }
    let elements: Value.List =
      list.fitsInt32
      ? .int32(list.int32s(content, keeping: limit))
      : .int64(list.int64s(content, keeping: limit))
    if list.hasNegative {
      add(
        elements, of: list.count, .compelling,
        because: "whole varints, with ten bytes for each negative number")
      add(
        .uint64(list.uint64s(content, keeping: limit)), of: list.count, .possible,
        because: "whole varints, if the top bit is not a sign bit")
      return
    }
    let bits = max(list.savedBits, list.shapeBits)
    let isOther = besideOthers || bits >= 4 && Self.isOfOtherType(content)
    let likelihood: Likelihood =
      switch bits {
      case _ where list.count < 2 || isOther: .possible
      case 16...: .compelling
      case 8...: .likely
      case 4...: .plausible
      default: .possible
      }
    add(
      elements, of: list.count, likelihood,
      because: likelihood < .plausible
        ? "whole varints of similar size; other integer types give the same numbers"
        : "whole varints; other integer types give the same numbers")
  }
}

extension Ranking {
  /// Returns whether the content shows what it is, or is text for the most part: then the bytes of
  /// its characters are no numbers of similar size.
  fileprivate static func isOfOtherType(_ content: Span<UInt8>) -> Bool {
    if ContentType(of: content) != nil || KeyedArchive.begins(content) { return true }
    var count = 0
    for offset in content.indices {
      let byte = content[offset]
      if byte == UInt8(ascii: " ") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) {
        count += 1
      }
    }
    return content.count >= 8 && count * 3 >= content.count
  }
}

extension UInt8 {
  /// Whether many texts begin with this character: a letter, a digit, another character of tokens,
  /// a slash, a space or a bracket of JSON.
  fileprivate var oftenBeginsText: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "{"),
      UInt8(ascii: "["), UInt8(ascii: "/")...UInt8(ascii: "9"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
