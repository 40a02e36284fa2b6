import KVBytes
import KVModel

/// A part of the log around damage, and the cheapest way to read it.
struct Window {
  /// What it costs to lose sync, in bytes.
  private static let gapCost: Int32 = 12
  /// The lengths of values that can be told to be pieces of several records, in bytes.
  private static let mixedCount = 8...4096
  /// How far before a record's end the next one is looked for that it may have swallowed, in bytes.
  private static let swallowedCount = 64
  /// More than any way of reading costs.
  private static let forbidden: Int32 = .max / 2

  private let image: FileImage
  private let plausibility: Plausibility
  private let start: Int
  private let end: Int
  private let logEnd: Int
  /// What the rest costs from each offset, when a record may begin there.
  private var inStep: [Int32]
  /// What the rest costs from each offset, when the thread is lost.
  private var lost: [Int32]
  /// How many bytes of text begin at each offset.
  private let text: [Int32]
  /// How many bytes of text stand before each offset.
  private let textBefore: [Int32]

  /// The part of `image` from `start` to `end`, costs computed.
  ///
  /// - Complexity: O(`end - start`) in time and memory.
  init(
    _ image: FileImage, _ plausibility: Plausibility, from start: Int, until end: Int, logEnd: Int
  ) {
    self.image = image
    self.plausibility = plausibility
    self.start = start
    self.end = end
    self.logEnd = logEnd
    inStep = [Int32](repeating: 0, count: end - start + 1)
    lost = [Int32](repeating: 0, count: end - start + 1)
    text = Window.textCounts(image, from: start, until: end)
    textBefore = Window.textSums(text)
    computeCosts()
  }

  private mutating func computeCosts() {
    for offset in stride(from: end - 1, through: start, by: -1) {
      let index = offset - start
      let skip = 1 + lost[index + 1]
      var best = Window.gapCost + skip
      var resume = Window.forbidden
      if image[offset] == 0 {
        // Zeros are what the file has where nothing was written: they speak for nothing.
        best = min(best, inStep[index + 1])
        if isHole(at: offset) { resume = inStep[index + 1] }
      } else {
        let cost = recordCost(at: offset)
        best = min(best, cost)
        resume = resumptionCost(at: offset, cost)
      }
      inStep[index] = best
      lost[index] = min(skip, resume)
    }
  }

  private static func textCounts(
    _ image: FileImage, from start: Int, until end: Int
  ) -> [Int32] {
    var counts = [Int32](repeating: 0, count: end - start + 1)
    for offset in stride(from: end - 1, through: start, by: -1) {
      let count = Plausibility.textCount(image.storageSpan, at: offset, limit: end)
      if count > 0 {
        counts[offset - start] = Int32(count) + counts[offset - start + count]
      }
    }
    return counts
  }

  /// How many bytes are part of a text, up to each offset.
  private static func textSums(_ counts: [Int32]) -> [Int32] {
    var sums: [Int32] = []
    sums.reserveCapacity(counts.count)
    var sum: Int32 = 0
    for count in counts {
      sums.append(sum)
      if count > 0 { sum += 1 }
    }
    return sums
  }

  /// Whether the value is text but for a few bytes, as texts are with the lengths of other records
  /// between them, and not as the lists that the engine's API makes.
  private func isTextWithLengths(_ value: Range<Int>) -> Bool {
    guard Self.mixedCount.contains(value.count), value.upperBound <= end else { return false }
    var cursor = ByteCursor(image.storageSpan, in: value)
    guard let length = try? cursor.readVarint(), length == UInt64(cursor.remaining) else {
      return false
    }
    let content = cursor.offset..<value.upperBound
    let textCount = Int(
      textBefore[content.upperBound - start] - textBefore[content.lowerBound - start])
    let others = content.count - textCount
    guard others > 0, others * 8 <= content.count else { return false }
    return LengthPrefixedList(image.storageSpan.extracting(content)) == nil
  }

  /// Whether the thread is lost after the value, at the cost of `rest`, and would not be if reading went
  /// on before its end.
  ///
  /// Then bytes were taken out of its record, which reaches into the next one. What begins with a letter
  /// is left out, for it mostly is a part of a text.
  private func hasSwallowedNext(_ value: Range<Int>, _ rest: Int32) -> Bool {
    guard rest >= Self.gapCost, value.upperBound <= end else { return false }
    // Not from its first byte: a text's length and what is after the text can look like a record.
    return value.dropFirst().suffix(Self.swallowedCount).contains {
      image[$0] != 0 && text[$0 - start] == 0 && inStep[$0 - start] + Self.gapCost <= rest
    }
  }

  /// What the rest costs when a record is read at `offset`.
  private func recordCost(at offset: Int) -> Int32 {
    var cursor = ByteCursor(image.storageSpan, in: offset..<logEnd)
    guard case .success(let shape) = RecordShape.read(&cursor) else { return Window.forbidden }
    let rest = costBehind(shape.range.upperBound)
    guard rest < Window.forbidden else { return rest }
    let keyOffset = shape.key.lowerBound - start
    let keyIsText =
      !plausibility.expectsTextKeys
      || shape.key.upperBound <= end && Int(text[keyOffset]) >= shape.key.count
    // What is text throughout, lengths included, is likelier a piece of a text than a record.
    let isPieceOfText = Int(text[offset - start]) >= shape.range.count
    // That no value follows is said quickly: it takes a zero after what may be a key.
    let isRemoval = shape.value.isEmpty && keyIsText
    let hasValue = !shape.value.isEmpty && plausibility.hasPlausibleValue(shape, in: image)
    let valueFits = (isRemoval || hasValue) && !isPieceOfText
    let count = Int32(min(shape.range.count, 1 << 24))
    switch (keyIsText, valueFits) {
    case (true, true):
      // A short key is easily an accident, and so is a value that fits with a time after it, where
      // nothing says that there are such.
      let isOddlyTimed =
        hasValue && plausibility.expiry == .unknown
        && !plausibility.fitsWithoutTime(shape, in: image)
      // A text can have swallowed the beginning of the next record.
      let isOdd = isOddlyTimed || isTextWithLengths(shape.value)
      return rest + max(0, 8 - 2 * Int32(min(shape.key.count, 4))) + (isOdd ? 8 : 0)
        + (hasSwallowedNext(shape.value, rest) ? count : 0)
    // An odd record between sound ones costs less than a gap; where the thread is lost anyway, it
    // costs more than to stay lost, or noise would be read as records. What comes after it is held to
    // as much as after a gap.
    case (true, false), (false, true):
      return rest + Window.gapCost / 3 + count + resumptionPenalty(shape.range.upperBound)
    case (false, false):
      return rest + Window.gapCost * 2 / 3 + count + resumptionPenalty(shape.range.upperBound)
    }
  }

  /// Whether what begins at `offset` is a hole, or the zeros after the last record.
  private func isHole(at offset: Int) -> Bool {
    image.isZero(in: offset..<min(offset + Resynchronizer.holeCount, end))
  }

  /// What the rest costs when the thread is found again at `offset`, and reading there costs `cost`.
  ///
  /// Where it was lost for damage, a whole record comes next. Where old bytes is left, reading can
  /// begin in the middle of a text, and take the lengths of the records after it for a part of it.
  private func resumptionCost(at offset: Int) -> Int32 {
    guard image[offset] != 0 else {
      return isHole(at: offset) ? inStep[offset - start + 1] : Window.forbidden
    }
    return resumptionCost(at: offset, recordCost(at: offset))
  }

  private func resumptionCost(at offset: Int, _ cost: Int32) -> Int32 {
    guard cost < Window.forbidden else { return cost }
    return cost + resumptionPenalty(offset)
  }

  /// What it costs more to find the thread again at `offset` than to read there in sync.
  private func resumptionPenalty(_ offset: Int) -> Int32 {
    guard offset < end else { return 0 }
    var cursor = ByteCursor(image.storageSpan, in: offset..<logEnd)
    guard case .success(let shape) = RecordShape.read(&cursor),
      hasLengthsOfText(shape) || isTextWithLengths(shape.value)
    else { return 0 }
    return Window.gapCost + Int32(min(shape.range.count, 1 << 24))
  }

  /// Whether the record's lengths are letters, as all lengths from 32 to 126 are: in a text, one byte in
  /// sixty begins such a record.
  private func hasLengthsOfText(_ shape: RecordShape) -> Bool {
    let valueStart = shape.value.lowerBound
    return [shape.range.lowerBound, valueStart - 1, valueStart].allSatisfy { offset in
      offset < end && (0x20...0x7e).contains(image[offset])
    }
  }

  /// What is left to pay after a record that ends at `offset`.
  private func costBehind(_ offset: Int) -> Int32 {
    if offset <= end { return inStep[offset - start] }
    // The record reaches out of the window: it counts if the log goes on after it.
    var cursor = ByteCursor(image.storageSpan, in: offset..<logEnd)
    for _ in 0..<2 {
      _ = cursor.readZeros()
      if cursor.isAtEnd { return 0 }
      guard case .success(let shape) = RecordShape.read(&cursor),
        plausibility.accepts(shape, in: image)
      else { return Window.forbidden }
    }
    return 0
  }

  /// Reads the window in the cheapest way, adds what that leaves out to `gaps`, and returns where
  /// the reading leaves the window.
  func readBest(into gaps: inout GapList, cause: Gap.Cause) -> Int {
    var offset = start
    if start == DataHeader.byteCount { offset = readPrefix(into: &gaps, cause) }
    while offset < end {
      let cost = inStep[offset - start]
      if image[offset] == 0, cost == inStep[offset - start + 1] {
        var cursor = ByteCursor(image.storageSpan, in: offset..<end)
        let zeros = cursor.readZeros()
        if zeros.count >= Resynchronizer.holeCount { gaps.add(zeros, .zeros) }
        offset = zeros.upperBound
      } else if image[offset] != 0, cost == recordCost(at: offset) {
        var cursor = ByteCursor(image.storageSpan, in: offset..<logEnd)
        guard case .success(let shape) = RecordShape.read(&cursor) else { break }
        offset = shape.range.upperBound
      } else {
        offset = skip(from: offset, &gaps, cause)
      }
    }
    return offset
  }

  /// Where the first record is read from, after the prefix.
  ///
  /// The prefix may itself be damaged: then it is four bytes that belong to no record, and what it takes
  /// besides counts as lost.
  private func readPrefix(into gaps: inout GapList, _ cause: Gap.Cause) -> Int {
    let fixed = min(start + DataHeader.prefixCount, end)
    var cursor = ByteCursor(image.storageSpan, in: start..<end)
    if (try? cursor.readVarint()) != nil,
      cursor.offset == fixed
        || inStep[cursor.offset - start]
          + Int32(abs(cursor.offset - fixed)) < inStep[fixed - start]
    {
      return cursor.offset
    }
    gaps.add(start..<fixed, cause)
    return fixed
  }

  /// Leaves bytes out from `start` to where the thread is found again.
  private func skip(
    from start: Int, _ gaps: inout GapList, _ cause: Gap.Cause
  ) -> Int {
    var offset = start
    while offset < end {
      let cost = lost[offset - self.start]
      if offset > start, cost == resumptionCost(at: offset) { break }
      offset += 1
    }
    gaps.add(start..<offset, damage(at: start) ?? cause)
    return offset
  }

  /// Why no record can be read at `offset`; `nil` where one can, or where the prefix is.
  private func damage(at offset: Int) -> Gap.Cause? {
    guard offset != DataHeader.byteCount else { return nil }
    var cursor = ByteCursor(image.storageSpan, in: offset..<logEnd)
    guard case .failure(let damage) = RecordShape.read(&cursor) else { return nil }
    return damage.cause
  }
}
