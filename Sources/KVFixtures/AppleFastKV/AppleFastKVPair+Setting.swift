import FastKVFormat
import KVBytes
import KVModel

extension AppleFastKVPair {
  /// The maximum number of bytes that Foundation stores inline in a data object.
  private static let inlineCount = 0xffff
  /// The maximum number of ASCII characters that always fit in a tagged pointer.
  private static let taggedCount = 7

  /// Creates the pair that an app's setter makes of `value`, in a process whose pointers have
  /// `width` bytes.
  ///
  /// Unless `className` is given, the class is the one that an iPhone has for the value.
  ///
  /// - Throws: ``ScriptError`` if the engine has no setter for the value.
  init(setting value: Value, className: String?, width: Int) throws(ScriptError) {
    switch value {
    case .null: self.init(.null, className: "")
    case .bool(let bool): self.init(.bool(bool), className: "NSNumber")
    case .int32(let number): self.init(integer: Int64(number), width: width)
    case .int64(let number): self.init(integer: number, width: width)
    case .float(let number): self.init(.float(number), className: "NSNumber")
    case .double(let number): self.init(.double(number), className: className ?? "NSNumber")
    case .date(let seconds): self.init(.double(seconds), className: className ?? "__NSDate")
    case .string(let text):
      let isTagged =
        width == 8 && text.utf8.count <= Self.taggedCount && text.utf8.allSatisfy { $0 < 0x80 }
      let usual = isTagged ? "NSTaggedPointerString" : "__NSCFString"
      self.init(.string(text), className: className ?? usual)
    case .bytes(let bytes):
      let usual = bytes.count > Self.inlineCount ? "NSConcreteData" : "_NSInlineData"
      self.init(.data(bytes), className: className ?? usual)
    case .object(let name, let archive): self.init(.data(archive), className: name)
    case .keyedArchive(let name, let archive): self.init(.data(archive), className: name ?? "")
    default: throw value.refusal(by: AppleFastKVSimulator.engineName)
    }
  }

  /// Creates the pair for an integer.
  ///
  /// As -[FastKV setInteger:forKey:]: an integer below the minimum of int32 loses its upper half.
  private init(integer: Int64, width: Int) {
    let number = width == 8 ? integer : Int64(Int32(truncatingIfNeeded: integer))
    self.init(
      number > Int64(Int32.max) ? .int64(number) : .int32(Int32(truncatingIfNeeded: number)),
      className: "NSNumber")
  }

  /// Creates the pair that the engine reads from a record, or returns `nil` if it does not know the
  /// type.
  init?(reading type: AppleType, className: String, _ value: FileImage) {
    let bits = value.littleEndian(in: 0..<min(8, value.count))
    switch type {
    case .removed: return nil
    case .null: self.init(.null, className: className)
    case .bool: self.init(.bool(bits != 0), className: className)
    case .int32: self.init(.int32(Int32(truncatingIfNeeded: bits)), className: className)
    case .int64: self.init(.int64(Int64(bitPattern: bits)), className: className)
    case .float:
      let number = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      self.init(.float(number), className: className)
    case .double: self.init(.double(Double(bitPattern: bits)), className: className)
    case .string:
      self.init(.string(String(utf8: value.bytes)), className: className)
    case .data: self.init(.data(value.bytes), className: className)
    }
  }
}
