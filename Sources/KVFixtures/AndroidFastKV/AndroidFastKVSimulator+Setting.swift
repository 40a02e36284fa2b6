import FastKVFormat
import KVBytes
import KVModel

/// Setting and removing entries.
extension AndroidFastKVSimulator {
  /// The maximum length of a stored key, in bytes.
  private static let keyLimit = 255
  /// The maximum length of a tag, in UTF-16 code units.
  private static let tagLimit = 50

  mutating func set(_ key: Key, _ value: Value) throws(ScriptError) {
    guard key.text != nil, !key.bytes.isEmpty else {
      throw ScriptError(line: nil, "a key in FastKV for Android must be nonempty text")
    }
    switch value {
    case .bool(let bool): try setFixed(key, .boolean, [bool ? 1 : 0])
    case .int32(let number): try setFixed(key, .int, bytes(UInt32(bitPattern: number)))
    case .float(let number): try setFixed(key, .float, bytes(number.bitPattern))
    case .int64(let number): try setFixed(key, .long, bytes(UInt64(bitPattern: number)))
    case .double(let number): try setFixed(key, .double, bytes(number.bitPattern))
    case .string(let text): try setVariable(key, .string, Array(text.utf8))
    case .bytes(let bytes): try setVariable(key, .array, bytes)
    case .object(let tag, let bytes):
      guard !tag.isEmpty, tag.utf16.count <= Self.tagLimit else {
        throw ScriptError(
          line: nil, "the tag of an encoder must have 1 to \(Self.tagLimit) characters")
      }
      try setVariable(key, .object, bytes, tag: tag)
    case .set(let texts):
      try setVariable(key, .object, StringSet.bytes(texts), tag: StringSetTag.name)
    default: throw value.refusal(by: Self.engineName)
    }
  }

  private func bytes<T: FixedWidthInteger & UnsignedInteger>(_ number: T) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeInteger(number, as: .little)
    return writer.bytes
  }

  /// Returns the entry of `key` if it has this type.
  ///
  /// Removes an entry of another type.
  private mutating func present(_ key: Key, _ type: AndroidValueType) -> AndroidFastKVEntry? {
    guard let entry = table[key] else { return nil }
    if entry.type == type { return entry }
    remove(key)
    return nil
  }

  /// Sets a number or Boolean.
  ///
  /// As FastKV.putBoolean, putInt, putFloat, putLong and putDouble.
  private mutating func setFixed(
    _ key: Key, _ type: AndroidValueType, _ value: [UInt8]
  ) throws(ScriptError) {
    if let entry = present(key, type) {
      guard !isSame(entry.value, value, as: type) else { return }
      table[key]?.value = value
      overwriteFixed(encrypted(value, as: type), at: entry.offset)
    } else {
      let head = try head(key, type)
      let stored = encrypted(value, as: type)
      let range = try append(head + stored)
      table[key] = AndroidFastKVEntry(
        type: type, start: range.lowerBound, offset: range.upperBound - stored.count,
        count: stored.count, value: value)
      publish(range)
    }
    commit()
  }

  /// Returns whether the engine considers two values equal.
  ///
  /// Floating-point numbers are compared as numbers: NaN never equals itself, and 0 equals -0.
  private func isSame(_ old: [UInt8], _ new: [UInt8], as type: AndroidValueType) -> Bool {
    switch type {
    case .float: float(old) == float(new)
    case .double: double(old) == double(new)
    default: old == new
    }
  }

  private func float(_ bytes: [UInt8]) -> Float {
    Float(bitPattern: UInt32(truncatingIfNeeded: FileImage(bytes).littleEndian(in: 0..<4)))
  }

  private func double(_ bytes: [UInt8]) -> Double {
    Double(bitPattern: FileImage(bytes).littleEndian(in: 0..<8))
  }

  private func encrypted(_ value: [UInt8], as type: AndroidValueType) -> [UInt8] {
    guard let cipher, type != .boolean else { return value }
    return cipher.encryptNumber(value)
  }

  /// Sets a value of variable length.
  ///
  /// As FastKV.putString, putArray and putObject. `value` is the content after the tag.
  private mutating func setVariable(
    _ key: Key, _ type: AndroidValueType, _ value: [UInt8], tag: String? = nil
  ) throws(ScriptError) {
    let present = present(key, type)
    // The engine skips unchanged values only for strings.
    if type == .string, present?.value == value { return }
    let stored = try encrypted(tag.map { [UInt8($0.utf8.count)] + Array($0.utf8) + value } ?? value)
    if let present, present.count == stored.count {
      table[key]?.value = value
      overwrite(stored, at: present.offset)
      return commit()
    }
    let isLarge = stored.count >= Int(UInt16.max)
    let length = isLarge ? bytes(UInt32(stored.count)) : bytes(UInt16(stored.count))
    let head = try head(key, isLarge ? type.large : type)
    let range = try append(head + length + stored)
    // `append` may have compacted the store and moved the previous record.
    let old = table[key]
    table[key] = AndroidFastKVEntry(
      type: type, start: range.lowerBound, offset: range.upperBound - stored.count,
      count: stored.count, value: value)
    if let old {
      strike(type, old.start..<old.offset + old.count)
      publish(range, struck: old.start)
      collectIfDue()
    } else {
      publish(range)
    }
    commit()
  }

  private mutating func encrypted(_ bytes: [UInt8]) throws(ScriptError) -> [UInt8] {
    guard let cipher else { return bytes }
    let salt = randomness.bytes(DemoCipher.saltCount)
    guard let ciphertext = cipher.encrypt(bytes, salt: salt) else {
      throw ScriptError(line: nil, "this build has no ciphers; build it with the trait Encryption")
    }
    return ciphertext
  }

  /// Returns the start of a record: type, key length and key.
  private mutating func head(
    _ key: Key, _ type: AndroidValueType
  ) throws(ScriptError) -> [UInt8] {
    let stored = try encrypted(key.bytes)
    guard stored.count <= Self.keyLimit else {
      throw ScriptError(
        line: nil,
        "the key takes \(stored.count) bytes, but FastKV for Android allows only \(Self.keyLimit)")
    }
    return [type.rawValue, UInt8(stored.count)] + stored
  }

  /// Removes an entry.
  ///
  /// As FastKV.remove.
  mutating func remove(_ key: Key) {
    guard let entry = table.removeValue(forKey: key) else { return }
    // The engine computes the start of a number's record from the length of the unencrypted key.
    let start =
      entry.type.fixedCount == nil ? entry.start : entry.offset - (2 + key.bytes.count)
    strike(entry.type, start..<entry.offset + entry.count)
    publishStrike(at: start)
    collectIfDue()
    commit()
  }
}
