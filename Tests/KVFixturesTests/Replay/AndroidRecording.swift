import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVSystem
import SystemPackage

/// Files that the real FastKV for Android wrote, parsed by the lengths in their records.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Record. Of the library's own reader, only the
/// cipher is used.
struct AndroidRecording {
  /// A record, with the random words of its ciphertexts in the order in which they were drawn.
  struct Entry {
    let type: UInt8
    let isStruck: Bool
    let key: Key
    /// The decrypted value, including the tag of an object.
    let value: [UInt8]
    /// The number of bytes that the value takes in the file.
    let storedCount: Int
    let salts: [[UInt8]]
  }

  private static let headerCount = 12
  private static let saltCount = 4
  private static let fixedCounts: [UInt8: Int] = [1: 1, 2: 4, 3: 4, 4: 8, 5: 8]

  /// The files, by suffix.
  let files: [String: [UInt8]]
  /// The records, in file order.
  let entries: [Entry]
  /// The end of the records.
  let end: Int

  var mode: StoreSettings.WritingMode { files[".kvc"] == nil ? .nonBlocking : .sync }

  /// Returns the files of a case of `Fixtures/fastkv-android/golden`, decrypted with `key`.
  static func golden(_ name: String, key: [UInt8]? = nil) throws -> AndroidRecording {
    let root = FilePath("\(#filePath)").removingLastComponent().removingLastComponent()
      .removingLastComponent().removingLastComponent().appending("Fixtures")
    let path = root.appending("fastkv-android").appending("golden").appending(name)
    var files: [String: [UInt8]] = [:]
    for suffix in [".kva", ".kvb", ".kvc"] where Folder.isTaken(path.appending("kv" + suffix)) {
      files[suffix] = try FileImage.read(path.appending("kv" + suffix)).bytes
    }
    return AndroidRecording(files, cipher: key.flatMap { DemoCipher(key: $0) })
  }

  private init(_ files: [String: [UInt8]], cipher: DemoCipher?) {
    self.files = files
    let bytes = files[".kvc"] ?? files[".kva"] ?? []
    func number(at offset: Int, _ count: Int) -> Int {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    end = Self.headerCount + number(at: 0, 4) & 0x3fff_ffff
    var entries: [Entry] = []
    var offset = Self.headerCount
    while offset < end {
      let type = bytes[offset] & 0x3f
      let key = offset + 2..<offset + 2 + Int(bytes[offset + 1])
      let lengthCount = Self.fixedCounts[type] != nil ? 0 : type < 9 ? 2 : 4
      let count = Self.fixedCounts[type] ?? number(at: key.upperBound, lengthCount)
      let start = key.upperBound + lengthCount
      let stored = Array(bytes[start..<start + count])
      func plain(_ ciphertext: [UInt8]) -> [UInt8] {
        cipher.map { $0.decrypt(ciphertext) ?? [] } ?? ciphertext
      }
      let keySalt = Array(bytes[key].prefix(Self.saltCount))
      let value: [UInt8]
      switch type {
      case 1: value = stored
      case 2...5: value = cipher?.decryptNumber(stored) ?? stored
      default: value = plain(stored)
      }
      entries.append(
        Entry(
          type: type > 8 ? type - 3 : type, isStruck: bytes[offset] & 0x80 != 0,
          key: Key(plain(Array(bytes[key]))), value: value, storedCount: count,
          salts: type > 5 ? [Array(stored.prefix(Self.saltCount)), keySalt] : [keySalt]))
      offset = start + count
    }
    self.entries = entries
  }

  /// A script that makes these records.
  ///
  /// It removes the entries that are dead, and those that would be overwritten in place.
  var operations: [ScriptOperation] {
    var operations: [ScriptOperation] = []
    var live: [Key: Entry] = [:]
    for entry in entries {
      if let old = live[entry.key], old.type == entry.type,
        entry.type < 6 || old.storedCount == entry.storedCount
      {
        operations.append(.remove([entry.key]))
      }
      operations.append(.set(entry.key, entry.setValue))
      live[entry.key] = entry
    }
    let dead = live.values.filter(\.isStruck).map(\.key)
    return operations + dead.sorted().map { .remove([$0]) }
  }
}

extension AndroidRecording.Entry {
  /// The value that the app set.
  var setValue: Value {
    let bits = value.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch type {
    case 1: return .bool(value == [1])
    case 2: return .int32(Int32(truncatingIfNeeded: bits))
    case 3: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 4: return .int64(Int64(bitPattern: bits))
    case 5: return .double(Double(bitPattern: bits))
    case 6: return .string(String(decoding: value, as: UTF8.self))
    case 7: return .bytes(value)
    default:
      let tagEnd = 1 + Int(value[0])
      return .object(
        className: String(decoding: value[1..<tagEnd], as: UTF8.self), Array(value[tagEnd...]))
    }
  }
}
