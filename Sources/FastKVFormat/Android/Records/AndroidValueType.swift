/// The types of a record's value.
package enum AndroidValueType: UInt8, Hashable, Sendable, CaseIterable {
  case boolean = 1
  case int, float, long, double, string, array, object
  case largeString, largeArray, largeObject

  /// The number of bytes in a value; `nil` if it is stored with the value.
  package var fixedCount: Int? {
    switch self {
    case .boolean: 1
    case .int, .float: 4
    case .long, .double: 8
    default: nil
    }
  }

  /// The number of bytes in the length before the value.
  package var lengthCount: Int {
    switch self {
    case .string, .array, .object: 2
    case .largeString, .largeArray, .largeObject: 4
    default: 0
    }
  }

  /// The type without regard to how its length is stored.
  package var base: AndroidValueType {
    switch self {
    case .largeString: .string
    case .largeArray: .array
    case .largeObject: .object
    default: self
    }
  }

  /// The type with a 32-bit length, if there is one.
  package var large: AndroidValueType {
    switch self {
    case .string: .largeString
    case .array: .largeArray
    case .object: .largeObject
    default: self
    }
  }
}
