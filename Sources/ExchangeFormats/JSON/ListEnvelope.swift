import KVModel

/// Decodes the elements of a list whose type is stated separately.
enum ListEnvelope {
  /// Decodes the list of type `kind`.
  ///
  /// - Throws: An error if there is no such list, or if an element does not have the type.
  static func decode(
    _ kind: Value.Kind, from container: any UnkeyedDecodingContainer
  ) throws -> Value.List {
    guard let element = kind.element else {
      throw ScalarEnvelope.unknown(kind, container.codingPath)
    }
    var container = container
    var elements: [Value] = []
    while !container.isAtEnd {
      let nested = try container.superDecoder()
      elements.append(
        try ScalarEnvelope.decode(element, from: nested.singleValueContainer(), in: .element))
    }
    guard let list = Value.List(kind: kind, elements) else {
      throw ScalarEnvelope.unknown(kind, container.codingPath)
    }
    return list
  }
}
