import KVBytes
package import KVModel
package import SystemPackage

extension AndroidFastKVFormat: StoreEncoder {
  /// The suffix of a store's first copy; the second copy ends in `.kvb`.
  package static let suffix = ".kva"

  /// Returns how `entry` can be stored: a value that FastKV has no type for becomes text, and what
  /// it cannot hold is left out.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    withoutExpiry(entry).then(fitType).then { entry in
      let stored = AndroidFastKVFormat.stored(entry)
      let obstacle = AndroidWriter.obstacle(
        key: stored.key, value: stored.value, type: stored.type, tag: stored.tag)
      if let obstacle { return EntryFit(leftOut: obstacle) }
      let isLarge = stored.value.count + (stored.tag.map { $0.count + 1 } ?? 0) >= Int(UInt16.max)
      return EntryFit(
        entry,
        isLarge
          ? [
            .mishandled(
              "releases of FastKV before 2025-07 do not read values of 65,535 bytes and more, and "
                + "discard the whole store")
          ] : [])
    }
  }

  private func fitType(_ entry: TypedEntry) -> EntryFit {
    switch entry.value {
    case .bool, .int32, .int64, .float, .double, .string, .bytes, .set: EntryFit(entry)
    case .uint32(let number): changingType(entry, to: .int64(Int64(number)))
    case .uint64(let number):
      if let signed = Int64(exactly: number) {
        changingType(entry, to: .int64(signed))
      } else {
        changingValue(
          entry, to: .string("\(number)"), because: "a long is at most \(Int64.max)")
      }
    case .date(let seconds):
      changingValue(entry, to: .double(seconds), because: "written as seconds since 1970")
    case .json(let text): changingType(entry, to: .string(text))
    case .keyedArchive(_, let bytes): changingType(entry, to: .bytes(bytes))
    case .object(let name, let bytes):
      name == StringSetTag.name ? withoutClass(entry, name, bytes) : EntryFit(entry)
    case .list, .array, .dictionary: asJSON(entry) { .string($0) }
    case .raw(let bytes):
      changingValue(entry, to: .bytes(bytes), because: "their type is unknown")
    case .null: EntryFit(leftOut: "FastKV has no null")
    }
  }

  /// Returns the parts of the record for a value that ``fit(_:)`` has returned.
  private static func stored(_ entry: TypedEntry) -> AndroidWriter.Entry {
    func record(
      _ type: AndroidValueType, _ value: [UInt8], tag: String? = nil
    ) -> AndroidWriter.Entry {
      AndroidWriter.Entry(
        key: entry.key.bytes, type: type, tag: tag.map { Array($0.utf8) }, value: value)
    }
    func number<Bits: FixedWidthInteger & UnsignedInteger>(_ bits: Bits) -> [UInt8] {
      var writer = ByteWriter()
      writer.writeInteger(bits, as: .little)
      return writer.bytes
    }
    switch entry.value {
    case .bool(let bool): return record(.boolean, [bool ? 1 : 0])
    case .int32(let value): return record(.int, number(UInt32(bitPattern: value)))
    case .int64(let value): return record(.long, number(UInt64(bitPattern: value)))
    case .float(let value): return record(.float, number(value.bitPattern))
    case .double(let value): return record(.double, number(value.bitPattern))
    case .string(let text): return record(.string, Array(text.utf8))
    case .set(let texts): return record(.object, StringSet.bytes(texts), tag: StringSetTag.name)
    case .object(let name, let bytes): return record(.object, bytes, tag: name)
    case .bytes(let bytes): return record(.array, bytes)
    default: preconditionFailure("\(entry.value.kind) is none of the types that fit")
    }
  }

  /// Returns the two copies of a store with `entries`, `NAME.kva` and `NAME.kvb`: in the non-blocking
  /// mode, without a cipher.
  ///
  /// - Throws: `.tooLarge` if the files would exceed the engine's limit.
  package func files(
    named name: FilePath, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile] {
    try AndroidWriter(named: AndroidFileNames.stem(of: name) ?? name)
      .files(entries.map { AndroidFastKVFormat.stored($0) })
  }
}
