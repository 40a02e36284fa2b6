import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension AndroidFastKVStore {
  /// Returns the type, the flags and the extents of `record`.
  func shape(of record: Record) -> AndroidRecordShape? {
    let image = stored(record.file)
    guard record.extent.end <= image.count,
      case .success(let shape) = AndroidRecordShape.read(
        image.storageSpan, at: record.offset, limit: record.extent.end)
    else { return nil }
    return shape
  }

  /// Returns the tag of an object, from its content.
  func tag(of record: Record) -> [UInt8]? {
    guard let shape = shape(of: record), shape.type.base == .object else { return nil }
    if shape.isExternal {
      guard let content = externalContent(of: record),
        let end = ObjectTag.end(content.storageSpan, content.indices)
      else { return nil }
      return Array(content[1..<end])
    }
    guard shape.content.lowerBound < record.value.lowerBound else { return nil }
    return decoded(record.file).bytes(in: shape.content.lowerBound + 1..<record.value.lowerBound)
  }

  /// Returns the value's data: for an external value, the bytes of its file; for an object, what
  /// follows its tag.
  ///
  /// Empty for an external value whose file is missing; see ``loss(of:)``.
  package func value(of record: Record) -> [UInt8] {
    guard let shape = shape(of: record), shape.isExternal else {
      return decoded(record.file).bytes(in: record.value)
    }
    guard let content = externalContent(of: record) else { return [] }
    guard shape.type.base == .object,
      let end = ObjectTag.end(content.storageSpan, content.indices)
    else { return content }
    return Array(content[end...])
  }

  /// Returns the name of the file that holds the value of `record`; `nil` if it is inline.
  func externalName(of record: Record) -> String? {
    guard let shape = shape(of: record), shape.isExternal else { return nil }
    return String(
      decoding: stored(record.file).bytes(in: shape.content), as: UTF8.self)
  }

  /// Returns why the external value of `record` looks damaged; `nil` if it does not.
  func externalDamage(of record: Record) -> String? {
    guard let content = externalContent(of: record), let shape = shape(of: record) else {
      return nil
    }
    if content.count < ExternalName.leastByteCount {
      return
        "it has \(content.count.inBytes), but FastKV never puts a value of fewer than "
        + "\(ExternalName.leastByteCount.grouped) bytes into a separate file: the file was probably truncated"
    }
    if shape.type.base == .string {
      if AndroidText.form(content.storageSpan, content.indices) == .malformed {
        return "it is a text, but its bytes are not UTF-8"
      }
      if AndroidText.hasHole(content.storageSpan, content.indices) {
        return "it is a text, but contains zeros"
      }
    }
    return nil
  }

  private func externalContent(of record: Record) -> [UInt8]? {
    guard let name = externalName(of: record), let image = externals.image(named: name) else {
      return nil
    }
    guard copy(record.file)?.decoded.isEncrypted ?? false else { return image.bytes }
    return cipher?.decrypt(image.bytes)
  }

  /// Returns a message if the file of an external value is missing, empty or cannot be decrypted;
  /// otherwise `nil`.
  func loss(of record: Record) -> String? {
    guard let name = externalName(of: record), externalContent(of: record) == nil else {
      return nil
    }
    let isUnread = unread.contains { $0.path.lastComponent?.string == name }
    return "its value is in the file \(name), which "
      + (isUnread ? "cannot be read" : "is missing, empty or cannot be decrypted")
  }

  /// `true`: long values are in files of their own.
  package var keepsValuesElsewhere: Bool { true }

  /// `false`: a value may be in a file that is missing.
  package var readsValuesAsStored: Bool { false }

  /// Returns what FastKV makes of the value of `record`.
  ///
  /// It removes the key as soon as it is read if its value is in a file that is missing, empty, not
  /// yet renamed or not decryptable. In a long text that is not UTF-8, it replaces what is wrong.
  package func loadedValue(of record: Record) -> LoadedValue {
    if let name = externalName(of: record),
      !externals.isThere(name) || externalContent(of: record) == nil
    {
      return .missing
    }
    guard shape(of: record)?.type.base == .string else { return .asStored }
    let text = value(of: record)
    return AndroidText.form(text.storageSpan, text.indices) == .malformed
      ? .other : .asStored
  }

  /// Returns the value by the record's type, or the bytes if they do not fit that type.
  package func readings(of record: Record) -> [Reading] {
    let value = value(of: record)
    guard let shape = shape(of: record) else {
      return [Reading(.bytes(value), because: "the record has no type")]
    }
    let bytes = Reading(.bytes(value), because: "the record's type is \(shape.type.base)")
    func reading(_ value: Value) -> [Reading] {
      [Reading(value, because: "the record's type is \(shape.type.base)")]
    }
    func number<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type) -> T? {
      var cursor = ByteCursor(value.storageSpan, in: value.indices)
      return try? cursor.readInteger(type, as: .little)
    }
    switch shape.type.base {
    case .boolean: return value.count == 1 ? reading(.bool(value[0] == 1)) : [bytes]
    case .int:
      return number(UInt32.self).map { reading(.int32(Int32(bitPattern: $0))) } ?? [bytes]
    case .float:
      return number(UInt32.self).map { reading(.float(Float(bitPattern: $0))) } ?? [bytes]
    case .long:
      return number(UInt64.self).map { reading(.int64(Int64(bitPattern: $0))) } ?? [bytes]
    case .double:
      return number(UInt64.self).map { reading(.double(Double(bitPattern: $0))) } ?? [bytes]
    case .string:
      return String(utf8: value).map { reading(.string($0)) } ?? [bytes]
    case .object: return [object(value, tag(of: record))]
    default: return [bytes]
    }
  }

  private func object(_ value: [UInt8], _ tag: [UInt8]?) -> Reading {
    guard let tag else { return Reading(.bytes(value), because: "an object without a tag") }
    let name = String(decoding: tag, as: UTF8.self)
    let reason = "an object with the tag \"\(name)\""
    guard name == StringSetTag.name,
      let elements = StringSet.elements(value.storageSpan, value.indices, isStrict: false)
    else { return Reading(.object(className: name, value), because: reason) }
    return Reading(.set(elements), because: reason)
  }

  /// Returns why the entry of `record` cannot be kept; `nil` if it can.
  ///
  /// The reason is a missing external file. With the engine's limits, it is what the engine cannot
  /// read: U+0000 in a key or a short text, at which it drops the whole store, or a text that is
  /// not UTF-8.
  package func obstacle(to record: Record, scan: ScanMode) -> String? {
    guard scan.appliesEngineLimits else { return loss(of: record) }
    let key = key(of: record).bytes
    let content = value(of: record)
    let type = shape(of: record)?.type.base ?? .array
    return AndroidWriter.obstacle(
      key: key, value: content, type: type, tag: tag(of: record),
      cipher: isEncrypted ? cipher : nil)
  }
}
