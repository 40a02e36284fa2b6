import KVBytes
import KVCryptography
package import KVModel
import KVRecovery
import KVSystem
package import MMKVFormat
package import SystemPackage

/// The two files of an MMKV store, put together by hand from `Docs/FORMAT-MMKV.md`.
///
/// Nothing here uses the library's own writer or its digest: a shared mistake would cancel out.
package struct MMKVFixtureBuilder: Sendable {
  /// The meta file's version.
  package var version: UInt32 = 4
  /// The data file's header; `nil` for the payload's count.
  package var header: UInt32?
  /// The bytes before the records; four of them, as all versions since 1.2 write.
  package var prefix: [UInt8] = [0xff, 0xff, 0xff, 0x07]
  /// The records, in the clear.
  package var records: [UInt8] = []
  /// The bytes after the payload, as stored; zeros follow to the end of the page.
  package var slack: [UInt8] = []
  /// How often the store was written in full.
  package var sequence: UInt32 = 1
  /// The initialisation vector that the meta file has.
  package var vector = [UInt8](repeating: 0, count: 16)
  /// The payload's count in the meta file; `nil` for the right one.
  package var actualCount: UInt32?
  /// The digest in the meta file; `nil` for the right one.
  package var digest: UInt32?
  /// The last confirmed count and digest; `nil` for those of the prefix alone, as the engine has
  /// them before its second full rewrite.
  package var confirmed: (count: UInt32, digest: UInt32)?
  /// The meta file's flags.
  package var flags: UInt64 = 0
  /// The page size of the device.
  package var page = 4096
  /// The key, and whether it is for AES-256; `nil` for a plain store.
  package var key: MMKVKey?

  /// A store without records.
  package init() {}

  /// A plain store of these texts.
  package init(texts: [(String, String)]) {
    for (key, value) in texts { put(key, text: value) }
  }

  // MARK: Records

  /// Appends a record that sets `key` to `value`, the bytes after the outer length.
  package mutating func put(_ key: [UInt8], _ value: [UInt8]) {
    records += Self.varint(UInt64(key.count)) + key + Self.varint(UInt64(value.count)) + value
  }

  /// Appends a record that sets `key` to `value`, the bytes after the outer length.
  package mutating func put(_ key: String, _ value: [UInt8]) { put(Array(key.utf8), value) }

  /// Appends a record that sets `key` to a text, with its inner length.
  package mutating func put(_ key: String, text: String) {
    put(key, Self.varint(UInt64(text.utf8.count)) + Array(text.utf8))
  }

  /// Appends a record that removes `key`.
  package mutating func remove(_ key: String) {
    records += Self.varint(UInt64(key.utf8.count)) + Array(key.utf8) + [0]
  }

  // MARK: Files

  /// The payload in the clear: prefix and records.
  package var payload: [UInt8] { prefix + records }

  /// The payload as it is stored.
  package var storedPayload: [UInt8] {
    guard let key else { return payload }
    let count = key.isAES256 ? 32 : 16
    let padded = Array((key.bytes + [UInt8](repeating: 0, count: count)).prefix(count))
    let iv = version >= 2 ? vector : Array(padded.prefix(16))
    guard let cipher = Cryptography.encryptCFB(payload, key: padded, iv: iv) else {
      preconditionFailure("an encrypted fixture needs the trait Encryption")
    }
    return cipher
  }

  /// The data file.
  package var data: [UInt8] {
    let payload = storedPayload
    let bytes = Self.little(header ?? UInt32(payload.count)) + payload + slack
    let pages = max(1, (bytes.count + page - 1) / page)
    return bytes + [UInt8](repeating: 0, count: pages * page - bytes.count)
  }

  /// The meta file: the fields that its version has, and zeros.
  package var meta: [UInt8] {
    let payload = storedPayload
    var bytes = Self.little(digest ?? Self.crc32(payload))
    if version >= 1 { bytes += Self.little(version) + Self.little(sequence) }
    if version >= 2 { bytes += vector }
    if version >= 3 {
      let prefix = Array(payload.prefix(prefix.count))
      let (count, digest) = confirmed ?? (UInt32(prefix.count), Self.crc32(prefix))
      bytes += Self.little(actualCount ?? UInt32(payload.count))
      bytes += Self.little(count) + Self.little(digest)
      bytes += [UInt8](repeating: 0, count: 64)
    }
    if version >= 4 { bytes += Self.little(flags) }
    return bytes + [UInt8](repeating: 0, count: page - bytes.count)
  }

  /// The two files as a reader finds them, at `path` and beside it.
  package func files(at path: FilePath = "kv") -> [StoreFile] {
    Self.files(data: data, meta: meta, at: path)
  }

  /// The store, opened with its own key and corrected.
  package func open(now: UInt32 = 1_760_000_000) -> MMKVStore {
    MMKVFormat(key: key, now: now).open(files()).corrected()
  }

  /// The files of these bytes; `nil` for a file that is missing.
  package static func files(
    data: [UInt8]?, meta: [UInt8]?, at path: FilePath = "kv"
  ) -> [StoreFile] {
    var files: [StoreFile] = []
    if let data { files.append(StoreFile(.data, at: path, FileImage(data))) }
    if let meta { files.append(StoreFile(.meta, at: FilePath("\(path).crc"), FileImage(meta))) }
    return files
  }

  // MARK: Numbers

  /// `number` in base 128, in as few bytes as it takes.
  package static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7f) | 0x80] + varint(number >> 7)
  }

  /// `number`, least significant byte first.
  package static func little(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    stride(from: 0, to: number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// The CRC-32 of IEEE 802.3, bit by bit.
  package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var state: UInt32 = 0xffff_ffff
    for byte in bytes {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xedb8_8320 : state >> 1 }
    }
    return ~state
  }
}
