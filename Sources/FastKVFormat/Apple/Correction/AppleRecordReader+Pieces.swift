import KVBytes
import KVModel

extension AppleRecordReader {
  /// A division of the bytes between two separators into class name, key and value.
  private struct Division {
    let className: Range<Int>
    let key: Range<Int>
    let value: Range<Int>
    /// The bits for it; a wrong one has them with a probability of 1 in 2 to that power.
    let bits: Int
  }

  /// Returns the record that fills `piece`, the bytes before a separator, if its type, version or a
  /// length is damaged.
  ///
  /// The undamaged lengths, and the class names and keys of other records, show where its parts
  /// are: the others determine a damaged length. Its CRC does not match, so nothing verifies it.
  /// `nil` if the two best divisions are about equally good.
  ///
  /// - Complexity: O(`piece.count` times the number of known class names).
  func divided(_ piece: Range<Int>) -> AppleRecordShape? {
    guard let vocabulary, piece.count >= dialect.fixedCount + 2, piece.count <= 0xffff,
      !isBlank(piece), let fields = fields(at: piece.lowerBound, limit: piece.upperBound)
    else { return nil }
    let content = piece.lowerBound + dialect.fixedCount..<piece.upperBound - 2
    let found = classCounts(in: content, fields, vocabulary).flatMap { count in
      divisions(of: content, className: content.prefix(count), fields, vocabulary)
    }
    guard let best = found.max(by: { $0.bits < $1.bits }),
      best.bits >= ApplePriors.leastDivisionBits,
      found.allSatisfy({
        $0.key == best.key && $0.value == best.value
          || best.bits - $0.bits >= ApplePriors.divisionLeadBits
      })
    else { return nil }
    return AppleRecordShape(
      type: fields.type, version: fields.version, className: best.className, key: best.key,
      value: best.value,
      range: piece.lowerBound..<piece.upperBound + dialect.separatorBytes.count,
      integrity: .contradicted, lengths: .divided, ending: .separator)
  }

  /// Returns the lengths that the class name at the start of `content` can have: the stated one, the
  /// one that the other lengths leave, and those of known names.
  private func classCounts(
    in content: Range<Int>, _ fields: Fields, _ vocabulary: AppleVocabulary
  ) -> Set<Int> {
    let room = UInt64(content.count)
    var counts: Set<UInt64> = [fields.classCount]
    if fields.keyCount <= room, fields.valueCount <= room - fields.keyCount {
      counts.insert(room - fields.keyCount - fields.valueCount)
    }
    for name in vocabulary.classNames
    where isName(name, at: content.lowerBound, limit: content.upperBound) {
      counts.insert(UInt64(name.count))
    }
    return Set(counts.filter { $0 <= room }.map { Int($0) })
  }

  /// Returns the divisions with this class name: by the stated length of the key, by that of the
  /// value, and by that of the type.
  private func divisions(
    of content: Range<Int>, className: Range<Int>, _ fields: Fields, _ vocabulary: AppleVocabulary
  ) -> [Division] {
    let room = UInt64(content.upperBound - className.upperBound)
    let type = AppleType(rawValue: fields.type)
    var keyCounts: Set<UInt64> = [fields.keyCount]
    for count in [fields.valueCount, type?.valueCount.map { UInt64($0) }].compactMap({ $0 })
    where count <= room {
      keyCounts.insert(room - count)
    }
    let isKnown = vocabulary.classNames.contains(image.bytes(in: className))
    return keyCounts.compactMap { count in
      guard count > 0, count <= room else { return nil }
      let key = className.upperBound..<className.upperBound + Int(count)
      let value = key.upperBound..<content.upperBound
      let text = image.bytes(in: key)
      let isKnownKey = vocabulary.keys.contains(text)
      guard isKnownKey || ApplePlausibility.isText(text),
        let valueBits = bits(of: value, type, fields)
      else { return nil }
      let stated: [(UInt64, Int)] = [
        (fields.classCount, className.count), (fields.keyCount, key.count),
        (fields.valueCount, value.count),
      ]
      var sum = stated.count { $0.0 == UInt64($0.1) } * ApplePriors.statedLengthBits + valueBits
      sum += isKnown ? ApplePriors.knownClassNameBits : 0
      sum += isKnownKey ? ApplePriors.knownKeyBits : 0
      sum += fields.version == 1 ? ApplePriors.textBits : 0
      return Division(className: className, key: key, value: value, bits: sum)
    }
  }

  /// Returns the bits for a value of `type`; `nil` if neither the type, nor a text, nor the stated
  /// length confirms where it begins.
  private func bits(of value: Range<Int>, _ type: AppleType?, _ fields: Fields) -> Int? {
    switch type {
    case .string: ApplePlausibility(image).isCutText(value) ? ApplePriors.textBits : nil
    case .data, nil: fields.valueCount == UInt64(value.count) ? 0 : nil
    case let type?: type.valueCount == value.count ? ApplePriors.statedLengthBits : nil
    }
  }

  func isName(_ name: [UInt8], at offset: Int, limit: Int) -> Bool {
    limit - offset >= name.count && name.indices.allSatisfy { image[offset + $0] == name[$0] }
  }
}
