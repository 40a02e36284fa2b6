import KVBytes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The manifest of AsyncStorage on iOS: the texts under their keys, or where they are.
enum AsyncStorageManifest {
  /// What the manifest has under a key.
  enum Item: Hashable, Decodable {
    /// The text.
    case text(String)
    /// Null: the text is in a file.
    case file
    /// What the app never writes.
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .file
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .other
      }
    }
  }

  /// Why a manifest does not parse.
  struct ParsingError: Error, Hashable {
    /// The parser's words.
    let words: String
  }

  /// The items of a manifest.
  static func parse(_ image: FileImage) -> Result<[String: Item], ParsingError> {
    do {
      return .success(
        try JSONDecoder().decode([String: Item].self, from: Data(image.bytes)))
    } catch let DecodingError.dataCorrupted(context) {
      return .failure(ParsingError(words: context.debugDescription))
    } catch {
      return .failure(ParsingError(words: "its root is of another kind"))
    }
  }
}
