import KVBytes
import KVCryptography
package import KVModel
import KVRecovery
import KVSystem
package import MMKVFormat
package import SystemPackage

/// A builder of the two files of an MMKV store, made by hand from `Docs/FORMAT-MMKV.md`.
///
/// It uses neither the library's own writer nor its checksum, because a shared mistake would cancel
/// out.
package struct MMKVFixtureBuilder: Sendable {
  /// The version in the meta file.
  package var version: UInt32 = 4
  /// The header of the data file, or `nil` for the size of the payload.
  package var header: UInt32?
  /// The bytes before the records, which are four in all versions since 1.2.
  package var prefix: [UInt8] = [0xff, 0xff, 0xff, 0x07]
  /// The unencrypted records.
  package var records: [UInt8] = []
  /// The bytes stored after the payload.
  ///
  /// Zeros follow to the end of the page.
  package var slack: [UInt8] = []
  /// The sequence number, which counts the full rewrites.
  package var sequence: UInt32 = 1
  /// The initialization vector in the meta file.
  package var vector = [UInt8](repeating: 0, count: 16)
  /// The size of the payload in the meta file, or `nil` for the correct one.
  package var actualCount: UInt32?
  /// The checksum in the meta file, or `nil` for the correct one.
  package var digest: UInt32?
  /// The last confirmed size and checksum, or `nil` for those of the prefix alone, as before the
  /// engine's second full rewrite.
  package var confirmed: (count: UInt32, digest: UInt32)?
  /// The flags in the meta file.
  package var flags: UInt64 = 0
  /// The page size of the device.
  package var page = 4096
  /// The encryption key, or `nil` for a plain store.
  package var key: MMKVKey?

  /// Creates a store without records.
  package init() {}

  /// Creates a plain store of these strings.
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

  /// Appends a record that sets `key` to a string, with its inner length.
  package mutating func put(_ key: String, text: String) {
    put(key, Self.varint(UInt64(text.utf8.count)) + Array(text.utf8))
  }

  /// Appends a record that removes `key`.
  package mutating func remove(_ key: String) {
    records += Self.varint(UInt64(key.utf8.count)) + Array(key.utf8) + [0]
  }

  // MARK: Files

  /// The unencrypted payload: prefix and records.
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

  /// The meta file: the fields of its version, and zeros.
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

  /// Returns the two files as a reader finds them, at `path` and beside it.
  package func files(at path: FilePath = "kv") -> [StoreFile] {
    Self.files(data: data, meta: meta, at: path)
  }

  /// Opens the store with its own key, and corrects it.
  package func open(now: UInt32 = 1_760_000_000) -> MMKVStore {
    MMKVFormat(key: key, now: now).open(files()).corrected()
  }

  /// Returns the files with these bytes.
  ///
  /// A file that is `nil` is missing.
  package static func files(
    data: [UInt8]?, meta: [UInt8]?, at path: FilePath = "kv"
  ) -> [StoreFile] {
    var files: [StoreFile] = []
    if let data { files.append(StoreFile(.data, at: path, FileImage(data))) }
    if let meta { files.append(StoreFile(.meta, at: FilePath("\(path).crc"), FileImage(meta))) }
    return files
  }

  // MARK: Numbers

  /// Returns `number` as a varint of minimal length.
  package static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7f) | 0x80] + varint(number >> 7)
  }

  /// Returns the bytes of `number`, least significant byte first.
  package static func little(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    stride(from: 0, to: number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Returns the CRC-32 of IEEE 802.3, computed bit by bit.
  package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var state: UInt32 = 0xffff_ffff
    for byte in bytes {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xedb8_8320 : state >> 1 }
    }
    return ~state
  }
}
