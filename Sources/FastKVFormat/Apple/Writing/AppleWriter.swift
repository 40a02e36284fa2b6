import KVBytes
package import KVModel

/// Writes a compact store that HEAD, 0.3.0 and 0.2.1 read.
///
/// Separators, doubles and texts are written whole.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Writing.
package struct AppleWriter {
  /// The reason why the engine does not hold an entry whose key is not text.
  static let keyObstacle = "its key is not UTF-8, and the engine would skip its record"
  /// The reason why the engine does not return a text.
  static let textObstacle = "its text is not UTF-8, and the engine would return nil"

  /// The number of bytes in a pointer in the process that the store is for.
  let width: Int

  /// Creates a writer for a process with pointers of `width` bytes.
  package init(width: Int) { self.width = width }

  /// A record to write.
  package struct Entry {
    var type: AppleType
    var className: [UInt8]
    var key: [UInt8]
    var value: [UInt8]

    /// Creates a record with these parts.
    package init(type: AppleType, className: [UInt8], key: [UInt8], value: [UInt8]) {
      self.type = type
      self.className = className
      self.key = key
      self.value = value
    }
  }

  /// Returns the file with `contents`, whose records are in `store`.
  func bytes(
    _ contents: StoreContents, from store: AppleFastKVStore
  ) throws(EncodingError) -> [UInt8] {
    try bytes(contents.entries.map { entry($0, from: store) })
  }

  /// Returns the file with `entries`.
  func bytes(_ entries: [Entry]) throws(EncodingError) -> [UInt8] {
    var area = ByteWriter()
    for entry in entries {
      let piece = piece(entry)
      if let reason = obstacle(toReading: piece) {
        throw .unreadableEntry(key: Key(entry.key), reason: reason)
      }
      area.writeBytes(piece)
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
    // In a record that has an entry, a removal type can only be damage.
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
    // The engine reads a text that is not UTF-8 as no text.
    if type == .string {
      let whole = value[..<AppleText.wholeCount(value)]
      // If that is not UTF-8 either, keep the bytes as they are.
      if String(utf8: whole) != nil { value = Array(whole) }
    }
    return Entry(
      type: written, className: store.classNameBytes(of: source),
      key: entry.key.bytes, value: value)
  }

  /// Returns the eight bytes of the number that was meant.
  ///
  /// If those would again be taken for broken (infinity, NaN), returns the bytes as the engine
  /// stores them: a float, and zeros after it.
  private static func corrected(_ bytes: [UInt8]) -> [UInt8] {
    let stored = StoredDouble(FileImage(bytes).littleEndian(in: 0..<8))
    let whole = stored.best.bitPattern
    var writer = ByteWriter()
    writer.writeInteger(
      StoredDouble(whole).isBroken ? UInt64(stored.float.bitPattern) : whole, as: .little)
    return writer.bytes
  }

  /// Returns the bytes of a record, up to its separator.
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

  /// Returns why the engine would not return the entry from a store with its record; `nil` if it
  /// would.
  func obstacle(to entry: Entry) -> String? { obstacle(toReading: piece(entry)) }

  /// Returns the bytes of a record and its separator.
  private func piece(_ entry: Entry) -> [UInt8] {
    record(entry) + AppleDialect(width: width).separatorBytes
  }

  /// Returns why the engine would not return the entry with the record `bytes`; `nil` if it would.
  private func obstacle(toReading bytes: [UInt8]) -> String? {
    let image = FileImage(bytes)
    var pieces = EnginePieces(image, width: width, in: image.range)
    var isWhole = true
    while let piece = pieces.next() {
      if piece.range != image.range { isWhole = false }
      switch piece.reading {
      case .raises(let reason), .overruns(let reason):
        return "it contains the separator, and the app would end at each launch: \(reason)"
      // The engine skips a record whose key is not text.
      case .skipped where piece.range == image.range: return AppleWriter.keyObstacle
      case .empty, .skipped, .record: continue
      }
    }
    return isWhole
      ? nil
      : "it contains the text \(AppleDialect.Separator.whole.rawValue), where the engine would split it"
  }
}

extension AppleFastKVStore {
  /// Returns why the engine could not hold the entry; `nil` if it could.
  ///
  /// The reason is a key or a text that is not UTF-8, or a separator in the record that a repair would
  /// write, at which the engine would cut it. The stored bytes do not show this, as a repair rewrites a
  /// damaged class name, length or CRC.
  package func obstacle(to record: Record, scan: ScanMode) -> String? {
    guard scan.appliesEngineLimits else { return nil }
    let writer = AppleWriter(width: requestedWidth ?? dialect.width)
    let entry = writer.entry(
      .init(key: key(of: record), value: value(of: record), from: record), from: self)
    if entry.type == .string, String(utf8: entry.value) == nil { return AppleWriter.textObstacle }
    return writer.obstacle(to: entry)
  }
}
