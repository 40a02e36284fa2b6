import KVBytes
import KVConversion
import KVModel
import KVSystem

/// An error that ended a conversion without a new file.
enum ConvertFailure: Error {
  case conversion(ConversionError)
  case file(FileError)
  case types(path: String, TypeSchemaError)

  /// What went wrong and what to do next.
  var message: String {
    switch self {
    case .conversion(let error): error.message
    case .file(let error): error.message
    case .types(let path, let error):
      if case .malformed = error {
        "\(path): \(error.message); --types-out writes a file to start from"
      } else {
        "\(path): \(error.message)"
      }
    }
  }

  /// The exit status for the failure.
  var status: ExitStatus {
    switch self {
    case .types: .usage
    default: .failed
    }
  }
}
