extension DecodingError {
  /// What a decoder complains of, and where in the document, for people.
  package var explanation: String {
    let context: Context
    switch self {
    case .typeMismatch(_, let it), .valueNotFound(_, let it), .keyNotFound(_, let it),
      .dataCorrupted(let it):
      context = it
    @unknown default: return "it cannot be read"
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return (path.isEmpty ? "" : "at \(path): ") + context.debugDescription
  }
}
