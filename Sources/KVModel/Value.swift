/// A typed value, of one of the types that the formats support.
public enum Value: Sendable {
  /// A truth value.
  case bool(Bool)
  /// A signed 32-bit integer.
  case int32(Int32)
  /// An unsigned 32-bit integer.
  case uint32(UInt32)
  /// A signed 64-bit integer.
  case int64(Int64)
  /// An unsigned 64-bit integer.
  case uint64(UInt64)
  /// A 32-bit IEEE 754 number.
  case float(Float)
  /// A 64-bit IEEE 754 number.
  case double(Double)
  /// Text.
  case string(String)
  /// Bytes of unknown content.
  case bytes([UInt8])
  /// A point in time, in seconds since 1970-01-01 00:00:00 UTC.
  case date(Double)
  /// Data written by `NSKeyedArchiver`, with the class name of its root object if known.
  case keyedArchive(className: String?, [UInt8])
  /// Text that is a JSON object or array.
  case json(String)
  /// Values of one kind, in order.
  case list(List)
  /// A set of texts, without order or duplicates; `nil` is a null element.
  case set([String?])
  /// Values of any kinds, in order.
  case array([Value])
  /// Values under names, in the order of the file.
  case dictionary([Member])
  /// The data of an object, with its class name or its encoder's tag.
  case object(className: String, [UInt8])
  /// An explicit null.
  case null
  /// The bytes of an MMKV record of unknown type, including the inner length.
  case raw([UInt8])

  /// The value's type.
  public var kind: Kind {
    switch self {
    case .bool: .bool
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .float: .float
    case .double: .double
    case .string: .string
    case .bytes: .bytes
    case .date: .date
    case .keyedArchive: .keyedArchive
    case .json: .json
    case .list(let list): list.kind
    case .set: .stringSet
    case .array: .array
    case .dictionary: .dictionary
    case .object: .object
    case .null: .null
    case .raw: .raw
    }
  }
}

extension Value {
  /// The types of values; the raw value is the name in JSON and in schemas.
  public enum Kind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case bool, int32, uint32, int64, uint64, float, double, string, bytes, date
    case boolList = "list<bool>"
    case int32List = "list<int32>"
    case uint32List = "list<uint32>"
    case int64List = "list<int64>"
    case uint64List = "list<uint64>"
    case floatList = "list<float>"
    case doubleList = "list<double>"
    case stringList = "list<string>"
    case bytesList = "list<bytes>"
    case keyedArchive = "keyed-archive"
    case json
    case stringSet = "string-set"
    case array, dictionary, object, null, raw

    /// The type's name.
    public var description: String { rawValue }

    /// The type of a list's elements; `nil` if this is not the type of a ``Value/list(_:)``.
    public var element: Kind? {
      switch self {
      case .boolList: .bool
      case .int32List: .int32
      case .uint32List: .uint32
      case .int64List: .int64
      case .uint64List: .uint64
      case .floatList: .float
      case .doubleList: .double
      case .stringList: .string
      case .bytesList: .bytes
      default: nil
      }
    }
  }
}

extension Value {
  /// A named value in a dictionary.
  public struct Member: Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: Value

    /// Creates a member.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The maximum depth of nested containers; readers reject deeper nesting.
  public static var maximumDepth: Int { 64 }
}

extension Value {
  /// Returns whether both values have the same type and the same bits: NaN equals itself, and −0
  /// does not equal 0.
  ///
  /// The order of sets and dictionaries does not matter.
  public func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.float(let one), .float(let two)): one.bitPattern == two.bitPattern
    case (.double(let one), .double(let two)): one.bitPattern == two.bitPattern
    case (.date(let one), .date(let two)): one.bitPattern == two.bitPattern
    case (.list(let one), .list(let two)):
      one.kind == two.kind && one.count == two.count
        && zip(one, two).allSatisfy { $0.isSame(as: $1) }
    case (.array(let one), .array(let two)):
      one.count == two.count && zip(one, two).allSatisfy { $0.isSame(as: $1) }
    case (.dictionary(let one), .dictionary(let two)):
      one.count == two.count
        && zip(one.sortedByName, two.sortedByName)
          .allSatisfy { $0.name.hasSameBytes(as: $1.name) && $0.value.isSame(as: $1.value) }
    case (.set(let one), .set(let two)): Set(one.byteTexts) == Set(two.byteTexts)
    default: self == other
    }
  }
}

extension [Value.Member] {
  /// The members in the order of the bytes of their names.
  package var sortedByName: [Value.Member] {
    sorted { ByteText($0.name) < ByteText($1.name) }
  }
}
