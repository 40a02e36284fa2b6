import KVBytes
package import KVModel

/// Writes a compact store that HEAD, 0.3.0 and 0.2.1 read: whole separators, whole doubles, whole texts.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Writing.
package struct AppleWriter {
  /// Why the engine does not hold an entry whose key is no text.
  static let keyObstacle = "its key is not UTF-8, and the engine passes over its record"

  /// How many bytes a pointer has in the process that the store is for.
  let width: Int

  /// A writer for a process with pointers of `width` bytes.
  package init(width: Int) { self.width = width }

  /// A record to be written.
  package struct Entry {
    var type: AppleType
    var className: [UInt8]
    var key: [UInt8]
    var value: [UInt8]

    /// A record of these parts.
    package init(type: AppleType, className: [UInt8], key: [UInt8], value: [UInt8]) {
      self.type = type
      self.className = className
      self.key = key
      self.value = value
    }
  }

  /// The file with `contents`, whose entries' records are those of `store`.
  func bytes(
    _ contents: StoreContents, from store: AppleFastKVStore
  ) throws(EncodingError) -> [UInt8] {
    try bytes(contents.entries.map { entry($0, from: store) })
  }

  /// The file with `entries`.
  func bytes(_ entries: [Entry]) throws(EncodingError) -> [UInt8] {
    var area = ByteWriter()
    for entry in entries {
      if let reason = obstacle(to: entry) {
        throw .unreadableEntry(key: Key(entry.key), reason: reason)
      }
      area.writeBytes(record(entry))
      area.writeBytes(AppleDialect(width: width).separatorBytes)
      guard area.count < FileImage.maximumCount / 2 else {
        throw .tooLarge(count: area.count, limit: FileImage.maximumCount / 2)
      }
    }
    var writer = ByteWriter()
    writer.reserve(AppleHeader.byteCount + area.count + 1)
    writer.writeBytes(AppleHeader.magic)
    writer.writeInteger(AppleHeader.currentVersion, as: .little)
    writer.writeInteger(UInt64(area.count), as: .little)
    writer.writeBytes(area.bytes)
    return writer.bytes
  }

  fileprivate func entry(_ entry: StoreContents.Entry, from store: AppleFastKVStore) -> Entry {
    // The type of a removal is what is damaged in a record that has an entry.
    guard let source = entry.source, let type = AppleType(rawValue: store.typeCode(of: source)),
      type != .removed
    else {
      return Entry(
        type: .data, className: Array("NSData".utf8), key: entry.key.bytes, value: entry.value)
    }
    var value = entry.value
    var written = type
    if let count = type.valueCount, value.count != count { written = .data }
    if type == .double, written == .double { value = Self.corrected(value) }
    // The engine takes a text that is no UTF-8 for none.
    if type == .string {
      let whole = value[..<AppleText.wholeCount(value)]
      // Bytes that are no text with that either are kept as they are.
      if String(utf8: whole) != nil { value = Array(whole) }
    }
    return Entry(
      type: written, className: store.classNameBytes(of: source),
      key: entry.key.bytes, value: value)
  }

  /// The eight bytes of the number that was meant; as the engine stores them, a float and no stray
  /// bytes, where all of them would be taken for broken: −0, infinity, NaN.
  private static func corrected(_ bytes: [UInt8]) -> [UInt8] {
    let stored = StoredDouble(FileImage(bytes).littleEndian(in: 0..<8))
    let whole = stored.best.bitPattern
    var writer = ByteWriter()
    writer.writeInteger(
      StoredDouble(whole).isBroken ? UInt64(stored.float.bitPattern) : whole, as: .little)
    return writer.bytes
  }

  /// The bytes of a record, up to its separator.
  package func record(_ entry: Entry) -> [UInt8] {
    var writer = ByteWriter()
    writeWord(UInt64(entry.type.rawValue), to: &writer)
    writer.writeInteger(UInt32(1), as: .little)
    writeWord(UInt64(entry.className.count), to: &writer)
    writeWord(UInt64(entry.key.count), to: &writer)
    writeWord(UInt64(entry.value.count), to: &writer)
    writer.writeBytes(entry.className)
    writer.writeBytes(entry.key)
    writer.writeBytes(entry.value)
    let covered = AppleRecordShape.coveredCount(writer.count)
    var digest = CRC16()
    digest.update(writer.bytes.storageSpan, in: 0..<covered)
    writer.writeInteger(digest.value, as: .little)
    return writer.bytes
  }

  private func writeWord(_ value: UInt64, to writer: inout ByteWriter) {
    if width == 8 {
      writer.writeInteger(value, as: .little)
    } else {
      writer.writeInteger(UInt32(truncatingIfNeeded: value), as: .little)
    }
  }

  /// Why the engine would not give the entry back if the store had its record; `nil` where it would.
  func obstacle(to entry: Entry) -> String? {
    let image = FileImage(record(entry) + AppleDialect(width: width).separatorBytes)
    var pieces = EnginePieces(image, width: width, in: image.range)
    var isWhole = true
    while let piece = pieces.next() {
      if piece.range != image.range { isWhole = false }
      switch piece.reading {
      case .raises(let reason), .overruns(let reason):
        return "it contains the separator, and the app would end at each start: \(reason)"
      // The engine passes over a record whose key is no text.
      case .skipped where piece.range == image.range: return AppleWriter.keyObstacle
      case .empty, .skipped, .record: continue
      }
    }
    return isWhole
      ? nil
      : "it contains the text \(AppleDialect.Separator.whole.rawValue), at which the engine cuts it"
  }
}

extension AppleFastKVStore {
  /// Why the engine could not hold the entry: its key is not UTF-8, or the separator is in the record that a
  /// repair would write, at which it is cut.
  ///
  /// The bytes that are there do not tell: a damaged class name, length or CRC is written anew.
  package func obstacle(to record: Record, scan: ScanMode) -> String? {
    guard scan.appliesEngineLimits else { return nil }
    let writer = AppleWriter(width: requestedWidth ?? dialect.width)
    return writer.obstacle(
      to: writer.entry(
        .init(key: key(of: record), value: value(of: record), from: record), from: self))
  }
}
