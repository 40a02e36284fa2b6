import KVBytes
import KVModel

/// The manifest of AsyncStorage on iOS: the texts under their keys, or where they are.
struct AsyncStorageManifest {
  /// What the manifest has under a key.
  enum Item: Hashable {
    /// The text.
    case text(String)
    /// Null: the text is in a file.
    case file
    /// What the app never writes.
    case other
  }

  /// The items, in the order of the file; of a key that is there twice, the last.
  private(set) var items: [(key: Key, item: Item)] = []
  /// The keys that are there again.
  private(set) var duplicates: [Key] = []

  /// The items of a manifest.
  ///
  /// - Throws: Why it does not parse; the app then takes it for empty.
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
