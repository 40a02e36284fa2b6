import KVBytes
import KVConversion
import KVModel
import KVSystem

/// An error that ended a conversion without a new file.
enum ConvertFailure: Error {
  case conversion(ConversionError)
  case file(FileError)
  case discovery(DiscoveryError)
  case types(path: String, TypeSchemaError)
  /// The option concerns the log of a store, and none of the stores has one.
  case noLog(option: String)
  /// A key was given, and none of the stores at these paths is encrypted.
  case keyUnneeded([String])
  /// The stores are encrypted in different ways, or in one that the new format does not have.
  case severalKeys

  /// What went wrong and what to do next.
  var message: String {
    switch self {
    case .conversion(let error): error.message
    case .file(let error): error.message
    case .discovery(let error): error.message
    case .noLog(let option):
      "no store was named whose format has a log, so \(option) has no effect; leave it out"
    case .keyUnneeded(let stores):
      "a key was given, but \(stores.joined(separator: ", ")) \(stores.count == 1 ? "is" : "are") not "
        + "encrypted; leave it out. To encrypt a new MMKV store, use --rekey-file or --rekey"
    case .severalKeys:
      "the stores do not say under which key to encrypt the new one; give it with --rekey-file or "
        + "--rekey, or use --plain"
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
