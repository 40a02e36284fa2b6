import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

extension SharedPreferencesFormat: EncodingRestorer {
  /// Returns the name of the file itself, without the suffix of a backup.
  package static func loadedName(of files: [StoreFile]) -> FilePath {
    let name = files.first?.path.lastName ?? FilePath(self.name)
    return name.removing(suffix: backupSuffix) ?? name
  }

  private static let fitting = Fitting(format: name, hasInt32: true, hasUInt64: false)

  /// Returns how `entry` can be stored.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard let key = entry.key.text else { return EntryFit(leftOut: "its key is not UTF-8") }
    return withoutExpiry(entry).then { entry in
      guard FlutterValue.isKey(key) else { return Self.fit(entry) }
      // Flutter has texts for values that Android has no type for.
      if FlutterValue.text(of: entry.value) != nil { return EntryFit(entry) }
      return Self.fit(entry).then { fitted in
        guard case .string(let text) = fitted.value, let meant = FlutterValue.value(of: text) else {
          return EntryFit(fitted)
        }
        return changingType(fitted, to: meant)
      }
    }
  }

  private static func fit(_ entry: TypedEntry) -> EntryFit {
    fit(entry.value).entry(entry)
  }

  private static func fit(_ value: Value) -> ValueFit {
    switch value {
    case .bool, .int32, .int64, .string, .null: .held(value)
    case .float(let number):
      number.isNaN && number.bitPattern != Float.nan.bitPattern
        ? fitting.changed(value, .float(.nan), "\(name) has only one NaN; its bits are lost")
        : .held(value)
    case .double(let number):
      fitting.changed(
        value, .string(JavaNumber.text(number)), "\(name) has no double; written as decimal text")
    case .date(let seconds):
      fitting.changed(
        value, .string(JavaNumber.text(seconds)),
        "\(name) has no date; written as seconds since 1970")
    case .uint32, .uint64: fitting.integer(value)
    case .json(let text): fitting.retyped(value, .string(text))
    case .bytes, .keyedArchive, .raw, .object: fitting.bytes(value).then(fitting.base64)
    case .set(let texts):
      // A set contains null at most once.
      .held(
        .set(
          Fitting.unique(texts.compactMap(\.self))
            + (texts.contains { $0 == nil } ? [String?.none] : [])))
    case .list(.string): fitting.set(value)
    case .list, .array, .dictionary: fitting.plainJSON(value)
    }
  }

  /// Writes the entries of `source` to a file at `path`.
  ///
  /// - Throws: An error if the file cannot be written.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    try files.writeStream(to: path) { (stream) throws(ConversionError) in
      stream.write("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<\(Self.root)>\n")
      try source.forEachEntry { (entry) throws(ConversionError) in
        if let line = Self.line(entry) { stream.write(line) }
      }
      stream.write("</\(Self.root)>\n")
    }
  }

  private static func line(_ entry: TypedEntry) -> String? {
    let key = entry.key.text ?? ""
    let name = "name=\"\(XMLText.escaped(key, .referred))\""
    func element(_ type: String, _ value: String) -> String {
      "    <\(type) \(name) value=\"\(value)\" />\n"
    }
    if FlutterValue.isKey(key), let text = FlutterValue.text(of: entry.value) {
      return "    <string \(name)>\(text)</string>\n"
    }
    switch entry.value {
    case .bool(let bool): return element("boolean", bool ? "true" : "false")
    case .int32(let number): return element("int", String(number))
    case .int64(let number): return element("long", String(number))
    case .float(let number): return element("float", JavaNumber.text(number))
    case .string(let text):
      return "    <string \(name)>\(XMLText.escaped(text, .referred))</string>\n"
    case .null: return "    <null \(name) />\n"
    case .set(let texts):
      guard !texts.isEmpty else { return "    <set \(name) />\n" }
      let lines = texts.map { text in
        guard let text else { return "        <null />\n" }
        return "        <string>\(XMLText.escaped(text, .referred))</string>\n"
      }
      return "    <set \(name)>\n\(lines.joined())    </set>\n"
    case .uint32, .uint64, .double, .bytes, .date, .keyedArchive, .json, .list, .array,
      .dictionary, .object, .raw:
      // `fit` returns no such entry.
      return nil
    }
  }
}
