import KVBytes
package import KVModel
package import SystemPackage

extension MMKVFormat: StoreEncoder {
  /// The suffix of a store's file name: none.
  package static let suffix = ""
  /// Whether a reader finds the types: `false`, because MMKV does not store them.
  package static let keepsTypes = false

  /// The key under which typed entries are written: the only one of the format, if it has one.
  private var writtenKey: MMKVKey? {
    keys.choice(for: []).key.map { MMKVKey($0, isAES256: isAES256 ?? false) }
  }

  /// Returns how `entry` is stored: sets become lists of strings, as on Android, and nested values
  /// become JSON.
  ///
  /// The value can be read back if its type is given.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard !entry.key.bytes.isEmpty else {
      return EntryFit(leftOut: "its key is empty, and the engine would drop the whole store")
    }
    return fitValue(of: entry).then { entry in
      let valueCount =
        (ValueWriter.bytes(of: entry.value)?.count ?? 0)
        + (entry.expiry == 0 ? 0 : MMKVWriter.expiryCount)
      let keyCount = entry.key.bytes.count
      guard MMKVWriter.isReadable(key: keyCount, value: valueCount, isEncrypted: writtenKey != nil)
      else {
        return EntryFit(
          leftOut: "its key has \(keyCount.inBytes), but the engine reads at most "
            + "\(RecordShape.engineKeyLimit.grouped), or "
            + "\(RecordShape.engineOverheadLimit.grouped) including the lengths of key and value")
      }
      return EntryFit(entry)
    }
  }

  private func fitValue(of entry: TypedEntry) -> EntryFit {
    switch entry.value {
    case .set(let texts):
      let present = texts.compactMap(\.self)
      let list = Value.list(.string(present))
      return present.count == texts.count
        ? changingType(entry, to: list)
        : changingValue(entry, to: list, because: "a list of texts in MMKV cannot contain null")
    case .array, .dictionary: return asJSON(entry) { .json($0) }
    case .object(let name, let bytes): return withoutClass(entry, name, bytes)
    case .null:
      return EntryFit(leftOut: "MMKV has no null: it would remove the key")
    case .keyedArchive(let name, let bytes): return fit(entry, name, bytes)
    case .json(let text):
      return ValueParser.value(ValueWriter.bytes(of: entry.value) ?? [], as: .json) == nil
        ? changingType(entry, to: .string(text)) : EntryFit(entry)
    case .raw(let bytes) where bytes.isEmpty:
      return EntryFit(leftOut: "its value is empty, which would remove the key")
    default: return EntryFit(entry)
    }
  }

  private func fit(_ entry: TypedEntry, _ name: String?, _ bytes: [UInt8]) -> EntryFit {
    guard KeyedArchive.begins(bytes.storageSpan) else {
      return changingValue(
        entry, to: .bytes(bytes), because: "it does not begin like an archive")
    }
    let found = KeyedArchive.rootClassName(of: bytes.storageSpan)
    let losses = name.flatMap { $0 == found ? nil : [Loss.classLost($0, in: MMKVFormat.name)] }
    return EntryFit(entry.with(.keyedArchive(className: found, bytes)), losses ?? [])
  }

  /// Returns the files of a store with `entries`, under the format's key.
  ///
  /// - Throws: `.tooLarge`, `.noCipher`.
  package func files(
    named name: FilePath, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile] {
    let hasExpiry = entries.contains { $0.expiry != 0 }
    let contents = StoreContents(
      entries.map { entry in
        var writer = ByteWriter()
        writer.writeBytes(ValueWriter.bytes(of: entry.value) ?? [])
        if hasExpiry { writer.writeInteger(entry.expiry, as: .little) }
        return StoreContents.Entry(key: entry.key, value: writer.bytes)
      })
    let writer = MMKVWriter(
      page: PageSize(metaCount: 4096), sequence: 1, hasExpiry: hasExpiry, key: writtenKey)
    return try writer.files(named: name, contents)
  }
}
