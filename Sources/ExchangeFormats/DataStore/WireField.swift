import KVBytes

/// A field of a protobuf message.
///
///     offset  count  field
///          0   1–10  tag      varint: number << 3 | wire type
///                    content  0: a varint; 1: eight bytes; 2: a varint count and that many bytes;
///                             3: fields, up to a tag with the same number and wire type 4;
///                             5: four bytes
///
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
    /// Wire type 3, whose fields are only skipped: no format that is read has one with a meaning.
    case group
  }

  /// How many groups may lie in each other; protobuf's readers have the same limit.
  private static let maximumDepth = 100

  /// The field's number.
  let number: UInt64
  /// The field's content.
  let content: Content
  /// The range of the field's bytes, including the tag.
  let range: Range<Int>

  /// Reads a field.
  init(parsing input: inout ByteCursor) throws(WireError) {
    try self.init(parsing: &input, depth: 0)
  }

  /// Reads a field in `depth` groups.
  private init(parsing input: inout ByteCursor, depth: Int) throws(WireError) {
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
    case 3:
      try Self.skipGroup(number, at: start, depth, &input)
      content = .group
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

  /// Reads the rest of the group `number`, which begins at `start`.
  private static func skipGroup(
    _ number: UInt64, at start: Int, _ depth: Int, _ input: inout ByteCursor
  ) throws(WireError) {
    guard depth < maximumDepth else {
      throw WireError(.malformed, at: start, "more than \(maximumDepth) groups are in each other")
    }
    while !input.isAtEnd {
      var ahead = input
      let tag = try Self.number(&ahead) { (input) throws(ByteError) in try input.readVarint() }
      if tag & 7 == 4, tag >> 3 == number {
        input = ahead
        return
      }
      _ = try WireField(parsing: &input, depth: depth + 1)
    }
    throw WireError(.truncated, at: input.offset, "the data ends inside the group \(number)")
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
