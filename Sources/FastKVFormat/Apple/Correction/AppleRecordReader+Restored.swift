import KVBytes
import KVModel

extension AppleRecordReader {
  /// The parts of a record whose header cannot be read.
  private struct Candidate {
    let className: Range<Int>
    let key: Range<Int>
    let value: Range<Int>
    let type: AppleType
  }

  /// The longest content, in bytes, that is tried for a key of any length; and the longest such
  /// key.
  private static let trialLimit = 256
  private static let keyLimit = 64
  /// The most occurrences of a part of a separator that are tried as the end of a record.
  private static let markLimit = 3
  /// The number of bytes at either end of a separator that are enough to try it.
  private static let markCount = 4

  /// Returns the first record in `range` whose header or class name is damaged, and whose key,
  /// value and CRC are whole.
  ///
  /// The type, the class name and the lengths of key and value determine a header as the engine
  /// writes it. At each class name, every header that could precede it is tried with each end at
  /// which a separator, or the rest of one, begins. With the right header, the CRC matches. This
  /// assumes that the CRC singles out one among few candidates. When it is wrong, key and value are
  /// divided wrongly. Only these 16 bits support the record, so it is never more than likely.
  ///
  /// - Parameters:
  ///   - range: Bytes in which no record can be read.
  ///   - budget: The number of bytes that CRCs may still cover; reduced by those that they did.
  /// - Returns: The record, or `nil` if there is none or more than one candidate.
  /// - Complexity: O(`range.count` + `budget`).
  func restored(in range: Range<Int>, budget: inout Int) -> AppleRecordShape? {
    guard let vocabulary, range.count > Self.markCount, budget > 0 else { return nil }
    if let shape = renamed(at: range.lowerBound, limit: range.upperBound, vocabulary, &budget) {
      return shape
    }
    for offset in range {
      for (name, types) in vocabulary.classes(at: offset, of: image, limit: range.upperBound) {
        if budget <= 0 { return nil }
        let className = offset..<offset + name.count
        if let shape = restored(className, types, vocabulary, in: range, &budget) { return shape }
      }
    }
    return nil
  }

  /// Returns the record at `offset` with another class name of the stated length.
  private func renamed(
    at offset: Int, limit: Int, _ vocabulary: AppleVocabulary, _ budget: inout Int
  ) -> AppleRecordShape? {
    guard let fields = fields(at: offset, limit: limit), fields.isUsual,
      let type = AppleType(rawValue: fields.type),
      let parts = parts(of: fields, at: offset, limit: limit)
    else { return nil }
    let candidate = Candidate(
      className: parts.className, key: parts.key, value: parts.value, type: type)
    for (name, types) in vocabulary.classes(ofCount: parts.className.count)
    where types.contains(type) && holds(candidate, name, &budget) {
      return shape(of: candidate, name, from: offset, limit)
    }
    return nil
  }

  private func restored(
    _ className: Range<Int>, _ types: Set<AppleType>, _ vocabulary: AppleVocabulary,
    in range: Range<Int>, _ budget: inout Int
  ) -> AppleRecordShape? {
    let name = image.bytes(in: className)
    let headerStart = className.lowerBound - dialect.fixedCount
    let start = max(range.lowerBound, headerStart)
    let fields = headerStart < 0 ? nil : fields(at: headerStart, limit: className.lowerBound)
    var found: [Candidate] = []
    var tried = 0
    for end in ends(after: className.upperBound, limit: range.upperBound, fields, types) {
      for type in types.sorted(by: { $0.rawValue < $1.rawValue }) {
        let whole = className.upperBound..<end
        for count in keyCounts(in: whole, type, fields, vocabulary) {
          let key = whole.lowerBound..<whole.lowerBound + count
          let candidate = Candidate(
            className: className, key: key, value: key.upperBound..<end, type: type)
          tried += 1
          if holds(candidate, name, &budget) { found.append(candidate) }
        }
      }
      if !found.isEmpty { break }
    }
    if found.count > 1 {
      found = found.filter { vocabulary.keys.contains(image.bytes(in: $0.key)) }
    }
    guard found.count == 1, CoincidenceOdds(checksumBits: 16, candidates: Double(tried)).isLikely
    else { return nil }
    return shape(of: found[0], name, from: start, range.upperBound)
  }

  /// Returns where a record's value can end: before a separator or the rest of one, at the end of
  /// the bytes without a record, or where the lengths say.
  private func ends(
    after offset: Int, limit: Int, _ fields: Fields?, _ types: Set<AppleType>
  ) -> [Int] {
    let separator = dialect.separatorBytes
    let window = offset..<min(limit, offset + 0xffff)
    var ends: Set<Int> = []
    func add(_ end: Int) {
      if end > offset, end + 2 <= limit { ends.insert(end) }
    }
    for (mark, distance) in [
      (Array(separator.prefix(Self.markCount)), 0),
      (Array(separator.suffix(Self.markCount)), separator.count - Self.markCount),
    ] {
      var position = offset
      for _ in 0..<Self.markLimit {
        guard position < window.upperBound,
          let next = image.firstOccurrence(of: mark, in: position..<window.upperBound)
        else { break }
        add(next - distance - 2)
        position = next + 1
      }
    }
    if limit - offset <= 0xffff {
      for count in 0..<Self.markCount where matchingCount(at: limit - count, limit: limit) == count
      {
        add(limit - count - 2)
      }
    }
    if let fields, fields.keyCount <= UInt64(window.count) {
      let keyEnd = offset + Int(fields.keyCount)
      for type in types { if let count = type.valueCount { add(keyEnd + count) } }
      if fields.valueCount <= UInt64(window.count) { add(keyEnd + Int(fields.valueCount)) }
    }
    return ends.sorted()
  }

  /// Returns the lengths that the key before a value of `type` can have, both in `range`.
  private func keyCounts(
    in range: Range<Int>, _ type: AppleType, _ fields: Fields?, _ vocabulary: AppleVocabulary
  ) -> [Int] {
    if let count = type.valueCount { return count < range.count ? [range.count - count] : [] }
    var counts: Set<Int> = []
    let room = UInt64(range.count)
    if let fields {
      if fields.keyCount > 0, fields.keyCount <= room { counts.insert(Int(fields.keyCount)) }
      if fields.valueCount < room { counts.insert(Int(room - fields.valueCount)) }
    }
    for count in 1...max(1, min(range.count, Self.keyLimit)) {
      let key = range.lowerBound..<min(range.upperBound, range.lowerBound + count)
      if range.count <= Self.trialLimit || vocabulary.keys.contains(image.bytes(in: key)) {
        counts.insert(key.count)
      }
    }
    return counts.sorted()
  }

  /// Returns whether the CRC after the value matches with the header that the engine writes for
  /// these parts.
  private func holds(_ candidate: Candidate, _ name: [UInt8], _ budget: inout Int) -> Bool {
    let content = candidate.key.lowerBound..<candidate.value.upperBound
    let headCount = dialect.fixedCount + name.count
    guard headCount + content.count <= 0xffff else { return false }
    let width = dialect.width
    var head: [UInt8] = []
    func append(_ value: UInt64, _ count: Int) {
      for index in 0..<count { head.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
    append(candidate.type.rawValue, width)
    append(1, 4)
    for count in [name.count, candidate.key.count, candidate.value.count] {
      append(UInt64(count), width)
    }
    head += name
    budget -= head.count + content.count
    var digest = CRC16()
    digest.update(head.storageSpan, in: head.indices)
    digest.update(image.storageSpan, in: content)
    guard
      UInt64(digest.value) == image.littleEndian(in: content.upperBound..<content.upperBound + 2)
    else { return false }
    let key = image.bytes(in: candidate.key)
    guard vocabulary?.keys.contains(key) == true || ApplePlausibility.isText(key) else {
      return false
    }
    switch candidate.type {
    case .bool: return image[candidate.value.lowerBound] <= 1
    case .string: return ApplePlausibility(image).isCutText(candidate.value)
    default: return true
    }
  }

  private func shape(
    of candidate: Candidate, _ name: [UInt8], from start: Int, _ limit: Int
  ) -> AppleRecordShape {
    let (ending, tail) = ending(at: candidate.value.upperBound + 2, limit)
    let isDivided =
      ending == .separator && divided(start..<candidate.value.upperBound + 2) != nil
    return AppleRecordShape(
      type: candidate.type.rawValue, version: 1, className: candidate.className,
      key: candidate.key, value: candidate.value, range: start..<tail, integrity: .contradicted,
      lengths: isDivided ? .divided : .restored, ending: ending, restoredClassName: name)
  }
}
