/// A part of a file that was stored and may not be on disk yet.
package enum DirtyPart: Hashable, Sendable {
  /// A page of 4,096 bytes of a file, by its number from 0.
  case page(file: String, number: Int)
  /// The length of a file.
  case length(file: String)

  /// A description of the part.
  var text: String {
    switch self {
    case .page(let file, let number): "\(file) page \(number)"
    case .length(let file): "the length of \(file)"
    }
  }
}
