package import KVBytes
package import KVModel

/// The record area as the engine reads it: cut at every occurrence of the separator, whatever the
/// lengths say.
///
/// As `-[FastKV kvItemsWithData:]` and `+[FKVPair parseData:]`, at the width of the file.
package struct EnginePieces: Sendable {
  /// What the engine does with a piece.
  package enum Reading: Hashable, Sendable {
    /// Nothing lies between two separators; the engine skips it.
    case empty
    /// The engine skips the piece.
    case skipped(Gap.Cause)
    /// The engine reads a record.
    case record(Record)
    /// The engine raises an exception that nothing catches.
    case raises(String)
    /// The engine reads bytes outside the piece.
    case overruns(String)
  }

  /// A piece, including its separator.
  package struct Piece: Hashable, Sendable {
    package let range: Range<Int>
    package let reading: Reading

    /// The event of a scan for the piece.
    var event: RecordEvent {
      let extent = Extent(.data, range)
      return switch reading {
      case .empty: .filler(extent)
      case .skipped(let cause): .gap(Gap(extent, cause))
      case .record(let record): .record(record)
      case .raises, .overruns: .gap(Gap(extent, .implausible))
      }
    }
  }

  private let reader: AppleRecordReader
  private let end: Int
  private var position: Int

  /// Creates the pieces of `range` of `image`, for a process with pointers of `width` bytes.
  package init(_ image: FileImage, width: Int, in range: Range<Int>) {
    self.init(image, width: width, in: range, corrected: [])
  }

  /// Creates the same pieces, where `corrected` are the bytes of `image` that differ from the file.
  init(_ image: FileImage, width: Int, in range: Range<Int>, corrected: [CorrectedByte]) {
    reader = AppleRecordReader(image, AppleDialect(width: width), corrected: corrected)
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next piece; `nil` at the end.
  package mutating func next() -> Piece? {
    guard position < end else { return nil }
    let start = position
    let separator = reader.dialect.separatorBytes
    guard let occurrence = reader.image.firstOccurrence(of: separator, in: start..<end) else {
      position = end
      let isZero = reader.image.isZero(in: start..<end)
      return Piece(range: start..<end, reading: .skipped(isZero ? .zeros : .lengthBeyondEnd))
    }
    position = occurrence + separator.count
    return Piece(
      range: start..<position, reading: reading(of: start..<occurrence, until: position))
  }

  private func reading(of piece: Range<Int>, until end: Int) -> Reading {
    if piece.isEmpty { return .empty }
    if piece.count == 1 { return .raises("there is one byte between two separators") }
    guard reader.checksumHolds(piece) else { return .skipped(.checksum) }
    guard let fields = reader.fields(at: piece.lowerBound, limit: piece.upperBound) else {
      return .raises(
        "\(piece.count.inBytes) with a matching CRC are too short for a record")
    }
    let room = UInt64(piece.count - reader.dialect.fixedCount)
    guard fields.classCount <= room, fields.keyCount <= room - fields.classCount else {
      return .overruns("the lengths of class name and key point past the end of the record")
    }
    let keyStart = piece.lowerBound + reader.dialect.fixedCount + Int(fields.classCount)
    let valueStart = keyStart + Int(fields.keyCount)
    let type = AppleType(rawValue: fields.type)
    var value = valueStart..<valueStart
    if let type, type.rawValue > AppleType.null.rawValue {
      guard fields.valueCount <= UInt64(piece.upperBound - valueStart) else {
        return type == .string
          ? .overruns("the length of a text points past the end of the record")
          : .raises("the length of a value points past the end of the record")
      }
      if let count = type.valueCount, fields.valueCount > UInt64(count) {
        return .overruns(
          "a value of \(fields.valueCount.inBytes) is copied into \(count.grouped)"
        )
      }
      value = valueStart..<valueStart + Int(fields.valueCount)
    }
    guard reader.image.isUTF8(in: keyStart..<valueStart) else { return .skipped(.implausible) }
    // For an unknown type, the engine keeps the key and drops the value. It takes zeros for a
    // removal of the empty key, but what it really skips is a lost record.
    let isBlank = reader.isBlank(piece)
    let recordEnd = type == nil || isBlank ? valueStart : end
    return .record(
      Record(
        type == .removed ? .remove : .put, in: .data, at: piece.lowerBound..<recordEnd,
        key: keyStart..<valueStart, value: value, integrity: reader.integrity(of: piece)))
  }
}

extension FileImage {
  /// Returns the text in `range`; `nil` if the bytes are not UTF-8.
  func text(in range: Range<Int>) -> String? {
    String(utf8: bytes(in: range))
  }

  /// Returns whether the bytes in `range` are UTF-8.
  func isUTF8(in range: Range<Int>) -> Bool { storageSpan.extracting(range).isUTF8 }
}
