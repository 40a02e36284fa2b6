import KVBytes
import KVModel

/// The fields of a Protocol Buffers message whose schema only the app knows.
struct ProtobufContent {
  private typealias Member = ValueContent.Member

  /// The minimum number of bytes of a message.
  ///
  /// Fewer bytes are often a valid message by chance.
  private static let leastCount = 4
  /// The number of bits of evidence that short and longer bytes need to be a message.
  private static let leastBits = (short: 7, long: 11)
  private static let shortCount = 16
  /// The number of bits that text needs besides its own characters.
  private static let leastTextBits = 10
  /// The number of bits that a field needs to be a message in a message.
  private static let leastPartBits = 4
  /// How deep messages are read to weigh them.
  private static let depth = 8

  /// The fields of a message, and how much more likely they are in a message than in other bytes.
  ///
  /// The bits are what the fields would save in a code made for messages. So no more than one in
  /// 2ⁿ random values has n bits.
  private struct Message {
    var fields: [WireField] = []
    /// The bits of tags, lengths and numbers, and those of texts.
    var bits = (structure: 0, text: 0)

    var weight: Int { bits.structure + bits.text }
  }

  private let bytes: [UInt8]

  /// Returns the fields of the message in `bytes`, or `nil` if they are not surely a message: if
  /// the evidence for it is less than `leastBits`.
  static func of(
    _ bytes: [UInt8], leastBits: Int?, _ opener: inout ContentOpener
  ) -> ValueContent? {
    let span = bytes.storageSpan
    guard bytes.count >= leastCount, let message = message(in: 0..<bytes.count, span) else {
      return nil
    }
    let wanted =
      leastBits ?? (bytes.count < shortCount ? Self.leastBits.short : Self.leastBits.long)
    guard message.weight >= wanted else { return nil }
    // The tag of a first text is a line feed. A text rarely begins with one, unless more white space
    // follows.
    let isLikeText = bytes[0] != 0x0a || bytes[1] <= 0x20
    if isLikeText || message.bits.structure < leastTextBits, span.plainText != nil { return nil }
    let content = ProtobufContent(bytes: bytes)
    let root = opener.container(nil, "message", count: message.fields.count) { opener in
      content.parts(message, &opener)
    }
    return ValueContent(.protobuf, of: root)
  }

  // MARK: Evidence

  /// Returns the fields in `range`, or `nil` if they are not a plausible message.
  ///
  /// The fields must be complete. Their numbers must start small and ascend without wide gaps, as
  /// programs write them. None is a group, which hardly any program writes.
  private static func message(
    in range: Range<Int>, _ span: Span<UInt8>, depth: Int = Self.depth
  ) -> Message? {
    var input = ByteCursor(span, in: range)
    var message = Message()
    var last: UInt64 = 1
    while !input.isAtEnd {
      guard let field = try? WireField(parsing: &input),
        field.number >= last, field.number <= last + 16
      else { return nil }
      if case .group = field.content { return nil }
      message.bits.structure += bits(ofStep: field.number - last)
      last = field.number
      if case .bytes(let part) = field.content {
        // That a length leads to the end is rare by chance.
        if part.upperBound == range.upperBound { message.bits.structure += 6 }
        weigh(part, span, depth, &message)
      } else {
        message.bits.structure += bits(of: field.content)
      }
      message.fields.append(field)
    }
    return message.fields.isEmpty ? nil : message
  }

  private static func weigh(
    _ part: Range<Int>, _ span: Span<UInt8>, _ depth: Int, _ message: inout Message
  ) {
    if part.isEmpty {
      message.bits.structure += 3
    } else if span.extracting(part).plainText != nil {
      message.bits.text += max(0, part.count - 2)
    } else if depth > 1, let inner = self.message(in: part, span, depth: depth - 1),
      inner.weight > 2
    {
      message.bits.structure += inner.bits.structure - 2
      message.bits.text += inner.bits.text
    }
  }

  private static func bits(ofStep step: UInt64) -> Int {
    switch step {
    case 0, 1: 4
    case 2, 3: 3
    case 4...7: 2
    default: 1
    }
  }

  private static func bits(of content: WireField.Content) -> Int {
    switch content {
    case .varint(let number):
      // Negative numbers are long and mostly ones.
      number <= 1 ? 5 : number < 0x80 ? 0 : number >> 56 == 0xff ? 30 : -1
    case .fixed64(let bits): Double(bitPattern: bits).isUsual ? 3 : bits >> 48 == 0 ? 12 : -1
    case .fixed32(let bits): Float(bitPattern: bits).isUsual ? 1 : bits >> 20 == 0 ? 8 : -1
    case .bytes, .group: 0
    }
  }

  // MARK: Parts

  private func parts(
    _ message: Message, _ opener: inout ContentOpener
  ) -> [ValueContent.Member] {
    message.fields.prefix { _ in opener.takesPart() }.map { part($0, &opener) }
  }

  private func part(_ field: WireField, _ opener: inout ContentOpener) -> ValueContent.Member {
    let name = "\(field.number)"
    if case .bytes(let range) = field.content { return part(name, range, &opener) }
    let readings = Self.readings(of: field.content)
    return opener.part(
      name, readings[0],
      others: opener.opensAll ? readings.dropFirst().map { Reading($0, because: "") } : [])
  }

  /// Returns the values that a number can be, the likeliest first.
  private static func readings(of content: WireField.Content) -> [Value] {
    switch content {
    case .varint(let number):
      let signed = Int64(bitPattern: number)
      let zigzag = Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
      return [.int64(signed)] + (number > 1 ? [.int64(zigzag)] : [.bool(number == 1)])
        + (signed < 0 ? [.uint64(number)] : [])
    case .fixed64(let bits):
      let number = Double(bitPattern: bits)
      let values: [Value] = [.double(number), .int64(Int64(bitPattern: bits))]
      return number.isUsual ? values : values.reversed()
    case .fixed32(let bits):
      let number = Float(bitPattern: bits)
      let values: [Value] = [.float(number), .int32(Int32(bitPattern: bits))]
      return number.isUsual ? values : values.reversed()
    case .bytes, .group: return []
    }
  }

  /// Returns the part for the length-delimited field at `range`: a text, a message, or bytes.
  private func part(
    _ name: String, _ range: Range<Int>, _ opener: inout ContentOpener
  ) -> ValueContent.Member {
    let span = bytes.storageSpan
    let content = span.extracting(range)
    let packed = opener.opensAll ? Self.packed(range, span) : []
    if let text = content.plainText {
      // Any text of ASCII characters is also a list of small numbers.
      return opener.part(name, .string(text), others: content.count < Self.leastCount ? packed : [])
    }
    let isDocument = KeyedArchive.begins(content) || MediaType(of: content) != nil
    if !isDocument, let message = Self.message(in: range, span),
      message.weight >= Self.leastPartBits
    {
      return opener.container(
        name, "message", count: message.fields.count,
        others: message.weight < Self.leastBits.long ? packed : []
      ) { opener in parts(message, &opener) }
    }
    return opener.part(name, .bytes(span.copy(of: range)), others: packed)
  }

  /// The largest number of numbers that are read as packed.
  private static let packedLimit = 64

  /// Returns the lists of numbers that the bytes at `range` can be.
  private static func packed(_ range: Range<Int>, _ span: Span<UInt8>) -> [Reading] {
    var lists: [Value.List] = []
    var input = ByteCursor(span, in: range)
    var numbers: [UInt64] = []
    while !input.isAtEnd, numbers.count <= packedLimit, let number = try? input.readVarint(),
      number < 1 << 35
    {
      numbers.append(number)
    }
    if input.isAtEnd, (2...packedLimit).contains(numbers.count) { lists.append(.uint64(numbers)) }
    if range.count % 4 == 0, (2...packedLimit).contains(range.count / 4) {
      let floats = stride(from: range.lowerBound, to: range.upperBound, by: 4).map {
        Float(bitPattern: UInt32(truncatingIfNeeded: littleEndian($0, 4, span)))
      }
      if floats.allSatisfy(\.isUsual) { lists.append(.float(floats)) }
    }
    if range.count % 8 == 0, (2...packedLimit).contains(range.count / 8) {
      let doubles = stride(from: range.lowerBound, to: range.upperBound, by: 8).map {
        Double(bitPattern: littleEndian($0, 8, span))
      }
      if doubles.allSatisfy(\.isUsual) { lists.append(.double(doubles)) }
    }
    return lists.map { Reading(.list($0), because: "") }
  }

  private static func littleEndian(_ start: Int, _ count: Int, _ span: Span<UInt8>) -> UInt64 {
    (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(span[start + $1]) }
  }
}

extension BinaryFloatingPoint {
  /// Whether the number is zero, or of a size that programs usually store.
  fileprivate var isUsual: Bool {
    self == 0 ? sign == .plus : isFinite && magnitude >= 1e-4 && magnitude < 1e7
  }
}
