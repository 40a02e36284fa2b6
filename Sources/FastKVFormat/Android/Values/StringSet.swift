import KVBytes

/// The tag before an object's data.
enum ObjectTag {
  /// Returns where the tag of the object at `range` ends; `nil` if there is no tag or it is not
  /// text.
  static func end(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard let first = range.first else { return nil }
    let count = Int(bytes[first])
    guard count <= range.count - 1 else { return nil }
    let tag = first + 1..<first + 1 + count
    return AndroidText.form(bytes, tag) == .malformed ? nil : tag.upperBound
  }
}

/// The tag of the engine's built-in encoder.
package enum StringSetTag {
  package static let name = "StringSet"
  private static let bytes = Array(name.utf8)

  /// Returns whether the bytes in `range` are the tag.
  static func isTag(_ span: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard range.count == bytes.count else { return false }
    return range.allSatisfy { span[$0] == bytes[$0 - range.lowerBound] }
  }
}

/// The data of a `StringSet`: elements back to back.
///
///     count  field
///       1–5  byte count, varint of 32 bits; -1 for null
///         …  UTF-8
package enum StringSet {
  /// Returns the elements of the set at `range`, with null as `nil`; returns `nil` if the set does
  /// not decode.
  ///
  /// A strict reading rejects what the engine rejects: U+0000 in a short element.
  package static func elements(
    _ bytes: Span<UInt8>, _ range: Range<Int>, isStrict: Bool
  ) -> [String?]? {
    var elements: [String?] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard let count = varint(bytes, &offset, range.upperBound) else { return nil }
      if count < 0 {
        elements.append(nil)
        continue
      }
      guard count <= range.upperBound - offset else { return nil }
      let text = offset..<offset + count
      let form = AndroidText.form(bytes, text)
      if count <= AndroidText.strictLimit,
        form == .malformed || isStrict && form == .withNUL
      {
        return nil
      }
      elements.append(String(decoding: text.map { bytes[$0] }, as: UTF8.self))
      offset = text.upperBound
    }
    return elements
  }

  /// Returns the data of a set; the inverse of ``elements(_:_:isStrict:)``.
  package static func bytes(_ elements: [String?]) -> [UInt8] {
    var writer = ByteWriter()
    for element in elements {
      // -1 as an unsigned 32-bit varint, which takes five bytes.
      guard let element else {
        writer.writeVarint(UInt64(UInt32.max))
        continue
      }
      writer.writeVarint(UInt64(element.utf8.count))
      writer.writeBytes(element.utf8)
    }
    return writer.bytes
  }

  /// Reads a count, as `FastBuffer.getVarint32`: at most five bytes, of which the last one's
  /// continuation bit and all bits beyond the 32nd mean nothing.
  private static func varint(_ bytes: Span<UInt8>, _ offset: inout Int, _ end: Int) -> Int? {
    var value: UInt32 = 0
    for index in 0..<5 {
      guard offset < end else { return nil }
      let byte = bytes[offset]
      offset += 1
      value |= UInt32(byte & 0x7f) << UInt32(7 * index)
      if byte < 0x80 { break }
    }
    return Int(Int32(bitPattern: value))
  }
}
