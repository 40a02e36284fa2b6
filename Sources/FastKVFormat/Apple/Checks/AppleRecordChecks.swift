import KVBytes
import KVModel

/// The findings about single records: what their checksums do not verify, and what the engine's own
/// defects have done to them.
///
/// A defect that many records share is one finding, at the first of them.
struct AppleRecordChecks {
  private let store: AppleFastKVStore
  private let image: FileImage
  private let log: Range<Int>

  /// Creates the checks of the records of `store`, within its best length claim.
  init(_ store: AppleFastKVStore) {
    self.store = store
    image = store.image
    log = (store.lengthClaims.last?.log ?? store.logArea).range
  }

  /// The number of records that share a defect, and the first of them.
  private struct Tally {
    var first: Range<Int>?
    var count = 0

    mutating func add(_ range: Range<Int>) {
      first = first ?? range
      count += 1
    }

    func finding(
      _ code: FindingCode, _ message: (Int) -> String
    ) -> [Finding] {
      guard let first else { return [] }
      return [Finding(code, at: Extent(.data, first), message(count))]
    }
  }

  private struct Tallies {
    var uncovered = Tally()
    var doubles = Tally()
    var nils = Tally()
    var cut = Tally()
    var single: [Finding] = []
  }

  func findings() -> [Finding] {
    var tallies = Tallies()
    var walk = AppleWalk(store.reader, in: log)
    while let step = walk.next() {
      guard case .record(let shape) = step else { continue }
      checkWitnesses(shape, &tallies)
      checkContents(shape, &tallies)
    }
    return tallies.single + longerTexts()
      + tallies.uncovered.finding(AppleFindings.uncovered) {
        "the CRC covers only the length modulo 65,536: parts of \(($0).grouped) \($0 == 1 ? "record" : "records") "
          + "are unverified"
      }
      + tallies.doubles.finding(AppleFindings.brokenDouble) {
        "\(($0).grouped) \($0 == 1 ? "double or date is" : "doubles or dates are") stored as a float and four "
          + "stray bytes: read with "
          + "float precision; the app's next launch will destroy them"
      }
      + tallies.nils.finding(AppleFindings.immortalNil) {
        "\(($0).grouped) \($0 == 1 ? "key is" : "keys are") set to nil: the engine ignores every later set and "
          + "remove of \($0 == 1 ? "it" : "them")"
      }
      + tallies.cut.finding(AppleFindings.textCut) {
        "\(($0).grouped) \($0 == 1 ? "non-ASCII text is" : "non-ASCII texts are") truncated whenever the "
          + "engine writes \($0 == 1 ? "it" : "them"), as it does at each launch: it stores one byte per "
          + "UTF-16 unit"
      }
  }

  /// Returns texts in the slack that extend a cut-off text of the same key.
  private func longerTexts() -> [Finding] {
    let slack = log.upperBound..<image.count
    guard let last = image.lastNonzero(in: slack) else { return [] }
    var cut: [Key: [UInt8]] = [:]
    var walk = AppleWalk(store.reader, in: log)
    while let step = walk.next() {
      guard case .record(let shape) = step else { continue }
      let key = Key(image.bytes(in: shape.key))
      let text = image.bytes(in: shape.value)
      cut[key] = shape.type == AppleType.string.rawValue && AppleText.isCut(text) ? text : nil
    }
    if cut.isEmpty { return [] }
    var longest: [Key: AppleRecordShape] = [:]
    var older = AppleWalk(store.reader, in: slack.lowerBound..<last + 1)
    while let step = older.next() {
      guard case .record(let shape) = step, shape.type == AppleType.string.rawValue else {
        continue
      }
      let key = Key(image.bytes(in: shape.key))
      guard let text = cut[key], shape.value.count > text.count,
        shape.value.count > longest[key]?.value.count ?? 0,
        image.bytes(in: shape.value).starts(with: text[..<AppleText.wholeCount(text)])
      else { continue }
      longest[key] = shape
    }
    return longest.values.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { shape in
      Finding(
        AppleFindings.longerText, at: Extent(.data, shape.value),
        "a longer text of a key with a truncated text is here, after the log "
          + "(\(shape.value.count.inBytes))")
    }
  }

  private func checkWitnesses(_ shape: AppleRecordShape, _ tallies: inout Tallies) {
    let extent = Extent(.data, shape.range)
    if shape.lengths == .divided || shape.lengths == .restored {
      tallies.single.append(
        Finding(
          AppleFindings.recordHeader, at: extent,
          "the record's type or a length is damaged; its key and value are located by the other lengths "
            + "and records, and are unverified"
        ).following(
          from: [shape.restoredClassName == nil ? AppleSegmentation.id : AppleRestoredHeader.id]))
    } else if shape.lengths == .misstated {
      tallies.single.append(
        Finding(
          AppleFindings.valueLength, at: extent,
          "the length of the value in the record does not fit between the two separators, "
            + "but the CRC matches"))
    } else if shape.integrity == .contradicted, computed(shape) != stored(shape) {
      tallies.single.append(
        Finding(
          AppleFindings.checksumMismatch, at: extent,
          "the record's CRC is \(hex(computed(shape))), but \(hex(stored(shape))) is stored at "
            + "\(Hexadecimal.text(shape.checksumOffset)); its lengths fit, and the engine skips "
            + "it silently"))
    }
    if shape.ending != .separator {
      tallies.single.append(
        Finding(
          AppleFindings.separator,
          at: Extent(.data, shape.checksumOffset..<shape.range.upperBound),
          "the separator after the record is \(shape.ending == .damagedSeparator ? "damaged" : "incomplete"): "
            + "the engine reads this record and the next as one and skips both"))
    }
    if shape.integrity == .unchecked {
      let covered = AppleRecordShape.coveredCount(shape.checksumOffset - shape.range.lowerBound)
      tallies.uncovered.add(shape.range.lowerBound + covered..<shape.checksumOffset)
    }
  }

  private func checkContents(_ shape: AppleRecordShape, _ tallies: inout Tallies) {
    guard let type = AppleType(rawValue: shape.type) else {
      tallies.single.append(
        Finding(
          AppleFindings.unknownType,
          at: Extent(.data, shape.range.lowerBound..<shape.range.lowerBound + store.dialect.width),
          "the type is \(shape.type), which no engine knows: it drops the value and writes a record "
            + "that makes it raise an exception two launches later"))
      return
    }
    let separator = AppleDialect(width: store.dialect.width).separatorBytes
    let content = shape.range.lowerBound..<shape.checksumOffset + 2
    if let inside = image.firstOccurrence(of: separator, in: content) {
      tallies.single.append(
        Finding(
          AppleFindings.separatorInside,
          at: Extent(.data, inside..<inside + separator.count),
          "the record contains the separator: the engine splits it there and loses the entry"))
    }
    switch type {
    case .null: tallies.nils.add(shape.range)
    case .double where shape.value.count == 8:
      if StoredDouble(image.littleEndian(in: shape.value)).isBroken {
        tallies.doubles.add(shape.value)
      }
    case .string:
      if AppleText.isCut(image.bytes(in: shape.value)) { tallies.cut.add(shape.value) }
    default: break
    }
  }

  private func stored(_ shape: AppleRecordShape) -> UInt64 {
    image.littleEndian(in: shape.checksumOffset..<shape.checksumOffset + 2)
  }

  private func computed(_ shape: AppleRecordShape) -> UInt64 {
    let start = shape.range.lowerBound
    let covered = AppleRecordShape.coveredCount(shape.checksumOffset - start)
    return UInt64(CRC16.digest(of: image, in: start..<start + covered))
  }

  private func hex(_ value: UInt64) -> String { Hexadecimal.text(value, digits: 4) }
}
