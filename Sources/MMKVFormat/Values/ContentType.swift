import KVModel

/// The type of data according to its first bytes, among the formats that apps store in values.
struct ContentType {
  /// The name, with an article, for people.
  let name: String

  /// Recognizes the type of `content`; `nil` if it is unknown.
  init?(of content: Span<UInt8>) {
    if let media = MediaType(of: content) {
      name = media.name
    } else if Self.isMessage(content, from: 1...16) {
      name = "a message of Protocol Buffers"
    } else {
      return nil
    }
  }

  /// Returns whether `content` consists of whole fields of a Protocol Buffers message, whose
  /// numbers do not decrease and begin in `first`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of fields; the contents of fields are not
  ///   examined.
  static func isMessage(_ content: Span<UInt8>, from first: ClosedRange<UInt64>) -> Bool {
    guard content.count >= 4 else { return false }
    var offset = 0
    var last = first.lowerBound
    while offset < content.count {
      guard let (tag, start) = content.minimalVarint(at: offset), case let number = tag >> 3,
        number >= last, offset == 0 ? first.contains(number) : number <= last + 16
      else { return false }
      last = number
      switch tag & 7 {
      case 0:
        guard let (_, end) = content.minimalVarint(at: start) else { return false }
        offset = end
      case 1: offset = start + 8
      case 5: offset = start + 4
      case 2:
        guard let (length, first) = content.minimalVarint(at: start),
          let count = Int(exactly: length), count <= content.count - first
        else { return false }
        offset = first + count
      default: return false
      }
    }
    return offset == content.count
  }
}
