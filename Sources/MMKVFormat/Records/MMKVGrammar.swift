import KVBytes
import KVModel

/// The costs of MMKV's records in a segmentation.
struct MMKVGrammar: SegmentationGrammar {
  /// The lengths, in bytes, of values that can be recognized as pieces of several records.
  private static let mixedCount = 8...4096
  /// The distance, in bytes, before a record's end within which a record that it swallowed is
  /// searched for.
  private static let swallowedCount = 64
  /// The cost of a value that fits only with an expiry time, if nothing says that there are any, or
  /// of text with the lengths of other records in it.
  private static let oddValue: Int32 = 8

  let image: FileImage
  let plausibility: Plausibility
  var file: FileRole { .data }
  /// A zero is an empty key, which has no value.
  var passesOverZeros: Bool { true }

  func reading(at offset: Int, limit: Int) -> RecordReading {
    var cursor = ByteCursor(image.storageSpan, in: offset..<limit)
    switch RecordShape.read(&cursor) {
    case .success(let shape):
      return plausibility.accepts(shape, in: image)
        ? .record(end: shape.range.upperBound) : .damage(.implausible)
    case .failure(let damage): return .damage(damage.cause)
    }
  }

  func firstRecord(in range: Range<Int>) -> Int? {
    guard range.lowerBound == DataHeader.byteCount, !range.isEmpty else { return nil }
    var cursor = ByteCursor(image.storageSpan, in: range)
    return (try? cursor.readVarint()).map { _ in cursor.offset } ?? range.lowerBound
  }

  func candidates(in window: Range<Int>, limit: Int) -> [RecordCandidate] {
    let text = TextRuns(image, in: window)
    var candidates = [RecordCandidate](repeating: RecordCandidate(), count: window.count)
    for index in candidates.indices.reversed() {
      let offset = window.lowerBound + index
      guard image[offset] != 0 else { continue }
      // What begins with a letter is mostly part of a text.
      if text.count(at: offset) == 0 { candidates[index].mark(.canBeSwallowed) }
      var cursor = ByteCursor(image.storageSpan, in: offset..<limit)
      guard case .success(let shape) = RecordShape.read(&cursor) else { continue }
      let isMixed = isTextWithLengths(shape.value, text)
      candidates[index].count = UInt32(clamping: shape.range.count)
      if isMixed || hasLengthsOfText(shape, window.upperBound) || isTextOfValue(shape, in: window)
        || isInLength(offset, limit: limit)
      {
        candidates[index].mark(.isOddStart)
      }
      let end = shape.range.upperBound
      guard end <= window.upperBound || goesOn(at: end, limit: limit) else { continue }
      candidates[index].mark(.isRecord)
      let (cost, isPlausible) = cost(of: shape, text, isMixed: isMixed)
      candidates[index].cost = cost
      if isPlausible, end <= window.upperBound {
        // Not at its first byte: a text's length and what follows the text can look like a record.
        let count = min(max(0, shape.value.count - 1), Self.swallowedCount)
        candidates[index].swallowedCount = UInt8(count)
      } else if !isPlausible, end < window.upperBound {
        // What follows it has to be as plausible as what follows a gap.
        candidates[index].cost += candidates[end - window.lowerBound].resumption
      }
    }
    return candidates
  }

  private func cost(
    of shape: RecordShape, _ text: TextRuns, isMixed: Bool
  ) -> (Int32, isPlausible: Bool) {
    let keyIsText = !plausibility.expectsTextKeys || text.covers(shape.key)
    // A record that is all text, lengths included, is more likely a piece of a text.
    let isPieceOfText = text.count(at: shape.range.lowerBound) >= shape.range.count
    // Test first for a removal, which is cheap: it needs a zero after what may be a key.
    let isRemoval = shape.value.isEmpty && keyIsText
    let hasValue = !shape.value.isEmpty && plausibility.hasPlausibleValue(shape, in: image)
    let valueFits = (isRemoval || hasValue) && !isPieceOfText
    let count = SegmentationCost.bytes(shape.range.count)
    switch (keyIsText, valueFits) {
    case (true, true):
      // If nothing says that there are expiry times, a value that fits only with one may be a
      // coincidence; and a text can have swallowed the start of the next record.
      let isOdd =
        isMixed
        || hasValue && plausibility.expiry == .unknown
          && !plausibility.fitsWithoutTime(shape, in: image)
      return (SegmentationCost.key(shape.key.count) + (isOdd ? Self.oddValue : 0), true)
    // In sync, an odd record costs less than a gap. Out of sync it costs more than staying out of
    // sync; otherwise noise would be read as records.
    case (true, false), (false, true): return (SegmentationCost.gap / 3 + count, false)
    case (false, false): return (SegmentationCost.gap * 2 / 3 + count, false)
    }
  }

  /// Returns whether the value is text except for a few bytes, as texts with other records' lengths
  /// between them are, and is not a list that the engine's API writes.
  private func isTextWithLengths(_ value: Range<Int>, _ text: TextRuns) -> Bool {
    guard Self.mixedCount.contains(value.count), value.upperBound <= text.window.upperBound else {
      return false
    }
    var cursor = ByteCursor(image.storageSpan, in: value)
    guard let length = try? cursor.readVarint(), length == UInt64(cursor.remaining) else {
      return false
    }
    let content = cursor.offset..<value.upperBound
    let others = content.count - text.count(in: content)
    guard others > 0, others * 8 <= content.count else { return false }
    return LengthPrefixedList(image.storageSpan.extracting(content)) == nil
  }

  /// Returns whether the record's lengths are printable characters, as all lengths from 32 to 126
  /// are: in a text, one byte in sixty begins such a record.
  ///
  /// Where damage caused the loss of sync, a whole record comes next. Among leftover records,
  /// reading can begin in the middle of a text and take the lengths of the records after it as part
  /// of it.
  private func hasLengthsOfText(_ shape: RecordShape, _ end: Int) -> Bool {
    func isLetter(_ offset: Int) -> Bool { offset < end && (0x20...0x7e).contains(image[offset]) }
    let valueStart = shape.value.lowerBound
    return isLetter(shape.range.lowerBound) && isLetter(valueStart - 1) && isLetter(valueStart)
  }

  /// Returns whether the record may be the text of another one's value, read as a removal because
  /// zeros follow it, as they do after the log: the length before it is that of such a value.
  private func isTextOfValue(_ shape: RecordShape, in window: Range<Int>) -> Bool {
    guard shape.value.isEmpty else { return false }
    let content = shape.range.lowerBound..<shape.key.upperBound
    let start = content.lowerBound - ByteWriter.varintCount(UInt64(content.count))
    guard start >= window.lowerBound else { return false }
    var cursor = ByteCursor(image.storageSpan, in: start..<content.lowerBound)
    return (try? cursor.readVarint()) == UInt64(content.count) && cursor.isAtEnd
  }

  /// Returns whether a record at `offset` would begin within the length of another one's text or data.
  ///
  /// Such a value begins with a length of its own, and the length of the whole value comes before it.
  /// So two lengths in a row differ by the bytes of the second; from 128 bytes on, the second has
  /// several, and its last byte and the first characters of the text can look like a key.
  private func isInLength(_ offset: Int, limit: Int) -> Bool {
    var start = offset
    // All bytes of a length but the last one have the highest bit.
    while start > DataHeader.byteCount, image[start - 1] & 0x80 != 0 { start -= 1 }
    var cursor = ByteCursor(image.storageSpan, in: start..<limit)
    guard start < offset, let content = try? cursor.readVarint(), cursor.offset > offset else {
      return false
    }
    let (whole, overflows) = content.addingReportingOverflow(UInt64(cursor.offset - start))
    let before = start - ByteWriter.varintCount(whole)
    guard !overflows, before >= DataHeader.byteCount else { return false }
    var outer = ByteCursor(image.storageSpan, in: before..<start)
    return (try? outer.readVarint()) == whole && outer.isAtEnd
  }

  /// Returns the offset from which the first record is read, after the prefix.
  ///
  /// If the prefix itself is damaged, it is taken as four bytes that belong to no record, and any
  /// other bytes that it seems to include count as lost.
  func start(
    of window: SegmentationWindow, into gaps: inout GapList, _ cause: Gap.Cause
  ) -> Int {
    let start = window.range.lowerBound
    guard start == DataHeader.byteCount else { return start }
    let fixed = min(start + DataHeader.prefixCount, window.range.upperBound)
    var cursor = ByteCursor(image.storageSpan, in: window.range)
    if (try? cursor.readVarint()) != nil,
      cursor.offset == fixed
        || window.costInSync(at: cursor.offset)
          + Int32(abs(cursor.offset - fixed)) < window.costInSync(at: fixed)
    {
      return cursor.offset
    }
    gaps.add(start..<fixed, cause)
    return fixed
  }

  /// Returns why no record can be read at the gap's start; `cause` if one can, or if the prefix is
  /// there.
  func cause(of range: Range<Int>, limit: Int, after cause: Gap.Cause) -> Gap.Cause {
    guard range.lowerBound != DataHeader.byteCount else { return cause }
    var cursor = ByteCursor(image.storageSpan, in: range.lowerBound..<limit)
    guard case .failure(let damage) = RecordShape.read(&cursor) else { return cause }
    return damage.cause
  }
}

/// The text in a window.
private struct TextRuns {
  let window: Range<Int>
  /// The length in bytes of the text that begins at each offset.
  private let counts: [Int32]
  /// The number of earlier offsets at which text begins, for each offset.
  private let sums: [Int32]

  init(_ image: FileImage, in window: Range<Int>) {
    self.window = window
    var counts = [Int32](repeating: 0, count: window.count + 1)
    for offset in window.reversed() {
      let count = Plausibility.textCount(image.storageSpan, at: offset, limit: window.upperBound)
      let index = offset - window.lowerBound
      if count > 0 { counts[index] = Int32(count) + counts[index + count] }
    }
    var sums: [Int32] = []
    sums.reserveCapacity(counts.count)
    var sum: Int32 = 0
    for count in counts {
      sums.append(sum)
      if count > 0 { sum += 1 }
    }
    self.counts = counts
    self.sums = sums
  }

  /// Returns the length in bytes of the text that begins at `offset`.
  func count(at offset: Int) -> Int { Int(counts[offset - window.lowerBound]) }

  /// Returns whether all of `range` is in the window and is text.
  func covers(_ range: Range<Int>) -> Bool {
    range.upperBound <= window.upperBound && count(at: range.lowerBound) >= range.count
  }

  /// Returns the number of offsets in `range`, which is in the window, at which text begins.
  func count(in range: Range<Int>) -> Int {
    Int(sums[range.upperBound - window.lowerBound] - sums[range.lowerBound - window.lowerBound])
  }
}
