import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

extension YYCacheFormat: EntryWriter {
  /// The suffix of a cache's folder.
  package static var suffix: String { ".yycache" }

  /// The maximum number of bytes in a value that is stored inline, which is YYDiskCache's default.
  static let maximumInlineCount = 20 * 1024

  private static let fitting = Fitting(format: name, hasInt32: false, hasUInt64: false)

  /// Returns how `entry` can be stored.
  ///
  /// Its value becomes data, which the app's cache will try to unarchive.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard let key = entry.key.text else { return EntryFit(leftOut: "its key is not UTF-8") }
    guard !key.isEmpty, !key.unicodeScalars.contains("\0") else {
      return EntryFit(leftOut: "\(Self.name) cannot have a key that is empty or contains U+0000")
    }
    return withoutExpiry(entry).then { entry in
      Self.fit(entry.value).then(Self.fitting.archive).then(limited).entry(entry)
    }
  }

  private static func fit(_ value: Value) -> ValueFit {
    switch value {
    case .bytes, .keyedArchive: return .held(value)
    case .raw: return fitting.bytes(value)
    case .object(let className, let bytes):
      return .held(.bytes(bytes), [.classLost(className, in: name)])
    case .string(let text), .json(let text):
      return fitting.changed(
        value, .bytes(Array(text.utf8)), "the app's YYCache will try to unarchive its UTF-8 bytes")
    case .bool, .int32, .uint32, .int64, .uint64, .float, .double, .date, .list, .set, .array,
      .dictionary, .null:
      guard let json = value.plainJSON else {
        return .leftOut("\(name) has no \(value.kind), and JSON cannot represent its content")
      }
      return fitting.changed(
        value, .bytes(Array(json.utf8)),
        "the app's YYCache will try to unarchive the plain JSON")
    }
  }

  private func limited(_ value: Value) -> ValueFit {
    // The same as YYKVStorage saveItemWithKey:value:filename:extendedData:.
    if Self.data(value).isEmpty { return .leftOut("\(Self.name) treats an empty value as missing") }
    if Self.data(value).count > Self.maximumInlineCount, digest([]) == nil {
      return .leftOut(
        "its value needs a file named by MD5, which this build lacks; build kvfsck "
          + "with the trait Encryption")
    }
    return .held(value)
  }

  static func data(_ value: Value) -> [UInt8] {
    switch value {
    case .bytes(let bytes), .keyedArchive(_, let bytes): bytes
    // `fit` returns no such entry.
    default: []
    }
  }

  /// Writes the cache to a folder at `path`, which must either not exist or be empty.
  ///
  /// - Throws: `.library` with SQLite's message, `.file`, or an error that `source` throws.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    let values = path.appending(Self.dataName)
    do {
      try files.makeFolder(at: path)
      try files.makeFolder(at: values)
    } catch {
      throw .file(error)
    }
    var large: [(name: String, bytes: [UInt8])] = []
    try files.adoptFile(at: path.appending(Self.manifestName)) {
      (temporary) throws(ConversionError) in
      large = try YYCacheWriter.write(source, of: self, to: temporary)
    }
    do {
      for value in large { try files.add(value.bytes, at: values.appending(value.name)) }
    } catch {
      throw .file(error)
    }
  }
}
