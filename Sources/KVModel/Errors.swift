import KVBytes
package import KVSystem

/// An error that stops a conversion.
package enum ConversionError: Error, Hashable, Sendable {
  /// The entries cannot be written in the format.
  case encoding(EncodingError)
  /// A file cannot be written.
  case file(FileError)
  /// A library reported an error; the text is its own.
  case library(String)

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .encoding(let error): error.message
    case .file(let error): error.message
    case .library(let words): words
    }
  }
}

/// The reason why a store cannot be written.
package enum EncodingError: Error, Hashable, Sendable {
  /// This build cannot encrypt.
  case noCipher
  /// Stores of the format are never encrypted.
  case neverEncrypted
  /// The store would be larger than its format can address.
  case tooLarge(count: Int, limit: Int)
  /// The engine could not read the store if it contained this entry.
  case unreadableEntry(key: Key, reason: String)

  /// What went wrong and what to do next, in a sentence for people.
  package var message: String {
    switch self {
    case .noCipher:
      "this build has no ciphers; build kvfsck with the trait Encryption"
    case .neverEncrypted: "stores of this format are never encrypted"
    case .tooLarge(let count, let limit):
      "the store would take \(count.inBytes), but the format can address only \(limit.grouped); leave out "
        + "entries, or use a format without that limit, such as SQLite"
    case .unreadableEntry(_, let reason):
      "an entry cannot be written: \(reason)"
    }
  }
}

extension DecodingError {
  /// The decoder's error, with its place in the document, for people.
  package var explanation: String {
    switch self {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return DecodingError.place(context) + DecodingError.noun(for: type) + " is expected here"
    case .dataCorrupted(let context):
      // A decoder that cannot parse the text at all reports no place, so the caller names the
      // field.
      if context.codingPath.isEmpty { return "it is not JSON" }
      return DecodingError.place(context) + context.debugDescription
    case .keyNotFound(let key, let context):
      return DecodingError.place(context) + "there is no \"\(key.stringValue)\""
    @unknown default: return "it cannot be read"
    }
  }

  /// Returns the name of a value of `type` in a document, for people.
  package static func noun(for type: Any.Type) -> String {
    switch type {
    case is String.Type: return "a string"
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
