import KVBytes
import KVModel

/// A walk from record to record by their lengths that finds the next record after damage.
///
/// Reading continues after the next separator, or at the next record that its CRC and separator
/// verify, whichever comes first. This assumes that a separator between two records is whole. When
/// it is wrong: the walk continues at a separator inside a value, where CRC and lengths then do not
/// agree.
///
/// - Complexity: O(count of the range), with a budget for CRCs that do not match.
struct AppleWalk {
  /// A record, or a gap between records.
  enum Step {
    case record(AppleRecordShape)
    case gap(Gap)
  }

  /// The most CRC bytes that may be spent in vain for each byte of the range.
  private static let budgetFactor = 8

  private let reader: AppleRecordReader
  private let end: Int
  private(set) var position: Int
  private var budget: Int

  /// Creates a walk through `range`.
  init(_ reader: AppleRecordReader, in range: Range<Int>) {
    self.reader = reader
    position = range.lowerBound
    end = range.upperBound
    budget = max(range.count, 1 << 17) * AppleWalk.budgetFactor
  }

  /// Continues at `offset`.
  ///
  /// - Precondition: `offset` lies within the range.
  mutating func move(to offset: Int) { position = offset }

  /// Returns the next record or gap; `nil` at the end.
  mutating func next() -> Step? {
    guard position < end else { return nil }
    let start = position
    if let shape = reader.shape(at: start, limit: end, needsSeparator: budget <= 0) {
      position = shape.range.upperBound
      return .record(shape)
    }
    if let fields = reader.fields(at: start, limit: end),
      let parts = reader.parts(of: fields, at: start, limit: end)
    {
      budget -= min(parts.value.upperBound - start, 0xffff)
    }
    let next = resumption(after: start)
    let misstated = next.piece.flatMap { reader.misstated(start..<$0) }
    let restored =
      misstated == nil ? reader.restored(in: start..<next.offset, budget: &budget) : nil
    // The bytes that follow the restored record are read again.
    if restored != nil { budget -= next.offset - start }
    if let shape = misstated ?? restored
      ?? next.piece.flatMap({ reader.divided(start..<$0) })
    {
      if shape.range.lowerBound > start {
        position = shape.range.lowerBound
        let range = start..<position
        return .gap(Gap(Extent(.data, range), cause(of: range)))
      }
      position = shape.range.upperBound
      return .record(shape)
    }
    position = next.offset
    let range = start..<next.offset
    return .gap(Gap(Extent(.data, range), cause(of: range)))
  }

  /// Returns where reading continues after damage at `start`, and where the bytes up to the
  /// separator end.
  private mutating func resumption(after start: Int) -> (offset: Int, piece: Int?) {
    let separator = reader.dialect.separatorBytes
    let occurrence = reader.image.firstOccurrence(of: separator, in: start..<end)
    let limit = occurrence ?? end
    var offset = start + 1
    let width = reader.dialect.width
    let last = min(limit, end - reader.dialect.fixedCount)
    while offset < last, budget > 0 {
      // Two bytes reject most offsets: the type's second and the version's first.
      guard reader.image[offset + width] == 1, reader.image[offset + 1] == 0 else {
        offset += 1
        continue
      }
      if let fields = reader.fields(at: offset, limit: end), fields.isUsual,
        let parts = reader.parts(of: fields, at: offset, limit: end)
      {
        budget -= min(parts.value.upperBound - offset, 0xffff)
        if let shape = reader.shape(at: offset, limit: end), shape.isProven { return (offset, nil) }
      }
      offset += 1
    }
    return (occurrence.map { $0 + separator.count } ?? end, occurrence)
  }

  private func cause(of range: Range<Int>) -> Gap.Cause {
    let start = range.lowerBound
    let zeros = reader.image.firstNonzero(in: range) ?? range.upperBound
    if zeros - start >= reader.dialect.fixedCount || zeros == range.upperBound { return .zeros }
    guard let fields = reader.fields(at: start, limit: end) else { return .lengthBeyondEnd }
    if reader.parts(of: fields, at: start, limit: end) == nil { return .lengthBeyondEnd }
    return fields.isUsual ? .checksum : .implausible
  }
}

extension FileImage {
  /// Returns the offset of the first byte in `range` that is not zero.
  func firstNonzero(in range: Range<Int>) -> Int? {
    var cursor = ByteCursor(storageSpan, in: range)
    let end = cursor.readZeros().upperBound
    return end == range.upperBound ? nil : end
  }
}
