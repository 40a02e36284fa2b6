import KVBytes
import KVModel

extension TypeRanking {
  /// Adds the lists that the bytes after an inner length can be.
  mutating func addLists(
    _ content: Span<UInt8>, _ texts: LengthPrefixedList?, besideText isText: Bool
  ) {
    guard !content.isEmpty else {
      add(.stringList, .possible, .emptyLists)
      return
    }
    if let texts, texts.isPlausible(content, average: 2) {
      addTexts(texts, content, besideText: isText)
    }
    addNumbers(Double.self, content, besideText: isText)
    addNumbers(Float.self, content, besideText: isText)
    let hasTruthValues = addTruthValues(content)
    addIntegers(content, besideOthers: isText || hasTruthValues)
  }

  private mutating func addTexts(
    _ list: LengthPrefixedList, _ content: Span<UInt8>, besideText isText: Bool
  ) {
    guard list.isUTF8(content) else {
      if list.isPlausible(content, average: 4) { add(.bytesList, .possible, .lengthsOfBytes) }
      return
    }
    // Strings of 32 bytes and more have a printable length, so the whole is printable too. One in a
    // hundred longer texts is divided like that by its own characters.
    let isByChance =
      isText && !list.isEvident(content) && content[0].oftenBeginsText
      && (list.filledCount == 1 || !list.isUniform)
      && (JSONSyntax.isContainer(content) || !list.hasForeignLength(content))
    switch (list.filledCount, list.isPrintable) {
    case (1..., true) where isByChance: add(.stringList, .plausible, .dividedByChance)
    case (2..., true),
      (1, true) where isText:
      add(.stringList, .compelling, .textsAlternate)
    case (1, true): add(.stringList, content.count > 3 ? .compelling : .likely, .secondLength)
    // The remainder of splitting an empty string.
    case (0, _) where list.count == 1: add(.stringList, .plausible, .emptyElement)
    default: add(.stringList, .possible, .lengthsLead)
    }
  }

  private mutating func addNumbers<Number: UsualNumber>(
    _ type: Number.Type, _ content: Span<UInt8>, besideText isText: Bool
  ) {
    guard let count = Number.count(in: content) else { return }
    let isUsual =
      Number.allSatisfy(in: content) { $0.isUsual }
      && !Number.allSatisfy(in: content) { $0.isZero }
    // A single number with a usual exponent can be a coincidence; several, or a round one, hardly.
    let bits = Double(count) * Number.bitsOfUsual
    guard isUsual,
      bits > 6 || Number.allSatisfy(in: content, { $0.significantDigits <= Number.fewDigits })
    else {
      add(Number.listKind, .remote, .unusualNumbers)
      return
    }
    add(
      Number.listKind, isText ? .possible : bits > 12 ? .compelling : .likely, .typicalNumbers)
  }

  /// Adds a list of Booleans, and returns whether it is a plausible one.
  private mutating func addTruthValues(_ content: Span<UInt8>) -> Bool {
    var hasTrue = false
    for offset in content.indices {
      guard content[offset] <= 1 else { return false }
      hasTrue = hasTrue || content[offset] == 1
    }
    add(.boolList, hasTrue && content.count > 1 ? .likely : .possible, .truthBytes)
    return true
  }

  private mutating func addIntegers(_ content: Span<UInt8>, besideOthers: Bool) {
    if besideOthers, content.isPrintableASCII {
      // Each character is a varint.
      add(.int32List, .possible, .varints)
      return
    }
    guard let list = VarintList(content) else { return }
    let kind: Value.Kind = list.fitsInt32 ? .int32List : .int64List
    if list.hasNegative {
      add(kind, .compelling, .negativeVarints)
      add(.uint64List, .possible, .topBits)
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
    add(kind, likelihood, likelihood < .plausible ? .similarVarints : .varints)
  }
}

extension TypeRanking {
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
