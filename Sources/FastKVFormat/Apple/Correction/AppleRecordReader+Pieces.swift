import KVBytes
import KVModel

extension AppleRecordReader {
  /// A division of the bytes between two separators into class name, key and value.
  private struct Division {
    let offset: Int
    let className: Range<Int>
    let key: Range<Int>
    let value: Range<Int>
    var bits = 0

    /// Returns whether both divisions give the same key and value.
    func agrees(with other: Division) -> Bool { key == other.key && value == other.value }
  }

  /// The evidence for a division, in bits; a wrong one has it with a probability of 1 in 2 to that
  /// power.
  private enum Worth {
    static let knownClassName = 12
    static let knownKey = 10
    static let statedLength = 6
    static let fixedType = 6
    static let text = 4
    static let version = 4
    /// The least evidence with which a division is accepted.
    static let least = 20
    /// The least difference to the second-best division.
    static let margin = 4
  }

  /// The most bytes that can have been inserted into a record before its class name.
  private static let insertionLimit = 64

  /// Returns the record that fills `piece`, the bytes before a separator, if its type, version or a
  /// length is damaged, or if bytes were inserted before its class name.
  ///
  /// The undamaged lengths, and the class names and keys of other records, show where its parts
  /// are: the others determine a damaged length. Its CRC does not match, so nothing verifies it.
  /// `nil` if the two best divisions are about equally good.
  ///
  /// - Complexity: O(`piece.count` times the number of known class names).
  func divided(_ piece: Range<Int>) -> AppleRecordShape? {
    guard let vocabulary, piece.count >= dialect.fixedCount + 2, piece.count <= 0xffff,
      !isBlank(piece)
    else { return nil }
    var best: Division?
    var second = 0
    for division in divisions(of: piece, vocabulary) {
      guard let leader = best else {
        best = division
        continue
      }
      if division.agrees(with: leader) {
        if division.bits > leader.bits { best = division }
      } else if division.bits > leader.bits {
        second = leader.bits
        best = division
      } else {
        second = max(second, division.bits)
      }
    }
    guard let best, best.bits >= Worth.least, best.bits - second >= Worth.margin else { return nil }
    let end = piece.upperBound + dialect.separatorBytes.count
    let fields = fields(at: best.offset, limit: piece.upperBound)
    return AppleRecordShape(
      type: fields?.type ?? .max, version: fields?.version ?? 0, className: best.className,
      key: best.key, value: best.value, range: best.offset..<end, integrity: .contradicted,
      lengths: .divided, ending: .separator)
  }

  private func divisions(of piece: Range<Int>, _ vocabulary: AppleVocabulary) -> [Division] {
    let end = piece.upperBound - 2
    let start = piece.lowerBound + dialect.fixedCount
    var found: [Division] = []
    // The class name at its place, with any of the lengths that it can have.
    if let fields = fields(at: piece.lowerBound, limit: piece.upperBound) {
      let room = UInt64(max(0, end - start))
      var counts: Set<UInt64> = [fields.classCount]
      if fields.keyCount <= room, fields.valueCount <= room - fields.keyCount {
        counts.insert(room - fields.keyCount - fields.valueCount)
      }
      for name in vocabulary.classNames where isName(name, at: start, limit: end) {
        counts.insert(UInt64(name.count))
      }
      for count in counts where count <= room {
        found += divisions(
          at: piece.lowerBound, className: start..<start + Int(count), fields, upTo: end,
          vocabulary)
      }
    }
    // The class name further on, if bytes were inserted.
    let last = min(start + Self.insertionLimit, end)
    for offset in start + 1..<max(start + 1, last) {
      for name in vocabulary.classNames where isName(name, at: offset, limit: end) {
        let recordStart = offset - dialect.fixedCount
        guard let fields = fields(at: recordStart, limit: piece.upperBound) else { continue }
        found += divisions(
          at: recordStart, className: offset..<offset + name.count, fields, upTo: end, vocabulary)
      }
    }
    return found
  }

  /// Returns the divisions with this class name: by the stated length of the key, by that of the
  /// value, and by that of the type.
  private func divisions(
    at offset: Int, className: Range<Int>, _ fields: Fields, upTo end: Int,
    _ vocabulary: AppleVocabulary
  ) -> [Division] {
    let room = UInt64(max(0, end - className.upperBound))
    let type = AppleType(rawValue: fields.type)
    var keyCounts: Set<UInt64> = [fields.keyCount]
    if fields.valueCount <= room { keyCounts.insert(room - fields.valueCount) }
    if let count = type?.valueCount, UInt64(count) <= room {
      keyCounts.insert(room - UInt64(count))
    }
    let isKnown = vocabulary.classNames.contains(image.bytes(in: className))
    return keyCounts.compactMap { count in
      guard count > 0, count <= room else { return nil }
      let key = className.upperBound..<className.upperBound + Int(count)
      let value = key.upperBound..<end
      let text = image.bytes(in: key)
      let isKnownKey = vocabulary.keys.contains(text)
      guard isKnownKey || ApplePlausibility.isText(text) else { return nil }
      var division = Division(offset: offset, className: className, key: key, value: value)
      division.bits += isKnown ? Worth.knownClassName : 0
      division.bits += isKnownKey ? Worth.knownKey : 0
      division.bits += fields.classCount == UInt64(className.count) ? Worth.statedLength : 0
      division.bits += fields.keyCount == count ? Worth.statedLength : 0
      division.bits += fields.valueCount == UInt64(value.count) ? Worth.statedLength : 0
      division.bits += fields.version == 1 ? Worth.version : 0
      // The value's length may be damaged: its type, text or stated length must confirm it.
      switch type {
      case .string:
        guard ApplePlausibility(image).isCutText(value) else { return nil }
        division.bits += Worth.text
      case .data, nil:
        guard fields.valueCount == UInt64(value.count) else { return nil }
      case let type?:
        guard type.valueCount == value.count else { return nil }
        division.bits += Worth.fixedType
      }
      return division
    }
  }

  func isName(_ name: [UInt8], at offset: Int, limit: Int) -> Bool {
    limit - offset >= name.count && name.indices.allSatisfy { image[offset + $0] == name[$0] }
  }
}
