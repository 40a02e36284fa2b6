import KVBytes
import KVModel

/// The lengths of one record of MMKV's log.
///
///     count  field
///       1–10 key count, varint; 0 stands alone, without a value
///          … key
///       1–10 value count, varint; 0 removes the key
///          … value
///
/// Reference: `Docs/FORMAT-MMKV.md` § Record.
struct RecordShape {
  /// The most bytes that a key may have for the engine since 2.4.1 to read it.
  static let engineKeyLimit = 65531
  /// The most bytes that a plain record may have before its value, for the same.
  static let engineOverheadLimit = 65535

  let range: Range<Int>
  let key: Range<Int>
  let value: Range<Int>

  /// Reads the record at the cursor; one with an empty key ends after its key count.
  ///
  /// - Returns: The cause of the damage, with nothing consumed, where there is no record.
  // Inlined, as is what it is made of: a shape that goes through memory costs more than reading it.
  @inline(__always)
  static func read(_ cursor: inout ByteCursor) -> Result<RecordShape, Damage> {
    let start = cursor.offset
    do throws(ByteError) {
      let keyCount = try cursor.readVarint()
      guard let count = length(keyCount) else { return damage(.negativeLength, &cursor, start) }
      guard count <= cursor.remaining else { return damage(.lengthBeyondEnd, &cursor, start) }
      if count == 0 {
        let end = cursor.offset
        return .success(RecordShape(range: start..<end, key: end..<end, value: end..<end))
      }
      let key = try cursor.readRange(count: count)
      let valueCount = try cursor.readVarint()
      guard let count = length(valueCount) else { return damage(.negativeLength, &cursor, start) }
      guard count <= cursor.remaining else { return damage(.lengthBeyondEnd, &cursor, start) }
      let value = try cursor.readRange(count: count)
      return .success(RecordShape(range: start..<cursor.offset, key: key, value: value))
    } catch {
      return damage(.malformedLength, &cursor, start)
    }
  }

  /// Why there is no record.
  struct Damage: Error { let cause: Gap.Cause }

  // As CodedInputData::readRawVarint32: ten bytes may be consumed, 32 bits are kept, and they are signed.
  private static func length(_ varint: UInt64) -> Int? {
    let kept = Int32(truncatingIfNeeded: varint)
    return kept < 0 ? nil : Int(kept)
  }

  private static func damage(
    _ cause: Gap.Cause, _ cursor: inout ByteCursor, _ start: Int
  ) -> Result<RecordShape, Damage> {
    cursor.rewind(to: start)
    return .failure(Damage(cause: cause))
  }

  /// Whether the engine since 2.4.1 reads the record.
  @inline(__always)
  func isReadByEngine(isEncrypted: Bool) -> Bool {
    // As MiniPBCoder::decodeOneMap and KeyValueHolder: a plain map keeps 16-bit offsets in memory.
    key.count <= RecordShape.engineKeyLimit
      && (isEncrypted || value.lowerBound - range.lowerBound <= RecordShape.engineOverheadLimit)
  }

  /// The record, as the model knows it.
  @inline(__always)
  var record: Record {
    Record(value.isEmpty ? .remove : .put, in: .data, at: range, key: key, value: value)
  }
}
