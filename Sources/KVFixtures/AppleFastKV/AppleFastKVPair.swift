import FastKVFormat
import KVBytes
import KVModel

/// The class and value of a key, as FastKV for iOS has them in memory.
///
/// As FKVPair. The stored bytes are made anew from the value each time, so the value in memory can
/// differ from them.
struct AppleFastKVPair {
  /// The value in memory.
  enum Content {
    case null
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case float(Float)
    case double(Double)
    /// A string, or `nil` if the bytes that were read are not valid text.
    case string(String?)
    case data([UInt8])
  }

  let className: String
  let content: Content
  /// The bytes of the value as last stored.
  var stored: [UInt8] = []

  init(_ content: Content, className: String) {
    self.content = content
    self.className = className
  }

  /// The type of the pair's record.
  var type: AppleType {
    switch content {
    case .null: .null
    case .bool: .bool
    case .int32: .int32
    case .int64: .int64
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    }
  }

  /// Returns whether the engine considers `new` equal to this pair, and then writes nothing.
  ///
  /// As -[FKVPair isEqual:]: classes are ignored, `nil` equals everything, and data is compared by
  /// address.
  func isEqual(to new: AppleFastKVPair?) -> Bool {
    switch (content, new?.content) {
    case (.null, _): true
    case (.bool(let old), .bool(let new)): old == new
    case (.int32(let old), .int32(let new)): old == new
    case (.int64(let old), .int64(let new)): old == new
    case (.float(let old), .float(let new)): old == new
    case (.double(let old), .double(let new)): old == new
    case (.string(let old?), .string(let new?)): old.utf8.elementsEqual(new.utf8)
    default: false
    }
  }

  /// Returns the bytes of the value.
  ///
  /// As -[FKVPair representationData].
  ///
  /// `strayBytes` returns the stray bytes after a double, which is stored as a float.
  func bytes(strayBytes: () -> [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    switch content {
    case .null, .string(nil): break
    case .bool(let value): writer.writeByte(value ? 1 : 0)
    case .int32(let value): writer.writeInteger(UInt32(bitPattern: value), as: .little)
    case .int64(let value): writer.writeInteger(UInt64(bitPattern: value), as: .little)
    case .float(let value): writer.writeInteger(value.bitPattern, as: .little)
    case .double(let value):
      writer.writeInteger(Float(value).bitPattern, as: .little)
      writer.writeBytes(strayBytes())
    // The engine takes the number of UTF-16 code units for the number of bytes.
    case .string(let text?): writer.writeBytes(text.utf8.prefix(text.utf16.count))
    case .data(let bytes): writer.writeBytes(bytes)
    }
    return writer.bytes
  }
}
