import KVBytes
import KVModel

/// The rules that formats share for values for which they have no type.
struct Fitting {
  /// The name of the format, for messages.
  let format: String
  /// Whether the format has a signed 32-bit integer.
  let hasInt32: Bool
  /// Whether the format has an unsigned 64-bit integer.
  let hasUInt64: Bool

  /// Returns `new` for `old`, the same content under another type.
  func retyped(_ old: Value, _ new: Value) -> ValueFit {
    .held(new, [.typeChanged(old, to: new, in: format)])
  }

  /// Returns `new` for `old`, which the app has to interpret.
  func changed(_ old: Value, _ new: Value, _ reason: String) -> ValueFit {
    .held(new, [.valueChanged(old, to: new, reason)])
  }

  /// Returns an integer as one of the format's integers, and any other value unchanged.
  ///
  /// The result has the narrowest type that can represent all values of the integer's type, or else
  /// the integer itself. If the integer is too large for all of them, the result is decimal text.
  func integer(_ value: Value) -> ValueFit {
    switch value {
    case .int32(let number):
      return hasInt32 ? .held(value) : retyped(value, .int64(Int64(number)))
    case .uint32(let number): return retyped(value, .int64(Int64(number)))
    case .uint64(let number):
      if let small = Int64(exactly: number) { return retyped(value, .int64(small)) }
      if hasUInt64 { return .held(value) }
      return changed(
        value, .string(String(number)),
        "\(format) has no integer this large; written as decimal text")
    default: return .held(value)
    }
  }

  /// Returns bytes with a further meaning as plain bytes, and any other value unchanged.
  func bytes(_ value: Value) -> ValueFit {
    switch value {
    case .raw(let bytes): return changed(value, .bytes(bytes), "their type is unknown")
    case .object(let className, let bytes):
      let new = Value.bytes(bytes)
      return .held(
        new, [.typeChanged(value, to: new, in: format), .classLost(className, in: format)])
    default: return .held(value)
    }
  }

  /// Returns bytes or an archive as a reader will read them, and any other value unchanged.
  ///
  /// A reader takes all data that begins like a binary property list for an archive.
  func archive(_ value: Value) -> ValueFit {
    switch value {
    case .bytes(let bytes):
      let new = Self.data(bytes)
      return new == value ? .held(value) : retyped(value, new)
    case .keyedArchive(let className, let bytes):
      let new = Self.data(bytes)
      if new == value { return .held(value) }
      var losses: [Loss] = []
      if new.kind != value.kind { losses.append(.typeChanged(value, to: new, in: format)) }
      if let className { losses.append(.classLost(className, in: format)) }
      return .held(new, losses)
    default: return .held(value)
    }
  }

  /// Returns data as a reader will read it: an archive if it begins like a binary property list.
  static func data(_ bytes: [UInt8]) -> Value {
    guard KeyedArchive.begins(bytes.storageSpan) else { return .bytes(bytes) }
    return .keyedArchive(className: KeyedArchive.rootClassName(of: bytes.storageSpan), bytes)
  }

  /// Returns bytes of any kind as base64 text, and any other value unchanged.
  func base64(_ value: Value) -> ValueFit {
    switch value {
    case .bytes(let bytes):
      return changed(
        value, .string(Base64.text(bytes)), "\(format) has no bytes; written as base64 text")
    case .keyedArchive(let className, let bytes):
      let new = Value.string(Base64.text(bytes))
      let losses = className.map { [Loss.classLost($0, in: format)] } ?? []
      return .held(
        new,
        [.valueChanged(value, to: new, "\(format) has no bytes; written as base64 text")] + losses)
    default: return .held(value)
    }
  }

  /// Returns a list of strings, or a set with nulls, as a set of strings.
  ///
  /// Any other value is returned unchanged.
  func set(_ value: Value) -> ValueFit {
    switch value {
    case .list(.string(let texts)):
      let unique = Self.unique(texts)
      let new = Value.set(unique)
      if unique.count < texts.count {
        return changed(value, new, "a set has no order and no duplicates")
      }
      if texts.count > 1 { return changed(value, new, "a set has no order") }
      return retyped(value, new)
    case .set(let texts):
      let plain = texts.compactMap(\.self)
      let new = Value.set(Self.unique(plain))
      guard plain.count < texts.count else { return .held(new) }
      return changed(value, new, "\(format) cannot store null in a set; it is dropped")
    default: return .held(value)
    }
  }

  /// Returns the strings without repetitions, comparing them by their bytes.
  static func unique(_ texts: [String]) -> [String] {
    var seen: Set<ByteText> = []
    return texts.filter { seen.insert(ByteText($0)).inserted }
  }

  /// Returns a container as plain JSON text, and any other value unchanged.
  func plainJSON(_ value: Value) -> ValueFit {
    switch value {
    case .list, .array, .dictionary: break
    default: return .held(value)
    }
    guard let json = value.plainJSON else {
      return .leftOut("\(format) has no \(value.kind), and JSON cannot represent its content")
    }
    return changed(
      value, .string(json),
      "\(format) has no \(value.kind); written as plain JSON, with any bytes in base64")
  }
}
