/// The types of records.
package enum AndroidValueType: UInt8, Hashable, Sendable, CaseIterable {
  case boolean = 1
  case int, float, long, double, string, array, object
  case largeString, largeArray, largeObject

  /// How many bytes a value has; `nil` where that is stored.
  package var fixedCount: Int? {
    switch self {
    case .boolean: 1
    case .int, .float: 4
    case .long, .double: 8
    default: nil
    }
  }

  /// How many bytes the length before the value has.
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

  /// The type that has a length of 32 bits.
  package var large: AndroidValueType {
    switch self {
    case .string: .largeString
    case .array: .largeArray
    case .object: .largeObject
    default: self
    }
  }
}
