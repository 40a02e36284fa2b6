extension Value {
  /// Values of one kind, in order; the kind is known even if the list is empty.
  ///
  /// A list is an array of a plain type instead of ``Value``, because a file can claim that a
  /// megabyte of zeros is a million Booleans.
  public enum List: Sendable {
    /// Truth values.
    case bool([Bool])
    /// Signed 32-bit integers.
    case int32([Int32])
    /// Unsigned 32-bit integers.
    case uint32([UInt32])
    /// Signed 64-bit integers.
    case int64([Int64])
    /// Unsigned 64-bit integers.
    case uint64([UInt64])
    /// 32-bit IEEE 754 numbers.
    case float([Float])
    /// 64-bit IEEE 754 numbers.
    case double([Double])
    /// Texts.
    case string([String])
    /// Bytes of unknown content.
    case bytes([[UInt8]])

    /// The type of the list, which implies that of its elements.
    public var kind: Value.Kind {
      switch self {
      case .bool: .boolList
      case .int32: .int32List
      case .uint32: .uint32List
      case .int64: .int64List
      case .uint64: .uint64List
      case .float: .floatList
      case .double: .doubleList
      case .string: .stringList
      case .bytes: .bytesList
      }
    }
  }
}

extension Value.List: RandomAccessCollection {
  /// The position of the first element, 0.
  public var startIndex: Int { 0 }

  /// The position after the last element, which is the number of elements.
  public var endIndex: Int {
    switch self {
    case .bool(let elements): elements.count
    case .int32(let elements): elements.count
    case .uint32(let elements): elements.count
    case .int64(let elements): elements.count
    case .uint64(let elements): elements.count
    case .float(let elements): elements.count
    case .double(let elements): elements.count
    case .string(let elements): elements.count
    case .bytes(let elements): elements.count
    }
  }

  /// The element at `position`.
  ///
  /// - Precondition: `indices.contains(position)`.
  public subscript(position: Int) -> Value {
    switch self {
    case .bool(let elements): .bool(elements[position])
    case .int32(let elements): .int32(elements[position])
    case .uint32(let elements): .uint32(elements[position])
    case .int64(let elements): .int64(elements[position])
    case .uint64(let elements): .uint64(elements[position])
    case .float(let elements): .float(elements[position])
    case .double(let elements): .double(elements[position])
    case .string(let elements): .string(elements[position])
    case .bytes(let elements): .bytes(elements[position])
    }
  }
}

extension Value.List {
  /// Creates the list of type `kind` with `elements`; returns `nil` if `kind` is not a list type or
  /// an element has another type.
  public init?(kind: Value.Kind, _ elements: [Value]) {
    func list<Element>(
      _ make: ([Element]) -> Value.List, _ element: (Value) -> Element?
    ) -> Value.List? {
      let plain = elements.compactMap(element)
      return plain.count == elements.count ? make(plain) : nil
    }
    let found: Value.List? =
      switch kind {
      case .boolList: list(Self.bool) { if case .bool(let it) = $0 { it } else { nil } }
      case .int32List: list(Self.int32) { if case .int32(let it) = $0 { it } else { nil } }
      case .uint32List: list(Self.uint32) { if case .uint32(let it) = $0 { it } else { nil } }
      case .int64List: list(Self.int64) { if case .int64(let it) = $0 { it } else { nil } }
      case .uint64List: list(Self.uint64) { if case .uint64(let it) = $0 { it } else { nil } }
      case .floatList: list(Self.float) { if case .float(let it) = $0 { it } else { nil } }
      case .doubleList: list(Self.double) { if case .double(let it) = $0 { it } else { nil } }
      case .stringList: list(Self.string) { if case .string(let it) = $0 { it } else { nil } }
      case .bytesList: list(Self.bytes) { if case .bytes(let it) = $0 { it } else { nil } }
      default: nil
      }
    guard let found else { return nil }
    self = found
  }
}
