import KVBytes
package import KVModel
package import SystemPackage

extension AppleFastKVFormat: StoreEncoder {
  /// The suffix of a store's file.
  package static let suffix = ".fkv"

  /// Returns how `entry` can be stored: a value that FastKV has no type for becomes text, and what
  /// it cannot hold is left out.
  ///
  /// Doubles and texts are written whole, and the engine reads them. The losses include what its
  /// next launch will spoil.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard entry.key.text != nil else { return EntryFit(leftOut: "its key is not UTF-8") }
    guard !entry.key.bytes.isEmpty else { return EntryFit(leftOut: "its key is empty") }
    return withoutExpiry(entry).then(fitType).then { entry in
      let writer = AppleWriter(width: pointerWidth ?? 8)
      if let obstacle = writer.obstacle(to: AppleFastKVFormat.stored(entry)) {
        return EntryFit(leftOut: obstacle)
      }
      return EntryFit(entry, AppleFastKVFormat.fragility(of: entry.value).map { [$0] } ?? [])
    }
  }

  private func fitType(_ entry: TypedEntry) -> EntryFit {
    switch entry.value {
    case .bool, .int32, .int64, .float, .string, .bytes, .null: EntryFit(entry)
    case .double(let number), .date(let number):
      if StoredDouble(number.bitPattern).isBroken {
        changingValue(
          entry, to: .string("\(number)"),
          because: "it would look like a number that FastKV stores broken")
      } else {
        EntryFit(entry)
      }
    case .uint32(let number): changingType(entry, to: .int64(Int64(number)))
    case .uint64(let number):
      if let signed = Int64(exactly: number) {
        changingType(entry, to: .int64(signed))
      } else {
        changingValue(
          entry, to: .string("\(number)"), because: "an int64 is at most \(Int64.max)")
      }
    case .json(let text): changingType(entry, to: .string(text))
    case .keyedArchive(let name, let bytes):
      if bytes.starts(with: Array("bplist00".utf8)),
        name.map({ !$0.isEmpty && !AppleValueReader.isData($0) }) ?? true
      {
        EntryFit(entry)
      } else {
        changingType(entry, to: .bytes(bytes))
      }
    case .object(let name, let bytes): withoutClass(entry, name, bytes)
    case .set, .list, .array, .dictionary: asJSON(entry) { .string($0) }
    case .raw(let bytes):
      changingValue(entry, to: .bytes(bytes), because: "their type is unknown")
    }
  }

  /// Returns the loss that the engine causes later; `nil` if there is none.
  private static func fragility(of value: Value) -> Loss? {
    switch value {
    case .double(let number) where Double(Float(number)) != number,
      .date(let number) where Double(Float(number)) != number:
      .fragile("at the app's next launch, FastKV rounds a double to a float: \(Float(number))")
    case .string(let text) where AppleText.isCut(Array(text.utf8)):
      .fragile("at the app's next launch, FastKV truncates non-ASCII texts")
    case .null: .mishandled("FastKV ignores every later set and remove of a key that is set to nil")
    default: nil
    }
  }

  /// Returns the record for a value that ``fit(_:)`` has returned.
  private static func stored(_ entry: TypedEntry) -> AppleWriter.Entry {
    func record(_ type: AppleType, _ className: String, _ value: [UInt8]) -> AppleWriter.Entry {
      AppleWriter.Entry(
        type: type, className: Array(className.utf8), key: entry.key.bytes, value: value)
    }
    func number<Bits: FixedWidthInteger & UnsignedInteger>(_ bits: Bits) -> [UInt8] {
      var writer = ByteWriter()
      writer.writeInteger(bits, as: .little)
      return writer.bytes
    }
    switch entry.value {
    case .null: return record(.null, "", [])
    case .bool(let bool): return record(.bool, "NSNumber", [bool ? 1 : 0])
    case .int32(let value):
      return record(.int32, "NSNumber", number(UInt32(bitPattern: value)))
    case .int64(let value):
      return record(.int64, "NSNumber", number(UInt64(bitPattern: value)))
    case .float(let value): return record(.float, "NSNumber", number(value.bitPattern))
    case .double(let value): return record(.double, "NSNumber", number(value.bitPattern))
    case .date(let seconds): return record(.double, "__NSDate", number(seconds.bitPattern))
    case .string(let text): return record(.string, "__NSCFString", Array(text.utf8))
    case .bytes(let bytes): return record(.data, "NSData", bytes)
    case .keyedArchive(let name, let bytes): return record(.data, name ?? "", bytes)
    default: preconditionFailure("\(entry.value.kind) is none of the types that fit")
    }
  }

  /// Returns the file of a store with `entries`, for processes of the given pointer width, or else for
  /// 64-bit processes.
  ///
  /// - Throws: `.tooLarge` if the file would exceed the size limit.
  package func files(
    named name: FilePath, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile] {
    let writer = AppleWriter(width: pointerWidth ?? 8)
    return [
      EncodedFile(
        .data, at: name, try writer.bytes(entries.map { AppleFastKVFormat.stored($0) }))
    ]
  }
}
