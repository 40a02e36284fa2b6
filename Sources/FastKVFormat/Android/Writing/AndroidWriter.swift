import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// Writes a compact store that FastKV of 2025-07 reads.
///
/// The copies are those that were read: the pair of the non-blocking mode, the `.kvc` of the
/// blocking modes, or all three with the same data. External values are written inline.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Writing.
struct AndroidWriter {
  /// The file size, in bytes, from which the engine no longer grows a file.
  private static let fileLimit = 1 << 28
  private static let page = 4096
  /// The most bytes of a key.
  private static let keyLimit = 255

  /// A record to write.
  struct Entry {
    let key: [UInt8]
    let type: AndroidValueType
    /// The tag of an object.
    let tag: [UInt8]?
    /// The value, without the tag.
    let value: [UInt8]
  }

  /// The name of the store, to which the suffixes are added.
  let name: FilePath
  /// The copies that are written.
  let roles: [(suffix: String, role: FileRole)]
  let cipher: DemoCipher?

  /// Creates a writer of the same copies as `store` has.
  init(like store: AndroidFastKVStore, cipher: DemoCipher?) {
    let present = Set(store.copies.map(\.file.role))
    let hasPair = present.isEmpty || present.contains(.copyA) || present.contains(.copyB)
    name = store.name
    roles = AndroidFileNames.suffixes.filter { _, role in
      role == .copyC ? present.contains(.copyC) : hasPair
    }
    self.cipher = cipher
  }

  /// Creates a writer of the pair of the non-blocking mode, the default, without a cipher.
  init(named name: FilePath) {
    self.name = name
    roles = AndroidFileNames.suffixes.filter { _, role in role != .copyC }
    cipher = nil
  }

  /// Returns the entries of `contents`, whose records are in `store`.
  static func entries(_ contents: StoreContents, of store: AndroidFastKVStore) -> [Entry] {
    contents.entries.map { entry in
      Entry(
        key: entry.key.bytes,
        type: entry.source.flatMap { store.shape(of: $0)?.type.base } ?? .array,
        tag: entry.source.flatMap { store.tag(of: $0) }, value: entry.value)
    }
  }

  /// Returns the files of a store with `entries`.
  func files(_ entries: [Entry]) throws(EncodingError) -> [EncodedFile] {
    var data = ByteWriter()
    data.writeZeros(AndroidHeader.byteCount)
    for entry in entries { try write(entry, to: &data) }
    let count = data.count - AndroidHeader.byteCount
    guard data.count < AndroidWriter.fileLimit else {
      throw .tooLarge(count: data.count, limit: AndroidWriter.fileLimit)
    }
    var lanes = XORLanes()
    lanes.update(data.bytes.storageSpan, in: AndroidHeader.byteCount..<data.count)
    let header = AndroidHeader(count: count, isEncrypted: cipher != nil, checksum: lanes.value)
    let image = header.bytes + data.bytes.dropFirst(AndroidHeader.byteCount)
    var capacity = AndroidWriter.page
    while capacity <= image.count { capacity *= 2 }
    let mapped = image + [UInt8](repeating: 0, count: capacity - image.count)
    return roles.map { suffix, role in
      EncodedFile(role, at: name.appending(suffix: suffix), role == .copyC ? image : mapped)
    }
  }

  private func write(_ entry: Entry, to data: inout ByteWriter) throws(EncodingError) {
    let type = entry.type
    if let reason = AndroidWriter.obstacle(
      key: entry.key, value: entry.value, type: type, tag: entry.tag, cipher: cipher)
    {
      throw .unreadableEntry(key: Key(entry.key), reason: reason)
    }
    let key = try encrypted(entry.key, of: entry.key)
    var content = entry.value
    if type == .object {
      let tag = entry.tag ?? []
      content = [UInt8(truncatingIfNeeded: tag.count)] + tag + content
    }
    if let cipher, type != .boolean {
      if type.fixedCount != nil {
        content = cipher.encryptNumber(content)
      } else if !(content.isEmpty && type == .string) {
        content = try encrypted(content, of: entry.key)
      }
    }
    let isLarge = content.count >= Int(UInt16.max)
    data.writeByte(isLarge ? type.large.rawValue : type.rawValue)
    data.writeByte(UInt8(truncatingIfNeeded: key.count))
    data.writeBytes(key)
    if type.fixedCount == nil {
      if isLarge {
        data.writeInteger(UInt32(content.count), as: .little)
      } else {
        data.writeInteger(UInt16(content.count), as: .little)
      }
    }
    data.writeBytes(content)
  }

  private func encrypted(
    _ plaintext: [UInt8], of name: [UInt8]
  ) throws(EncodingError) -> [UInt8] {
    guard let cipher else { return plaintext }
    guard let ciphertext = cipher.encrypt(plaintext, of: name) else { throw .noCipher }
    return ciphertext
  }

  /// Returns why the engine could not hold such an entry; `nil` if it could.
  static func obstacle(
    key: [UInt8], value: [UInt8], type: AndroidValueType, tag: [UInt8]?,
    cipher: DemoCipher? = nil
  ) -> String? {
    guard !key.isEmpty else { return "its key is empty" }
    let keyCount = cipher.flatMap { $0.encrypt(key)?.count } ?? key.count
    guard keyCount <= keyLimit else {
      return "its key has \(keyCount.inBytes); the limit is \(keyLimit.grouped)"
    }
    switch AndroidText.form(key.storageSpan, key.indices) {
    case .withNUL: return "its key contains U+0000, and FastKV would drop the whole store"
    case .malformed: return "its key is not UTF-8, and FastKV would drop the whole store"
    default: break
    }
    if let count = type.fixedCount, count != value.count {
      return
        "its value has \(value.count.inBytes), but its type needs \(count.grouped)"
    }
    switch type {
    case .string where value.count <= AndroidText.strictLimit:
      switch AndroidText.form(value.storageSpan, value.indices) {
      case .withNUL: return "its text contains U+0000, and FastKV would drop the whole store"
      case .malformed: return "its text is not UTF-8, and FastKV would drop the whole store"
      default: return nil
      }
    case .object:
      guard let tag, tag.count <= keyLimit, !tag.contains(0) else {
        return "it is an object without a usable tag"
      }
      if String(decoding: tag, as: UTF8.self) == StringSetTag.name,
        StringSet.elements(value.storageSpan, value.indices, isStrict: true) == nil
      {
        return
          "a text in its set contains U+0000 or is not UTF-8, and FastKV would leave out the set"
      }
      return nil
    default: return nil
    }
  }
}

extension AndroidFastKVStore {
  /// The name of the store, to which the suffixes are added.
  var name: FilePath {
    if let name = copies.first?.file.path.lastName {
      return AndroidFileNames.stem(of: name) ?? name
    }
    return files.first?.path.parent.lastName ?? "fastkv"
  }
}
