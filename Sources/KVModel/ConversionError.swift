public import KVBytes

/// Why a conversion could not be carried out.
public enum ConversionError: Error, Hashable, Sendable {
  /// The entries cannot be written in the format.
  case encoding(EncodingError)
  /// A file cannot be written.
  case file(FileError)
  /// A library refused; its own words.
  case library(String)

  /// What went wrong and what to do next, in a sentence for people.
  public var message: String {
    switch self {
    case .encoding(let error): error.message
    case .file(let error): error.message
    case .library(let words): words
    }
  }
}
