import KVBytes
package import KVModel

/// The form that values have in reports.
extension JSONLine {
  /// Returns `value` as a JSON object.
  static func text(of value: Value) -> String { text { $0.value(value) } }

  /// Writes a typed value: its kind, and the value in the closest type that JSON has.
  ///
  /// Bytes are in hexadecimal, in `hex`. Numbers that are not finite are strings.
  package mutating func value(_ value: Value) {
    object { line in
      switch value {
      case .bytes(let bytes), .raw(let bytes):
        line.member("hex") { $0.hexadecimal(bytes.storageSpan) }
      case .keyedArchive(let className, let bytes):
        if let className { line.member("class", className) }
        line.member("hex") { $0.hexadecimal(bytes.storageSpan) }
      case .object(let className, let bytes):
        line.member("class", className)
        line.member("hex") { $0.hexadecimal(bytes.storageSpan) }
      default: break
      }
      line.member("kind", value.kind.rawValue)
      switch value {
      case .bytes, .raw, .keyedArchive, .object: break
      default: line.member("value") { $0.content(of: value) }
      }
    }
  }

  /// Writes a reading's value.
  ///
  /// If the reading has only its beginning, writes that and the full count.
  mutating func value(of reading: Reading) {
    guard let count = reading.count else { return value(reading.value) }
    object { line in
      if case .keyedArchive(let className?, _) = reading.value {
        line.member("class", className)
      }
      if case .object(let className, _) = reading.value { line.member("class", className) }
      line.member("count", count)
      switch reading.value {
      case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
        line.member("first_hex") { $0.hexadecimal(bytes.storageSpan) }
      default: line.member("first") { $0.content(of: reading.value) }
      }
      line.member("kind", reading.value.kind.rawValue)
    }
  }

  private mutating func content(of value: Value) {
    switch value {
    case .bool(let bool): literal(bool)
    case .int32(let number): self.number(number)
    case .uint32(let number): self.number(number)
    case .int64(let number): self.number(number)
    case .uint64(let number): self.number(number)
    case .float(let number): self.number(number)
    case .double(let number), .date(let number): self.number(number)
    case .string(let text), .json(let text): self.text(text)
    case .list(let values): array(values) { $0.value($1) }
    case .set(let texts): array(texts) { $0.text($1) }
    case .array(let values): array(values) { $0.value($1) }
    case .dictionary(let members):
      array(members) { line, member in
        line.object { line in
          line.member("name", member.name)
          line.member("value") { $0.value(member.value) }
        }
      }
    case .null: null()
    // These have their bytes in another member.
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      hexadecimal(bytes.storageSpan)
    }
  }
}
