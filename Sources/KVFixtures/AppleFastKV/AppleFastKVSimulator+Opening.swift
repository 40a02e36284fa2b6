import FastKVFormat
import KVBytes
import KVModel

/// Opening an existing store.
extension AppleFastKVSimulator {
  /// Grows the file, reads it and compacts it, in this order.
  ///
  /// As -[FastKV open:].
  ///
  /// - Throws: ``ScriptError`` if the app would crash.
  mutating func reopen() throws(ScriptError) {
    let image = FileImage(disk.bytes(of: name))
    let count = Int(AppleHeader(of: image).length)
    map(allocation(for: image.count))
    pairs = [:]
    let start = AppleHeader.byteCount
    var pieces = EnginePieces(image, width: width, in: start..<start + count)
    while let piece = pieces.next() {
      switch piece.reading {
      case .empty, .skipped: continue
      case .record(let record): load(record, of: image)
      case .raises(let reason), .overruns(let reason):
        throw ScriptError(line: nil, "the app ends when it opens the store: \(reason)")
      }
    }
    compact(for: 0, isUpdate: false)
  }

  private mutating func load(_ record: Record, of image: FileImage) {
    let code = image.littleEndian(in: record.offset..<record.offset + width)
    let classStart = record.offset + AppleDialect(width: width).fixedCount
    let className = image.bytes(in: classStart..<record.key.lowerBound)
    pairs[Key(image.bytes(in: record.key))] = AppleType(rawValue: code).flatMap { type in
      AppleFastKVPair(
        reading: type, className: String(decoding: className, as: UTF8.self),
        FileImage(image.bytes(in: record.value)))
    }
  }
}
