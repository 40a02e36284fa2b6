extension DecodingError {
  /// What a decoder complains of, and where in the document, for people.
  package var explanation: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return DecodingError.place(context) + context.debugDescription
    case .keyNotFound(let key, let context):
      return DecodingError.place(context) + "there is no \"\(key.stringValue)\""
    @unknown default: return "it cannot be read"
    }
  }

  private static func place(_ context: Context) -> String {
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? "" : "at \(path): "
  }
}
