import KVBytes
import KVModel

extension AppleRecordReader {
  /// The evidence for a division into class name, key and value, in bits; a wrong one has it with a
  /// probability of 1 in 2 to that power.
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

  /// Returns the record that fills `piece`, the bytes before a separator, if its type, version or a
  /// length is damaged.
  ///
  /// The undamaged lengths, and the class names and keys of other records, show where its parts
  /// are: the others determine a damaged length. Its CRC does not match, so nothing verifies it.
  /// `nil` if the two best divisions are about equally good.
  ///
  /// - Complexity: O(`piece.count` times the number of lengths of known class names).
  func divided(_ piece: Range<Int>) -> AppleRecordShape? {
    let end = piece.upperBound - 2
    guard let vocabulary, piece.count <= 0xffff, !isBlank(piece),
      let fields = fields(at: piece.lowerBound, limit: end)
    else { return nil }
    let start = piece.lowerBound + dialect.fixedCount
    let known = vocabulary.classes(at: start, of: image, limit: end).map(\.name)
    var nameCounts = Set(known.filter(vocabulary.classNames.contains).map(\.count))
    let room = end - start
    nameCounts.insert(min(Int(clamping: fields.classCount), room))
    let keyCount = min(Int(clamping: fields.keyCount), room)
    nameCounts.insert(max(0, room - keyCount - min(Int(clamping: fields.valueCount), room)))
    var best: (shape: AppleRecordShape, bits: Int)?
    var second = 0
    for nameCount in nameCounts {
      let keyStart = start + nameCount
      let room = end - keyStart
      let rest = Int(exactly: fields.valueCount).map { room - min($0, room) }
      for keyCount in Set([Int(exactly: fields.keyCount), rest].compactMap { $0 })
      where 0 < keyCount && keyCount <= room {
        let shape = AppleRecordShape(
          type: fields.type, version: fields.version, className: start..<keyStart,
          key: keyStart..<keyStart + keyCount, value: keyStart + keyCount..<end,
          range: piece.lowerBound..<piece.upperBound + dialect.separatorBytes.count,
          integrity: .contradicted, lengths: .divided, ending: .separator)
        guard let bits = bits(of: shape, fields, vocabulary) else { continue }
        second = max(second, min(bits, best?.bits ?? 0))
        if bits > best?.bits ?? 0 { best = (shape, bits) }
      }
    }
    guard let best, best.bits >= Worth.least, best.bits - second >= Worth.margin else { return nil }
    return best.shape
  }

  /// Returns the evidence for the parts of `shape`; `nil` if they are implausible.
  private func bits(
    of shape: AppleRecordShape, _ fields: Fields, _ vocabulary: AppleVocabulary
  ) -> Int? {
    let key = image.bytes(in: shape.key)
    let isKnownKey = vocabulary.keys.contains(key)
    guard isKnownKey || ApplePlausibility.isText(key) else { return nil }
    let isKnownName = vocabulary.classNames.contains(image.bytes(in: shape.className))
    let statedCount = [
      (fields.classCount, shape.className), (fields.keyCount, shape.key),
      (fields.valueCount, shape.value),
    ].count { $0 == UInt64($1.count) }
    let bits =
      (isKnownName ? Worth.knownClassName : 0) + (isKnownKey ? Worth.knownKey : 0)
      + statedCount * Worth.statedLength + (fields.version == 1 ? Worth.version : 0)
    // The value's length may be damaged: its type, text or stated length must confirm it.
    switch AppleType(rawValue: fields.type) {
    case .string: return ApplePlausibility(image).isCutText(shape.value) ? bits + Worth.text : nil
    case .data, nil: return fields.valueCount == UInt64(shape.value.count) ? bits : nil
    case let type?: return type.valueCount == shape.value.count ? bits + Worth.fixedType : nil
    }
  }
}
