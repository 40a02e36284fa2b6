import KVBytes

/// A test of whether the parts of a record are plausible.
struct ApplePlausibility {
  private let image: FileImage

  /// Creates a test of parts that lie in `image`.
  init(_ image: FileImage) { self.image = image }

  /// Returns whether a record of `type` can have these parts.
  func isWritten(
    _ type: AppleType, className: Range<Int>, key: Range<Int>, value: Range<Int>
  ) -> Bool {
    if let count = type.valueCount, value.count != count { return false }
    guard isClassName(className), Self.isText(image.bytes(in: key)) else { return false }
    switch type {
    case .removed, .null: return className.isEmpty
    case .bool: return image[value.lowerBound] <= 1
    case .string: return isCutText(value)
    case .int32, .int64, .float, .double, .data: return true
    }
  }

  /// Returns whether the bytes are a text as the engine stores it, which may be cut within a
  /// character.
  func isCutText(_ range: Range<Int>) -> Bool {
    let bytes = image.bytes(in: range)
    let whole = AppleText.wholeCount(bytes)
    return bytes.count - whole < 4 && Self.isText(Array(bytes[..<whole]))
  }

  /// Returns whether the bytes can be the name of a class; an empty name counts.
  private func isClassName(_ range: Range<Int>) -> Bool {
    range.allSatisfy { offset in
      switch image[offset] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "$"):
        true
      default: false
      }
    }
  }

  /// Returns whether the bytes are UTF-8 without control characters other than white space.
  static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || (0x09...0x0d).contains($0) }
      && String(utf8: bytes) != nil
  }
}
