package import KVModel

/// A simulator of the library of a format without a log, which writes all entries for each change.
///
/// The order of the system calls is that of the library: a temporary file that replaces the other
/// one, the backup of SharedPreferences, and values in files before the manifest that lists them.
///
/// Reference: `SharedPreferencesImpl.writeToFile`; `FileStorage` of DataStore; `CFXMLPreferencesDomain`;
/// `RNCAsyncStorage.mm`.
package struct TableSimulator: SimulatedEngine {
  /// The most bytes of one call of `write`.
  private static let writeCount = 8192

  /// The files, and the changes made to them.
  package var disk = SimulatedDisk()
  /// The entries that the app reads back.
  package private(set) var typedEntries: [TypedEntry] = []
  /// What a file that holds each entry alone has for it.
  package private(set) var entries: [Key: [UInt8]] = [:]
  /// Always `nil`: the libraries have no encryption.
  package var key: StoreKey? { nil }

  private let format: TableFormat
  private let main: String

  /// Creates a library that has written nothing.
  ///
  /// - Throws: ``ScriptError`` if a key is given.
  init(_ format: TableFormat, _ settings: StoreSettings) throws(ScriptError) {
    guard settings.key == nil else {
      throw ScriptError(
        line: nil, "a key is given, but \(format.rawValue) has no encryption")
    }
    self.format = format
    main = format.fileName(of: settings.name)
  }

  /// Creates a library that has written `entries`, which are as `format` reads them back, in one go.
  ///
  /// - Throws: ``ScriptError`` if this build lacks the digest that names a file.
  package init(
    _ format: TableFormat, _ settings: StoreSettings, writing entries: [TypedEntry]
  ) throws(ScriptError) {
    try self.init(format, settings)
    try replace(with: entries)
  }

  /// Carries out an operation of the app.
  ///
  /// Nothing is written if nothing changes.
  package mutating func perform(_ operation: ScriptOperation) throws(ScriptError) {
    switch operation {
    case .set(let key, let value, nil): try set(key, value)
    case .set:
      throw ScriptError(
        line: nil, "a lifetime is given, but entries of \(format.rawValue) do not expire")
    case .remove(let keys):
      let removed = Set(keys)
      try replace(with: typedEntries.filter { !removed.contains($0.key) })
    case .clear(keepsSpace: false):
      guard format == .asyncStorage else { return try replace(with: []) }
      // It deletes the folder.
      (typedEntries, entries) = ([], [:])
      for file in disk.image.files { disk.remove(file.name) }
    case .sync, .reopen, .now: break
    default: throw operation.refusal(by: format.rawValue)
    }
  }

  private mutating func set(_ key: Key, _ value: Value) throws(ScriptError) {
    guard key.text.map(format.isHeld) ?? false else {
      throw ScriptError(line: nil, "\(format.rawValue) cannot store this key")
    }
    guard let held = format.held(value) else { throw value.refusal(by: format.rawValue) }
    let entry = TypedEntry(key: key, value: held)
    var new = typedEntries
    if let place = new.firstIndex(where: { $0.key == key }) {
      new[place] = entry
    } else {
      new.append(entry)
    }
    try replace(with: new)
  }

  // MARK: Writing

  private mutating func replace(with new: [TypedEntry]) throws(ScriptError) {
    guard new.count(notIn: typedEntries) > 0 || new.count != typedEntries.count else { return }
    let content = try format.content(of: new)
    var identities: [Key: [UInt8]] = [:]
    for entry in new { identities[entry.key] = try format.identity(of: entry) }
    (typedEntries, entries) = (new, identities)
    writeValues(content)
    switch format {
    case .sharedPreferences: writeWithBackup(content.bytes)
    case .dataStore:
      replaceMain(content.bytes, by: main + ".tmp", isSynced: true)
    case .propertyList, .xmlPropertyList:
      if new.isEmpty {
        // An empty domain has no file.
        disk.remove(main)
      } else {
        replaceMain(content.bytes, by: main + ".Xw3p7q", isSynced: true)
      }
    case .asyncStorage:
      replaceMain(content.bytes, by: ".dat.nosync01", isSynced: false)
    }
  }

  /// Writes the files of values that are not there yet, and removes those of other values.
  private mutating func writeValues(_ content: TableContent) {
    let values = content.values.sorted { $0.key < $1.key }.map(\.value)
    for value in values where disk.bytes(of: value.name) != value.bytes {
      write(value.bytes, to: ".dat.nosync00")
      disk.rename(".dat.nosync00", to: value.name, as: .external)
    }
    let names = values.map(\.name)
    for file in disk.image.files where file.role == .external {
      if !names.contains(where: { $0.hasSameBytes(as: file.name) }) { disk.remove(file.name) }
    }
  }

  private mutating func replaceMain(
    _ bytes: [UInt8], by temporary: String, isSynced: Bool
  ) {
    write(bytes, to: temporary)
    if isSynced { disk.sync(temporary) }
    disk.rename(temporary, to: main, as: .data)
  }

  /// Writes the file in place, while its older contents are in the backup.
  private mutating func writeWithBackup(_ bytes: [UInt8]) {
    let backup = main + ".bak"
    if disk.image[main] != nil {
      if disk.image[backup] == nil {
        disk.rename(main, to: backup, as: .data)
      } else {
        disk.remove(main)
      }
    }
    write(bytes, to: main)
    disk.sync(main)
    if disk.image[backup] != nil { disk.remove(backup) }
  }

  private mutating func write(_ bytes: [UInt8], to name: String) {
    disk.create(.data, name)
    disk.append(bytes, to: name, limit: Self.writeCount)
  }
}
