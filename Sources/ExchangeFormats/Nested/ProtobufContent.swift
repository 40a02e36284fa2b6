import KVBytes
import KVModel

/// The fields of a Protocol Buffers message whose schema only the app knows.
enum ProtobufContent {
  /// The minimum number of bytes of a message.
  ///
  /// Fewer bytes are often a valid message by chance.
  private static let leastCount = 4

  /// Returns the fields of the message in `bytes`, or `nil` if it is not a message.
  static func of(_ bytes: [UInt8]) -> ValueContent? {
    let span = bytes.storageSpan
    guard bytes.count >= leastCount, let fields = fields(in: 0..<bytes.count, span) else {
      return nil
    }
    let members = fields.prefix(ValueContent.memberLimit).map { field in
      let name = "\(field.number)"
      return switch field.content {
      case .varint(let number): ValueContent.Member(name, .int64(Int64(bitPattern: number)))
      case .fixed64(let bits): ValueContent.Member(name, .double(Double(bitPattern: bits)))
      case .fixed32(let bits): ValueContent.Member(name, .float(Float(bitPattern: bits)))
      case .bytes(let range): part(name, range, span)
      }
    }
    return ValueContent(.protobuf, members, count: fields.count)
  }

  /// Returns the member for the length-delimited field at `range`: a string, a message, or bytes.
  private static func part(
    _ name: String, _ range: Range<Int>, _ span: Span<UInt8>
  ) -> ValueContent.Member {
    let text = span.text(in: range)
    if let text, text.unicodeScalars.allSatisfy({ !$0.isControl }) {
      return .init(name, .string(text))
    }
    if range.count >= leastCount, let fields = fields(in: range, span) {
      return .init(name, .container("message", count: fields.count))
    }
    return .init(name, .bytes(span.copy(of: range)))
  }

  /// Returns the fields in `range`, or `nil` if they are not a plausible message.
  ///
  /// The fields must be complete. Their numbers must start small and ascend without wide gaps, as
  /// programs write them.
  private static func fields(in range: Range<Int>, _ span: Span<UInt8>) -> [WireField]? {
    var input = ByteCursor(span, in: range)
    var fields: [WireField] = []
    var last: UInt64 = 1
    while !input.isAtEnd {
      guard let field = try? WireField(parsing: &input),
        field.number >= last, field.number <= last + 16
      else { return nil }
      last = field.number
      fields.append(field)
    }
    return fields.isEmpty ? nil : fields
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a control character other than a tab or a line end.
  fileprivate var isControl: Bool {
    properties.generalCategory == .control && ![0x09, 0x0a, 0x0d].contains(value)
  }
}
