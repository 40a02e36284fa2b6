import KVBytes
import KVModel

/// The manifest of AsyncStorage on iOS, which maps each key to a string or marks it as being in a
/// file.
struct AsyncStorageManifest {
  /// The content of the manifest for a key.
  enum Item: Hashable {
    /// The string itself.
    case text(String)
    /// Null, which means that the string is in a file.
    case file
    /// A value that the app never writes.
    case other
  }

  /// The items, in the order of the file.
  ///
  /// For a repeated key, the last item counts.
  private(set) var items: [(key: Key, item: Item)] = []
  /// The keys that are repeated, once for each repetition.
  private(set) var duplicates: [Key] = []

  /// Reads the items of a manifest.
  ///
  /// - Throws: The reason why the manifest does not parse. The app then treats it as empty.
  init(parsing image: FileImage) throws(JSONScanner.Fault) {
    var scanner = JSONScanner(image.bytes)
    var places: [Key: Int] = [:]
    try scanner.object { (scanner, name, _) throws(JSONScanner.Fault) in
      let item: Item =
        switch try scanner.value() {
        case .string(let text): .text(text)
        case .null: .file
        default: .other
        }
      let key = Key(Array(name.utf8))
      if let place = places[key] {
        duplicates.append(key)
        items[place].item = item
      } else {
        places[key] = items.count
        items.append((key, item))
      }
    }
    try scanner.end()
  }
}
