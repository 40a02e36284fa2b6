import KVBytes
import KVModel

/// What MMKV's records cost a segmentation.
struct MMKVGrammar: SegmentationGrammar {
  /// The lengths of values that can be told to be pieces of several records, in bytes.
  private static let mixedCount = 8...4096
  /// How far before a record's end the next one is looked for that it may have swallowed, in bytes.
  private static let swallowedCount = 64
  /// What a value costs that fits only with a time of expiry, where nothing says that there are such, or
  /// that is text with the lengths of other records between.
  private static let oddValue: Int32 = 8

  let image: FileImage
  let plausibility: Plausibility
  var file: FileRole { .data }
  /// A zero is an empty key, which stands alone.
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
      // What begins with a letter mostly is a part of a text.
      if text.count(at: offset) == 0 { candidates[index].flags.insert(.canBeSwallowed) }
      var cursor = ByteCursor(image.storageSpan, in: offset..<limit)
      guard case .success(let shape) = RecordShape.read(&cursor) else { continue }
      let isMixed = isTextWithLengths(shape.value, text)
      candidates[index].count = UInt32(clamping: shape.range.count)
      if isMixed || hasLengthsOfText(shape, window.upperBound) {
        candidates[index].flags.insert(.isOddStart)
      }
      let end = shape.range.upperBound
      guard end <= window.upperBound || goesOn(at: end, limit: limit) else { continue }
      candidates[index].flags.insert(.isRecord)
      let (cost, isPlausible) = cost(of: shape, text, isMixed: isMixed)
      candidates[index].cost = cost
      if isPlausible, end <= window.upperBound {
        // Not from its first byte: a text's length and what is after the text can look like a record.
        let count = min(max(0, shape.value.count - 1), Self.swallowedCount)
        candidates[index].swallowedCount = UInt8(count)
      } else if !isPlausible, end < window.upperBound {
        // What comes after it is held to as much as after a gap.
        candidates[index].cost += candidates[end - window.lowerBound].resumption
      }
    }
    return candidates
  }

  private func cost(
    of shape: RecordShape, _ text: TextRuns, isMixed: Bool
  ) -> (Int32, isPlausible: Bool) {
    let keyIsText = !plausibility.expectsTextKeys || text.covers(shape.key)
    // What is text throughout, lengths included, is likelier a piece of a text than a record.
    let isPieceOfText = text.count(at: shape.range.lowerBound) >= shape.range.count
    // That no value follows is quickly decided: it takes a zero after what may be a key.
    let isRemoval = shape.value.isEmpty && keyIsText
    let hasValue = !shape.value.isEmpty && plausibility.hasPlausibleValue(shape, in: image)
    let valueFits = (isRemoval || hasValue) && !isPieceOfText
    let count = SegmentationCost.bytes(shape.range.count)
    switch (keyIsText, valueFits) {
    case (true, true):
      // A value that fits with a time after it is easily an accident, where nothing says that there are
      // such; and a text can have swallowed the beginning of the next record.
      let isOdd =
        isMixed
        || hasValue && plausibility.expiry == .unknown
          && !plausibility.fitsWithoutTime(shape, in: image)
      return (SegmentationCost.key(shape.key.count) + (isOdd ? Self.oddValue : 0), true)
    // An odd record between sound ones costs less than a gap; out of sync it costs more than to stay
    // so, or noise would be read as records.
    case (true, false), (false, true): return (SegmentationCost.gap / 3 + count, false)
    case (false, false): return (SegmentationCost.gap * 2 / 3 + count, false)
    }
  }

  /// Whether the value is text but for a few bytes, as texts are with the lengths of other records
  /// between them, and not as the lists that the engine's API makes.
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

  /// Whether the record's lengths are letters, as all lengths from 32 to 126 are: in a text, one byte in
  /// sixty begins such a record.
  ///
  /// Where sync was lost for damage, a whole record comes next. Among leftover records, reading can begin
  /// in the middle of a text, and take the lengths of the records after it for a part of it.
  private func hasLengthsOfText(_ shape: RecordShape, _ end: Int) -> Bool {
    func isLetter(_ offset: Int) -> Bool { offset < end && (0x20...0x7e).contains(image[offset]) }
    let valueStart = shape.value.lowerBound
    return isLetter(shape.range.lowerBound) && isLetter(valueStart - 1) && isLetter(valueStart)
  }

  /// Returns where the first record is read from, after the prefix.
  ///
  /// The prefix may itself be damaged: then it is four bytes that belong to no record, and what it takes
  /// besides counts as lost.
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

  /// Returns why no record can be read at the gap's start; `cause` if one can, or if the prefix is there.
  func cause(of range: Range<Int>, limit: Int, after cause: Gap.Cause) -> Gap.Cause {
    guard range.lowerBound != DataHeader.byteCount else { return cause }
    var cursor = ByteCursor(image.storageSpan, in: range.lowerBound..<limit)
    guard case .failure(let damage) = RecordShape.read(&cursor) else { return cause }
    return damage.cause
  }
}

/// Where text is in a window.
private struct TextRuns {
  let window: Range<Int>
  /// How many bytes of text begin at each offset.
  private let counts: [Int32]
  /// How many offsets before each one begin text.
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

  /// Returns how many bytes of text begin at `offset`.
  func count(at offset: Int) -> Int { Int(counts[offset - window.lowerBound]) }

  /// Returns whether all of `range` is in the window, and text.
  func covers(_ range: Range<Int>) -> Bool {
    range.upperBound <= window.upperBound && count(at: range.lowerBound) >= range.count
  }

  /// Returns how many offsets in `range`, which is in the window, begin text.
  func count(in range: Range<Int>) -> Int {
    Int(sums[range.upperBound - window.lowerBound] - sums[range.lowerBound - window.lowerBound])
  }
}
