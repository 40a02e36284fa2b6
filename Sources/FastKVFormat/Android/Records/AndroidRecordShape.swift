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

  package let range: Range<Int>
  let info: UInt8
  package let type: AndroidValueType
  package let key: Range<Int>
  /// The value as stored, without its length; for an external value, the name of its file.
  package let content: Range<Int>

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

  /// Reads the record at `start`, which must end no later than `limit`.
  package static func read(
    _ bytes: Span<UInt8>, at start: Int, limit: Int
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
        let number = Int32(bitPattern: try cursor.readInteger(UInt32.self, as: .little))
        guard number >= 0 else { return .failure(Damage(cause: .negativeLength)) }
        count = Int(number)
      default: count = type.fixedCount ?? 0
      }
      let content = try cursor.readRange(count: count)
      return .success(
        AndroidRecordShape(
          range: start..<cursor.offset, info: info, type: type, key: key, content: content))
    } catch {
      return .failure(Damage(cause: .lengthBeyondEnd))
    }
  }
}
