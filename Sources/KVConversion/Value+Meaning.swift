import KVModel

extension Value {
  /// Returns whether both values are the same apart from their types, or those of their parts: the
  /// same number, text, data, elements or members.
  ///
  /// The order of members does not matter, nor that of elements if either value is a set.
  func meansTheSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.set(let texts), _) where other.elements != nil: return other.isSet(of: texts)
    case (_, .set(let texts)) where elements != nil: return isSet(of: texts)
    case (.dictionary(let one), .dictionary(let two)):
      return one.count == two.count
        && zip(one.sortedByName, two.sortedByName)
          .allSatisfy { $0.name.hasSameBytes(as: $1.name) && $0.value.meansTheSame(as: $1.value) }
    case (.string(let one), .json(let two)), (.json(let one), .string(let two)):
      return one.hasSameBytes(as: two)
    default: break
    }
    if let one = elements, let two = other.elements {
      return one.count == two.count && zip(one, two).allSatisfy { $0.meansTheSame(as: $1) }
    }
    if kind == other.kind { return isSame(as: other) }
    if let bytes = data, let others = other.data { return bytes == others }
    // A NaN does not equal itself, and 0 equals −0.
    if let one = double, let two = other.double {
      return one == two && one.sign == two.sign || one.isNaN && two.isNaN
    }
    return integer != nil && integer == other.integer
  }

  /// Returns whether the value is a list of exactly `texts`, in any order.
  private func isSet(of texts: [String?]) -> Bool {
    guard let elements else { return false }
    var found: Set<ByteText> = []
    for case .string(let text) in elements { found.insert(ByteText(text)) }
    let wanted = Set(texts.byteTexts)
    return elements.count == wanted.count && found.count == wanted.count
      && wanted.allSatisfy { $0.map(found.contains) ?? false }
  }

  /// The elements of a list or an array; `nil` for any other value.
  private var elements: [Value]? {
    switch self {
    case .list(let list): Array(list)
    case .array(let values): values
    default: nil
    }
  }

  /// The bytes of data, or of an archived object; `nil` for any other value.
  private var data: [UInt8]? {
    switch self {
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      bytes
    default: nil
    }
  }

  /// The number, if it is one that a double can represent exactly; otherwise `nil`.
  private var double: Double? {
    switch self {
    case .int32(let number): Double(number)
    case .uint32(let number): Double(number)
    case .int64(let number): Double(exactly: number)
    case .uint64(let number): Double(exactly: number)
    case .float(let number): Double(number)
    case .double(let number), .date(let number): number
    default: nil
    }
  }

  /// The number, if it is a positive integer of 64 bits; otherwise `nil`.
  private var integer: UInt64? {
    switch self {
    case .int64(let number): UInt64(exactly: number)
    case .uint64(let number): number
    default: nil
    }
  }
}
