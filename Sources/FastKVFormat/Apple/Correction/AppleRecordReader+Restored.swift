import KVBytes
import KVModel

extension AppleRecordReader {
  /// What a record would be whose header is not to be read.
  private struct Candidate {
    let className: Range<Int>
    let key: Range<Int>
    let value: Range<Int>
    let type: AppleType
  }

  /// How many bytes of a record are tried for a key of any length, and how long such a key can be.
  private static let trialLimit = 256
  private static let keyLimit = 64
  /// How many of the marks of a separator are tried as the end of a record.
  private static let markLimit = 3
  /// How many bytes of a separator are enough to try it, at its front and at its end.
  private static let markCount = 4

  /// The first record in `range`, where none can be read, whose header or class name is damaged, and
  /// whose key, value and CRC are whole.
  ///
  /// The engine writes a header that follows from type, class name, and the counts of key and value. Where
  /// a class name stands, each header that could have stood before it is tried up to each place where a
  /// separator, or what is left of one, begins: with the right one the CRC holds. What it assumes: that
  /// the CRC tells one among the few candidates there are. When it is wrong, a key and a value are divided
  /// wrongly; nothing but these 16 bits verifies the record, so that it is never more than likely.
  ///
  /// - Parameters:
  ///   - range: Bytes in which no record can be read.
  ///   - budget: How many bytes may be read under CRCs.
  /// - Returns: The record; `nil` where there is none, or where more than one could be.
  /// - Complexity: O(`range.count` + `budget`).
  func restored(in range: Range<Int>, budget: inout Int) -> AppleRecordShape? {
    guard let vocabulary, range.count > Self.markCount, budget > 0 else { return nil }
    if let shape = renamed(at: range.lowerBound, limit: range.upperBound, vocabulary, &budget) {
      return shape
    }
    for offset in range {
      let names = vocabulary.classes[Int(image[offset])]
      for (name, types) in names where isName(name, at: offset, limit: range.upperBound) {
        if budget <= 0 { return nil }
        let className = offset..<offset + name.count
        if let shape = restored(className, types, vocabulary, in: range, &budget) { return shape }
      }
    }
    return nil
  }

  /// The record at `offset` with another class name, of the length that it states.
  private func renamed(
    at offset: Int, limit: Int, _ vocabulary: AppleVocabulary, _ budget: inout Int
  ) -> AppleRecordShape? {
    guard let fields = fields(at: offset, limit: limit), fields.isUsual,
      let type = AppleType(rawValue: fields.type),
      let parts = parts(of: fields, at: offset, limit: limit)
    else { return nil }
    let candidate = Candidate(
      className: parts.className, key: parts.key, value: parts.value, type: type)
    for (name, types) in vocabulary.classes.joined()
    where name.count == parts.className.count && types.contains(type)
      && holds(candidate, name, &budget)
    {
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

  /// Where a record's value can end: before a separator, or what is left of one; before the end of the
  /// bytes that hold no other record; or where the lengths say.
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

  /// The counts of bytes that the key before a value of `type` can have, both in `range`.
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

  /// Whether the CRC after the value holds with the header that the engine writes before these parts.
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
    return AppleRecordShape(
      type: candidate.type.rawValue, version: 1, className: candidate.className,
      key: candidate.key, value: candidate.value, range: start..<tail, integrity: .contradicted,
      lengths: .divided, ending: ending, restoredClassName: name)
  }
}
