/// What a decoder of JSON complains of, for people.
enum JSONExplanation {
  /// What is wrong, and where in the document.
  static func text(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "it is not JSON" }
    let context: DecodingError.Context
    switch error {
    case .typeMismatch(_, let it), .valueNotFound(_, let it), .keyNotFound(_, let it),
      .dataCorrupted(let it):
      context = it
    @unknown default: return "it cannot be read"
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return (path.isEmpty ? "" : "at \(path): ") + context.debugDescription
  }
}
