import KVBytes
import KVConversion
import KVModel
import KVSystem

/// An error that ended a conversion without a new file.
enum ConvertFailure: Error {
  case conversion(ConversionError)
  case file(FileError)
  case types(path: String, TypeSchemaError)
  /// The option concerns the log of a store, and none of the stores has one.
  case noLog(option: String)

  /// What went wrong and what to do next.
  var message: String {
    switch self {
    case .conversion(let error): error.message
    case .file(let error): error.message
    case .noLog(let option):
      "no store was named whose format has a log, so \(option) has no effect; leave it out"
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
    case .types, .noLog: .usage
    default: .failed
    }
  }
}
