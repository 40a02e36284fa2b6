import KVBytes

/// A field of a protobuf message.
///
///     offset  count  field
///          0   1–10  tag      varint: number << 3 | wire type
///                    content  0: a varint; 1: eight bytes; 2: a varint count and that many bytes;
///                             5: four bytes
///
/// Wire types 3 and 4 (groups) do not occur in DataStore's messages.
///
/// Reference: protobuf's `encoding.md`.
struct WireField {
  /// The content of a field, by its wire type.
  enum Content {
    /// Wire type 0.
    case varint(UInt64)
    /// Wire type 1.
    case fixed64(UInt64)
    /// The range of the bytes of wire type 2.
    case bytes(Range<Int>)
    /// Wire type 5.
    case fixed32(UInt32)
  }

  /// The field's number.
  let number: UInt64
  /// The field's content.
  let content: Content
  /// The range of the field's bytes, including the tag.
  let range: Range<Int>

  /// Reads a field.
  init(parsing input: inout ByteCursor) throws(WireError) {
    let start = input.offset
    let tag = try Self.number(&input) { (input) throws(ByteError) in try input.readVarint() }
    number = tag >> 3
    guard number > 0, number < 1 << 29 else {
      throw WireError(
        .malformed, at: start, "the field number \(number) is not from 1 to 536870911")
    }
    switch tag & 7 {
    case 0:
      content = .varint(
        try Self.number(&input) { (input) throws(ByteError) in try input.readVarint() })
    case 1:
      content = .fixed64(
        try Self.number(&input) { (input) throws(ByteError) in
          try input.readInteger(UInt64.self, as: .little)
        })
    case 2: content = .bytes(try Self.bytes(of: number, &input))
    case 5:
      content = .fixed32(
        try Self.number(&input) { (input) throws(ByteError) in
          try input.readInteger(UInt32.self, as: .little)
        })
    case let type:
      throw WireError(.malformed, at: start, "field \(number) has the wire type \(type)")
    }
    range = start..<input.offset
  }

  private static func bytes(
    of number: UInt64, _ input: inout ByteCursor
  ) throws(WireError) -> Range<Int> {
    let start = input.offset
    let count = try Self.number(&input) { (input) throws(ByteError) in try input.readVarint() }
    let left = input.remaining
    guard let whole = Int(exactly: count), whole <= left else {
      throw WireError(
        .truncated, at: start,
        "field \(number) claims \(count.inBytes), but only \(left.grouped) are left"
      )
    }
    do throws(ByteError) {
      return try input.readRange(count: whole)
    } catch {
      throw WireError(error)
    }
  }

  private static func number<Number>(
    _ input: inout ByteCursor, _ read: (inout ByteCursor) throws(ByteError) -> Number
  ) throws(WireError) -> Number {
    do throws(ByteError) {
      return try read(&input)
    } catch {
      throw WireError(error)
    }
  }
}
