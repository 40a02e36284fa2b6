import KVModel

extension Ranking {
  /// Adds the lists that the bytes after an inner length can be.
  mutating func addLists(_ content: Span<UInt8>, besideText isText: Bool) {
    guard !content.isEmpty else {
      add(.list(.string([])), .possible, because: "a list of any type that has no elements")
      return
    }
    addTexts(content, besideText: isText)
    addNumbers(Double.list(in: content), manyEnough: 2) { .double($0) }
    addNumbers(Float.list(in: content), manyEnough: 4) { .float($0) }
    addTruthValues(content)
    addIntegers(content, besideText: isText)
  }

  private mutating func addTexts(_ content: Span<UInt8>, besideText isText: Bool) {
    guard let list = LengthPrefixedList(content), list.isPlausible(content, average: 2) else {
      return
    }
    guard let texts = list.texts(content) else {
      guard list.isPlausible(content, average: 4) else { return }
      add(
        .list(.bytes(list.bytes(content))), .possible,
        because: "lengths lead from one element to the next; not all of them are UTF-8")
      return
    }
    let value = Value.list(.string(texts))
    // Texts of 32 bytes and more have a printable length, so that the whole is printable too.
    let isByChance =
      isText && content[0].oftenBeginsText && (list.filledCount == 1 || !list.isUniform)
    switch (list.filledCount, list.isPrintable) {
    case (1..., true) where isByChance:
      add(
        value, .plausible,
        because: "the text's own characters, taken as lengths, divide it without a rest")
    case (2..., true),
      (1, true) where isText:
      add(value, .compelling, because: "lengths and printable texts take turns and end together")
    case (1, true):
      add(value, .likely, because: "a second length fits the printable text behind it")
    // What is left of splitting an empty text.
    case (0, _) where list.count == 1:
      add(value, .plausible, because: "a list whose only element is the empty text")
    default:
      add(value, .possible, because: "lengths lead from one element to the next")
    }
  }

  private mutating func addNumbers<Number: UsualNumber>(
    _ numbers: [Number]?, manyEnough: Int, as list: ([Number]) -> Value.List
  ) {
    guard let numbers else { return }
    let width = Number.Bits.bitWidth / 8
    // A single number of a usual exponent can be chance; several, or a round one, hardly.
    let isUsual =
      numbers.allSatisfy(\.isUsual) && numbers.contains { !$0.isZero }
      && (numbers.count >= manyEnough
        || numbers.allSatisfy { $0.significantDigits <= Number.fewDigits })
    if isUsual {
      add(
        .list(list(numbers)), .likely,
        because: "\(width) bytes each, and every number is a usual one")
    } else {
      add(.list(list(numbers)), .remote, because: "\(width) bytes each fit; odd numbers among them")
    }
  }

  private mutating func addTruthValues(_ content: Span<UInt8>) {
    var hasTrue = false
    for offset in content.indices {
      guard content[offset] <= 1 else { return }
      hasTrue = hasTrue || content[offset] == 1
    }
    var elements: [Bool] = []
    elements.reserveCapacity(content.count)
    for offset in content.indices { elements.append(content[offset] == 1) }
    add(
      .list(.bool(elements)), hasTrue && elements.count > 1 ? .likely : .possible,
      because: "every byte is 00 or 01")
  }

  private mutating func addIntegers(_ content: Span<UInt8>, besideText isText: Bool) {
    guard let list = VarintList(content) else { return }
    let elements: Value.List =
      list.fitsInt32 ? .int32(list.int32s(content)) : .int64(list.int64s(content))
    if list.hasNegative {
      add(
        .list(elements), .compelling,
        because: "whole varints, with ten bytes where a number is negative")
      add(
        .list(.uint64(list.uint64s(content))), .possible,
        because: "whole varints, if the top bit is not a sign")
      return
    }
    // Eight bytes below 80 are one of 256 by chance.
    let isSmall = list.count == content.count && list.count >= 8 && list.hasNonzero && !isText
    add(
      .list(elements), isSmall ? .likely : .possible,
      because: isSmall
        ? "small whole varints; other integer types give the same numbers"
        : "whole varints; other integer types give the same numbers")
  }
}

extension UInt8 {
  /// Whether many texts begin with this character: a letter, a digit, a slash, a space.
  fileprivate var oftenBeginsText: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "/")...UInt8(ascii: "9"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
