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
    /// A string of which a part is no text, and why.
    case broken(String)
  }

  /// The items, in the order of the file.
  ///
  /// For a repeated key, the last item counts.
  private(set) var items: [(key: Key, item: Item)] = []
  /// The keys that are repeated, once for each repetition.
  private(set) var duplicates: [Key] = []

  /// Why the manifest does not parse to its end, or a name in it is no text; `nil` if neither is so.
  private(set) var fault: JSONScanner.Fault?

  /// Whether all of the manifest parses; the app treats any other as empty.
  var isIntact: Bool {
    fault == nil && !items.contains { if case .broken = $0.item { true } else { false } }
  }

  private var places: [Key: Int] = [:]

  /// Reads the items of a manifest, up to the first syntax error.
  init(parsing image: FileImage) {
    var scanner = JSONScanner(image.bytes, passingBrokenTexts: true)
    do throws(JSONScanner.Fault) {
      try scanner.object { (scanner, name, _) throws(JSONScanner.Fault) in
        let nameObstacle = scanner.takeObstacle()
        let value = try scanner.value()
        let obstacle = scanner.takeObstacle()
        fault = fault ?? nameObstacle
        // A name that is no text is not that of the key.
        guard nameObstacle == nil else { return }
        let item: Item =
          switch value {
          case _ where obstacle != nil: .broken(obstacle?.reason ?? "")
          case .string(let text): .text(text)
          case .null: .file
          default: .other
          }
        add(item, for: Key(Array(name.utf8)))
      }
      try scanner.end()
    } catch {
      fault = fault ?? error
    }
  }

  private mutating func add(_ item: Item, for key: Key) {
    if let place = places[key] {
      duplicates.append(key)
      items[place].item = item
    } else {
      places[key] = items.count
      items.append((key, item))
    }
  }
}
