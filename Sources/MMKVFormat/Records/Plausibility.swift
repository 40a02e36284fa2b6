import KVBytes
import KVModel

/// The plausibility model for records that decode.
///
/// Lengths that decode prove little: in random bytes, one offset in ten begins something that could
/// be a record. Real records have text keys, and values of the few shapes that the engine's API
/// writes; other bytes seldom do.
struct Plausibility: Sendable {
  /// The cost of a record in a segmentation, in bytes: the gain from leaving that many bytes out.
  typealias Cost = Int32

  /// Whether values end in an expiry suffix, as far as is known.
  enum Expiry { case none, suffix, unknown }

  let expiry: Expiry
  /// Whether the store's own keys are text, as nearly all are; then a key that is not text makes a
  /// record implausible.
  let expectsTextKeys: Bool

  /// Returns whether an app could well have written the record.
  @inline(__always)
  func accepts(_ shape: RecordShape, in image: FileImage) -> Bool {
    hasPlausibleValue(shape, in: image)
      && (!expectsTextKeys || Plausibility.isText(image, shape.key))
  }

  /// Returns whether `range` of `image` is text that a person could have typed.
  static func isText(_ image: FileImage, _ range: Range<Int>) -> Bool {
    let bytes = image.storageSpan
    if bytes.isPrintableASCII(in: range) { return true }
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = textCount(bytes, at: offset, limit: range.upperBound)
      if count == 0 { return false }
      offset += count
    }
    return true
  }

  /// Returns the length in bytes of the text character at `offset`; 0 if there is none.
  ///
  /// A text character is any well-formed UTF-8 sequence except for ASCII control characters.
  static func textCount(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Int {
    let first = bytes[offset]
    if first < 0x80 { return first >= 0x20 && first != 0x7f ? 1 : 0 }
    return bytes.utf8Count(at: offset, limit: limit)
  }

  /// Returns the range of the value at `range` without its inner length, if it has one.
  static func content(of range: Range<Int>, in image: FileImage) -> Range<Int> {
    var cursor = ByteCursor(image.storageSpan, in: range)
    guard let length = try? cursor.readVarint(), length == UInt64(cursor.remaining) else {
      return range
    }
    return cursor.offset..<range.upperBound
  }

  /// Returns whether the value has a shape that the engine's API writes.
  @inline(__always)
  func hasPlausibleValue(_ shape: RecordShape, in image: FileImage) -> Bool {
    let value = shape.value
    if value.isEmpty { return true }
    switch expiry {
    case .none: return hasShape(value, in: image)
    case .suffix: return value.count > 4 && hasShape(value.dropLast(4), in: image)
    case .unknown:
      return hasShape(value, in: image)
        || value.count > 4 && hasShape(value.dropLast(4), in: image)
          && !isFiveLetters(value, in: image)
    }
  }

  /// Returns whether the value is text of five bytes: rather the element of a list than a number
  /// below 128 with a time.
  private func isFiveLetters(_ value: Range<Int>, in image: FileImage) -> Bool {
    value.count == 5 && image.storageSpan.isPrintableASCII(in: value)
  }

  /// Returns whether the value has such a shape without an expiry time at its end.
  func fitsWithoutTime(_ shape: RecordShape, in image: FileImage) -> Bool {
    hasShape(shape.value, in: image)
  }

  @inline(__always)
  private func hasShape(_ value: Range<Int>, in image: FileImage) -> Bool {
    // A float or a double. If it would be very large or small and its bytes are text, it is more
    // likely the element of a list.
    if value.count == 4 || value.count == 8 {
      return (0x39...0x4f).contains(image[value.upperBound - 1])
        || !image.storageSpan.isPrintableASCII(in: value)
    }
    var cursor = ByteCursor(image.storageSpan, in: value)
    guard let number = try? cursor.readVarint() else { return Self.isArchive(value, in: image) }
    if cursor.isAtEnd {
      // A number, in its shortest form.
      return ByteWriter.varintCount(number) == value.count
    }
    return number == UInt64(cursor.remaining) || Self.isArchive(value, in: image)
  }

  /// Returns whether the value is the property list of an `NSKeyedArchiver`, which has no length
  /// before it.
  static func isArchive(_ value: Range<Int>, in image: FileImage) -> Bool {
    guard value.count > 8, image[value.lowerBound] == UInt8(ascii: "b") else { return false }
    return image.bytes(in: value.lowerBound..<value.lowerBound + 8) == Array("bplist00".utf8)
  }
}
