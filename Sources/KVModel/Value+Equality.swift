// These functions are not synthesized, because synthesized equality compares texts by Unicode
// equivalence instead of by their bytes; see ``ByteText``.

extension Value: Hashable {
  /// Returns whether both values have the same type and equal content.
  ///
  /// Numbers are compared as numbers, texts by their bytes.
  public static func == (first: Value, second: Value) -> Bool {
    switch (first, second) {
    case (.bool(let one), .bool(let other)): one == other
    case (.int32(let one), .int32(let other)): one == other
    case (.uint32(let one), .uint32(let other)): one == other
    case (.int64(let one), .int64(let other)): one == other
    case (.uint64(let one), .uint64(let other)): one == other
    case (.float(let one), .float(let other)): one == other
    case (.double(let one), .double(let other)): one == other
    case (.date(let one), .date(let other)): one == other
    case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
    case (.json(let one), .json(let other)): one.hasSameBytes(as: other)
    case (.bytes(let one), .bytes(let other)): one == other
    case (.raw(let one), .raw(let other)): one == other
    case (.keyedArchive(let name, let one), .keyedArchive(let otherName, let other)):
      name.map(ByteText.init) == otherName.map(ByteText.init) && one == other
    case (.object(let name, let one), .object(let otherName, let other)):
      name.hasSameBytes(as: otherName) && one == other
    case (.list(let one), .list(let other)): one == other
    case (.set(let one), .set(let other)): one.byteTexts == other.byteTexts
    case (.array(let one), .array(let other)): one == other
    case (.dictionary(let one), .dictionary(let other)): one == other
    case (.null, .null): true
    default: false
    }
  }

  /// Hashes the type and the content, but not the class names.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .bool(let bool): hasher.combine(bool)
    case .int32(let number): hasher.combine(number)
    case .uint32(let number): hasher.combine(number)
    case .int64(let number): hasher.combine(number)
    case .uint64(let number): hasher.combine(number)
    case .float(let number): hasher.combine(number)
    case .double(let number), .date(let number): hasher.combine(number)
    case .string(let text), .json(let text): hasher.combine(ByteText(text))
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      hasher.combine(bytes)
    case .list(let list): hasher.combine(list)
    case .set(let texts): hasher.combine(texts.byteTexts)
    case .array(let values): hasher.combine(values)
    case .dictionary(let members): hasher.combine(members)
    case .null: break
    }
  }
}

extension Value.Member: Hashable {
  /// Returns whether both members have equal values, and names with the same bytes.
  public static func == (first: Value.Member, second: Value.Member) -> Bool {
    first.name.hasSameBytes(as: second.name) && first.value == second.value
  }

  /// Hashes the bytes of the name, and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteText(name))
    hasher.combine(value)
  }
}

extension Value.List: Hashable {
  /// Returns whether both lists have the same type and equal elements.
  ///
  /// Texts are compared by their bytes.
  public static func == (first: Value.List, second: Value.List) -> Bool {
    switch (first, second) {
    case (.bool(let one), .bool(let other)): one == other
    case (.int32(let one), .int32(let other)): one == other
    case (.uint32(let one), .uint32(let other)): one == other
    case (.int64(let one), .int64(let other)): one == other
    case (.uint64(let one), .uint64(let other)): one == other
    case (.float(let one), .float(let other)): one == other
    case (.double(let one), .double(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    case (.string(let one), .string(let other)):
      one.map(ByteText.init) == other.map(ByteText.init)
    default: false
    }
  }

  /// Hashes the type and the elements.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    for element in self { hasher.combine(element) }
  }
}
