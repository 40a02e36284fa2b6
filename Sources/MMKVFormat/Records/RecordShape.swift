import KVBytes
import KVModel

/// The parts of one record of MMKV's log.
///
///     count  field
///       1–10 key count, varint; 0 stands alone, without a value
///          … key
///       1–10 value count, varint; 0 removes the key
///          … value
///
/// Reference: `Docs/FORMAT-MMKV.md` § Record.
struct RecordShape {
  /// The longest key, in bytes, that engines since 2.4.1 read.
  static let engineKeyLimit = 65531
  /// The largest number of bytes before the value of a plaintext record that those engines read.
  static let engineOverheadLimit = 65535

  let range: Range<Int>
  let key: Range<Int>
  let value: Range<Int>

  /// Reads the record at the cursor; one with an empty key ends after its key count.
  ///
  /// - Returns: The record, or the cause of the damage; then nothing is consumed.
  // Inlined, like its parts: passing a shape through memory costs more than reading it.
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

  /// The reason why no record can be read.
  struct Damage: Error { let cause: Gap.Cause }

  // As CodedInputData::readRawVarint32: up to ten bytes are consumed, and 32 bits are kept, as
  // signed.
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

  /// Returns whether engines since 2.4.1 read the record.
  @inline(__always)
  func isReadByEngine(isEncrypted: Bool) -> Bool {
    // As MiniPBCoder::decodeOneMap and KeyValueHolder: a plain map keeps 16-bit offsets in memory.
    key.count <= RecordShape.engineKeyLimit
      && (isEncrypted || value.lowerBound - range.lowerBound <= RecordShape.engineOverheadLimit)
  }

  /// The record in the model's terms.
  @inline(__always)
  var record: Record {
    Record(value.isEmpty ? .remove : .put, in: .data, at: range, key: key, value: value)
  }
}
