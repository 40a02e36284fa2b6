import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

extension DataStoreFormat: EncodingRestorer {
  /// Returns the name of the file itself, without the suffix of a temporary file.
  package static func loadedName(of files: [StoreFile]) -> FilePath {
    let name = files.first?.path.lastName ?? FilePath(self.name)
    return name.removing(suffix: temporarySuffix) ?? name
  }

  private static let fitting = Fitting(format: name, hasInt32: true, hasUInt64: false)

  /// Returns how `entry` can be stored.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard entry.key.text != nil else { return EntryFit(leftOut: "its key is not UTF-8") }
    return withoutExpiry(entry).then { Self.fit($0.value).entry($0) }
  }

  private static func fit(_ value: Value) -> ValueFit {
    switch value {
    case .bool, .int32, .int64, .float, .double, .string: .held(value)
    case .uint32, .uint64: fitting.integer(value)
    case .json(let text): fitting.retyped(value, .string(text))
    case .date(let seconds):
      fitting.changed(value, .double(seconds), "\(name) has no date; written as seconds since 1970")
    case .bytes, .keyedArchive, .raw, .object: fitting.bytes(value).then(fitting.archive)
    case .set, .list(.string): fitting.set(value)
    case .list, .array, .dictionary: fitting.plainJSON(value)
    case .null: .leftOut("\(name) has no null")
    }
  }

  /// Writes the entries of `source` to a file at `path`.
  ///
  /// - Throws: An error if the file would exceed the limit of a protobuf message, or cannot be
  ///   written.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    var output = ByteWriter()
    try source.forEachEntry { (entry) throws(ConversionError) in
      Self.write(entry, to: &output)
      guard output.count <= Self.maximumCount else {
        throw .encoding(.tooLarge(count: output.count, limit: Self.maximumCount))
      }
    }
    do {
      try files.add(output.bytes, at: path)
    } catch {
      throw .file(error)
    }
  }

  private static func write(_ entry: TypedEntry, to output: inout ByteWriter) {
    var fields = ByteWriter()
    write(entry.key.bytes, DataStoreField.key, to: &fields)
    write(member(entry.value), DataStoreField.value, to: &fields)
    write(fields.bytes, DataStoreField.entry, to: &output)
  }

  private static func member(_ value: Value) -> [UInt8] {
    var output = ByteWriter()
    switch value {
    case .bool(let bool): write(bool ? 1 : 0, DataStoreField.Member.bool, to: &output)
    case .int32(let number):
      // Like protobuf, write a negative int32 as the int64 of the same number.
      write(UInt64(bitPattern: Int64(number)), DataStoreField.Member.int32, to: &output)
    case .int64(let number):
      write(UInt64(bitPattern: number), DataStoreField.Member.int64, to: &output)
    case .float(let number):
      output.writeVarint(DataStoreField.Member.float << 3 | 5)
      output.writeInteger(number.bitPattern, as: .little)
    case .double(let number):
      output.writeVarint(DataStoreField.Member.double << 3 | 1)
      output.writeInteger(number.bitPattern, as: .little)
    case .string(let text): write(Array(text.utf8), DataStoreField.Member.string, to: &output)
    case .set(let texts):
      var fields = ByteWriter()
      for case .some(let text) in texts {
        write(Array(text.utf8), DataStoreField.text, to: &fields)
      }
      write(fields.bytes, DataStoreField.Member.set, to: &output)
    case .bytes(let bytes), .keyedArchive(_, let bytes):
      write(bytes, DataStoreField.Member.bytes, to: &output)
    case .uint32, .uint64, .date, .json, .list, .array, .dictionary, .object, .null, .raw:
      // `fit` returns no such entry.
      break
    }
    return output.bytes
  }

  private static func write(_ bytes: [UInt8], _ field: UInt64, to output: inout ByteWriter) {
    output.writeVarint(field << 3 | 2)
    output.writeVarint(UInt64(bytes.count))
    output.writeBytes(bytes)
  }

  private static func write(_ number: UInt64, _ field: UInt64, to output: inout ByteWriter) {
    output.writeVarint(field << 3)
    output.writeVarint(number)
  }
}
