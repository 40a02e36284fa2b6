import KVBytes
package import KVModel

/// A format without a log whose library's way of writing can be simulated.
package enum TableFormat: String, Hashable, Sendable, CaseIterable {
  /// Android's SharedPreferences.
  case sharedPreferences = "sharedprefs"
  /// Jetpack Preferences DataStore.
  case dataStore = "datastore"
  /// A binary property list, as `UserDefaults` writes it.
  case propertyList = "plist"
  /// A property list in XML.
  case xmlPropertyList = "plist-xml"
  /// The folder of AsyncStorage on iOS.
  case asyncStorage = "asyncstorage"

  /// The name of the format, as readers have it.
  package var formatName: String { self == .xmlPropertyList ? "plist" : rawValue }

  /// Returns the name of the file that the library loads, of the store called `name`.
  package func fileName(of name: String) -> String {
    switch self {
    case .sharedPreferences: name + ".xml"
    case .dataStore: name + ".preferences_pb"
    case .propertyList, .xmlPropertyList: name + ".plist"
    case .asyncStorage: "manifest.json"
    }
  }

  /// Returns `value` as it is read back from a file; `nil` if the library has no such type.
  package func held(_ value: Value) -> Value? {
    switch (self, value) {
    case (.asyncStorage, .string(let text)), (.asyncStorage, .json(let text)):
      let bytes = Array(text.utf8.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) })
      return JSONSyntax.isContainer(bytes.storageSpan) ? .json(text) : .string(text)
    case (.asyncStorage, _): return nil
    case (_, .bool): return value
    case (.dataStore, .string): return value
    case (.xmlPropertyList, .string(let text)):
      return XMLText.obstacle(in: text) == nil ? value : nil
    case (.sharedPreferences, .string), (.sharedPreferences, .set), (.sharedPreferences, .null):
      return value
    case (.sharedPreferences, .int32), (.sharedPreferences, .int64), (.sharedPreferences, .float):
      return value
    case (.dataStore, .int32), (.dataStore, .int64), (.dataStore, .float), (.dataStore, .double),
      (.dataStore, .bytes):
      return value
    case (.dataStore, .set(let texts)): return texts.contains(nil) ? nil : value
    case (.sharedPreferences, _), (.dataStore, _): return nil
    default: return heldInList(value)
    }
  }

  private func heldInList(_ value: Value) -> Value? {
    switch value {
    case .string, .bytes, .int64, .double: return value
    case .int32(let number): return .int64(Int64(number))
    case .uint32(let number): return .int64(Int64(number))
    case .float(let number): return self == .propertyList ? value : .double(Double(number))
    case .date(let seconds):
      return self == .propertyList
        ? value : abs(seconds) < 1e11 ? .date(seconds.rounded(.down)) : nil
    case .list(.string(let texts)): return heldInList(.array(texts.map { .string($0) }))
    case .array(let values):
      let held = values.compactMap { self.held($0) }
      return held.count == values.count ? .array(held) : nil
    case .dictionary(let members):
      let held = members.compactMap { member in
        isHeld(member.name) ? self.held(member.value).map { Value.Member(member.name, $0) } : nil
      }
      return held.count == members.count ? .dictionary(held) : nil
    default: return nil
    }
  }

  /// Returns the bytes that identify the value of `entry`: what a file with it alone has for it, or
  /// the text in AsyncStorage, where the length decides which file has it.
  ///
  /// - Throws: ``ScriptError`` if this build lacks the digest that names a file.
  func identity(of entry: TypedEntry) throws(ScriptError) -> [UInt8] {
    guard self != .asyncStorage else { return Array(ManifestEncoder.text(of: entry.value).utf8) }
    let content = try content(of: [entry])
    return content.parts[entry.key].map { Array(content.bytes[$0]) } ?? content.bytes
  }

  /// Returns whether `name` can be the name of an entry.
  func isHeld(_ name: String) -> Bool {
    switch self {
    case .xmlPropertyList: XMLText.obstacle(in: name) == nil
    case .sharedPreferences, .dataStore, .propertyList, .asyncStorage: true
    }
  }

  /// Returns the files with `entries`, which are as ``held(_:)`` returns them.
  ///
  /// - Throws: ``ScriptError`` if this build lacks the digest that names a file.
  package func content(of entries: [TypedEntry]) throws(ScriptError) -> TableContent {
    switch self {
    case .sharedPreferences: SharedPreferencesEncoder.content(of: entries)
    case .dataStore: DataStoreEncoder.content(of: entries)
    case .propertyList: BinaryListEncoder.content(of: entries)
    case .xmlPropertyList: XMLListEncoder.content(of: entries)
    case .asyncStorage: try ManifestEncoder.content(of: entries)
    }
  }
}

/// What a library writes for some entries.
package struct TableContent: Hashable, Sendable {
  /// The bytes of the file that the library loads.
  package var bytes: [UInt8] = []
  /// The bytes of each entry in that file; of a binary list, in which they are not together, none.
  package var parts: [Key: Range<Int>] = [:]
  /// The files of values, by key.
  package var values: [Key: SimulatedFile] = [:]

  /// Appends text that belongs to no entry.
  mutating func add(_ text: String) { bytes += text.utf8 }

  /// Appends the bytes of an entry.
  mutating func add(_ part: some Sequence<UInt8>, of key: Key) {
    let start = bytes.count
    bytes += part
    parts[key] = start..<bytes.count
  }
}
