extension DecodingError {
  /// What a decoder complains of, and where in the document, for people.
  package var explanation: String {
    switch self {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return DecodingError.place(context) + DecodingError.noun(for: type) + " should be here"
    case .dataCorrupted(let context):
      // A decoder that cannot read the text has no place; whoever looks at a field names it.
      if context.codingPath.isEmpty { return "it is not JSON" }
      return DecodingError.place(context) + context.debugDescription
    case .keyNotFound(let key, let context):
      return DecodingError.place(context) + "there is no \"\(key.stringValue)\""
    @unknown default: return "it cannot be read"
    }
  }

  /// Returns what people call a value of `type` in a document.
  package static func noun(for type: Any.Type) -> String {
    switch type {
    case is String.Type: return "a text"
    case is Bool.Type: return "true or false"
    case let integer as any FixedWidthInteger.Type: return noun(forInteger: integer)
    case is any BinaryFloatingPoint.Type: return "a number"
    default:
      let name = String(describing: type)
      return ["Array", "Unkeyed"].contains { name.hasPrefix($0) } ? "an array" : "an object"
    }
  }

  private static func noun(forInteger type: (some FixedWidthInteger).Type) -> String {
    "a whole number from \(type.min) to \(type.max)"
  }

  private static func place(_ context: Context) -> String {
    let path = context.codingPath.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return path.isEmpty ? "" : "at \(path): "
  }
}
