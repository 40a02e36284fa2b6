import KVBytes
import KVModel

/// The extents of one record's parts.
///
///     count  field
///         1  info: type (bits 0–5) | 0x40 external | 0x80 deleted
///         1  key count, 1 to 255
///         …  key
///   0, 2, 4  value count, little-endian, of types 6–8 and 9–11
///         …  value
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Record.
package struct AndroidRecordShape: Hashable, Sendable {
  /// The number of characters in the name of an external file.
  static let externalNameCount = 32
  private static let externalBit: UInt8 = 0x40
  private static let struckBit: UInt8 = 0x80
  /// The largest length that can be that of a value, in a file of at most 2^30 bytes.
  private static let lengthLimit = 1 << 30

  package let range: Range<Int>
  let info: UInt8
  package let type: AndroidValueType
  package let key: Range<Int>
  /// The value as stored, without its length; for an external value, the name of its file.
  package let content: Range<Int>
  /// Whether the value begins two bytes early, over the upper half of its length.
  ///
  /// FastKV of 2025-07 writes a new value that way over a large object that it has loaded.
  let isDisplaced: Bool

  /// Whether the value is in an external file.
  var isExternal: Bool { hasExternalBit && type.fixedCount == nil }

  /// Whether the bit of an external value is set, even if a value of the type is never external.
  var hasExternalBit: Bool { info & AndroidRecordShape.externalBit != 0 }

  /// Whether the record is marked as deleted.
  package var isStruck: Bool { info & AndroidRecordShape.struckBit != 0 }

  /// The reason why there is no record.
  package struct Damage: Error { let cause: Gap.Cause }

  /// Returns whether a record that is marked as deleted begins at `start` and ends after `limit`.
  static func isDeletedAndCut(_ bytes: Span<UInt8>, at start: Int, limit: Int) -> Bool {
    guard start < limit, bytes[start] & struckBit != 0,
      case .failure(let damage) = read(bytes, at: start, limit: limit)
    else { return false }
    return damage.cause == .lengthBeyondEnd
  }

  /// Returns the record at `start` as its lengths state it: its key ends no later than `limit`, but
  /// its value may not be there.
  static func claimed(
    _ bytes: Span<UInt8>, at start: Int, limit: Int
  ) -> AndroidRecordShape? {
    var cursor = ByteCursor(bytes, in: start..<limit)
    guard let info = try? cursor.readByte(), let type = AndroidValueType(rawValue: info & 0x3f),
      let keyCount = try? cursor.readByte(), keyCount > 0,
      let key = try? cursor.readRange(count: Int(keyCount)),
      let count = try? readCount(of: type, &cursor), (0...lengthLimit).contains(count)
    else { return nil }
    let content = cursor.offset..<cursor.offset + count
    return AndroidRecordShape(
      range: start..<content.upperBound, info: info, type: type, key: key, content: content,
      isDisplaced: false)
  }

  private static func readCount(
    of type: AndroidValueType, _ cursor: inout ByteCursor
  ) throws(ByteError) -> Int {
    switch type.lengthCount {
    case 2: Int(try cursor.readInteger(UInt16.self, as: .little))
    case 4: Int(truncatingIfNeeded: try cursor.readInteger(UInt32.self, as: .little))
    default: type.fixedCount ?? 0
    }
  }

  /// Reads the record at `start`, which must end no later than `limit`.
  package static func read(
    _ bytes: Span<UInt8>, at start: Int, limit: Int
  ) -> Result<AndroidRecordShape, Damage> {
    read(bytes, at: start, limit: limit, readsDisplaced: true)
  }

  private static func read(
    _ bytes: Span<UInt8>, at start: Int, limit: Int, readsDisplaced: Bool
  ) -> Result<AndroidRecordShape, Damage> {
    var cursor = ByteCursor(bytes, in: start..<limit)
    do throws(ByteError) {
      let info = try cursor.readByte()
      guard let type = AndroidValueType(rawValue: info & 0x3f) else {
        return .failure(Damage(cause: info == 0 ? .zeros : .implausible))
      }
      let keyCount = Int(try cursor.readByte())
      guard keyCount > 0 else { return .failure(Damage(cause: .implausible)) }
      let key = try cursor.readRange(count: keyCount)
      let count: Int
      switch type.lengthCount {
      case 2: count = Int(try cursor.readInteger(UInt16.self, as: .little))
      case 4:
        let field = cursor.offset
        let number = Int32(bitPattern: try cursor.readInteger(UInt32.self, as: .little))
        if readsDisplaced, type == .largeObject, info == type.rawValue,
          number < 0 || Int(number) > cursor.remaining,
          let content = displacedContent(bytes, from: field, limit: limit)
        {
          let range = start..<content.upperBound + 2
          return .success(
            AndroidRecordShape(
              range: range, info: info, type: type, key: key, content: content, isDisplaced: true))
        }
        guard number >= 0 else { return .failure(Damage(cause: .negativeLength)) }
        count = Int(number)
      default: count = type.fixedCount ?? 0
      }
      let content = try cursor.readRange(count: count)
      let shape = AndroidRecordShape(
        range: start..<cursor.offset, info: info, type: type, key: key, content: content,
        isDisplaced: false)
      return .success(shape)
    } catch {
      return .failure(Damage(cause: .lengthBeyondEnd))
    }
  }

  /// Returns the value of a large object that was written over the upper half of its length, which
  /// is at `field`.
  ///
  /// There, its tag is text, and the value is followed by two bytes of the older value and then by
  /// the end of the log or a record.
  private static func displacedContent(
    _ bytes: Span<UInt8>, from field: Int, limit: Int
  ) -> Range<Int>? {
    let low = Int(bytes[field]) | Int(bytes[field + 1]) << 8
    let start = field + 2
    for high in 0...max(0, limit - start) >> 16 {
      let count = high << 16 | low
      let end = start + count
      guard count >= Int(UInt16.max), end + 2 <= limit else { continue }
      guard let tagEnd = ObjectTag.end(bytes, start..<end), tagEnd > start + 1,
        AndroidText.form(bytes, start + 1..<tagEnd) == .plain
      else { return nil }
      if end + 2 == limit { return start..<end }
      guard case .success(let next) = read(bytes, at: end + 2, limit: limit, readsDisplaced: false),
        AndroidText.form(bytes, next.key) == .plain
      else { continue }
      return start..<end
    }
    return nil
  }
}
