import KVModel

/// Reads the elements of a list whose type is stated beside it.
enum ListEnvelope {
  /// The list of elements of the type called `kind`.
  ///
  /// - Throws: When there is no such list, or an element is not of the type.
  static func decode(
    _ kind: String, from container: any UnkeyedDecodingContainer
  ) throws -> Value.List {
    var container = container
    var elements: [Value] = []
    while !container.isAtEnd {
      let nested = try container.superDecoder()
      elements.append(try ScalarEnvelope.decode(kind, from: nested.singleValueContainer()))
    }
    guard let list = Value.List(kind: kind, elements) else {
      throw ScalarEnvelope.unknown("list<\(kind)>", container.codingPath)
    }
    return list
  }
}
