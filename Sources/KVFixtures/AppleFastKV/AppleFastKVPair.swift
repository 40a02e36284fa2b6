import FastKVFormat
import KVBytes
import KVModel

/// A key's class and value, as FastKV for iOS has them in memory.
///
/// As FKVPair: what is stored is made of it anew each time, so a value can be other than its bytes.
struct AppleFastKVPair {
  /// The value in memory.
  enum Content {
    case null
    case bool(Bool)
    case int32(Int32)
    case int64(Int64)
    case float(Float)
    case double(Double)
    /// A text; `nil` where the bytes that were read are none.
    case string(String?)
    case data([UInt8])
  }

  let className: String
  let content: Content
  /// The value's bytes when it was stored last.
  var stored: [UInt8] = []

  init(_ content: Content, className: String) {
    self.content = content
    self.className = className
  }

  /// The type that its record has.
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

  /// Whether the engine takes `new` for what is there already, and then writes nothing.
  ///
  /// As -[FKVPair isEqual:]: classes make no difference, nil is equal to everything, and data is
  /// compared by its address.
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

  /// The value's bytes; `strayBytes` are those that stand after a number that is stored as a float.
  ///
  /// As -[FKVPair representationData].
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
    // The count of UTF-16 units is taken for that of bytes.
    case .string(let text?): writer.writeBytes(text.utf8.prefix(text.utf16.count))
    case .data(let bytes): writer.writeBytes(bytes)
    }
    return writer.bytes
  }
}
