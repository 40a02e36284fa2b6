import KVBytes
import KVModel
import MMKVFormat
import SystemPackage

/// A fuzzer input that is an MMKV store.
///
///     offset  count  field
///          0      1  flags  bit 0: checksums are made to match; 1: AES-128; 2: AES-256; 3: no meta
///                    file
///          1      …  with bit 1 or 2: the key, after its count of 2 bytes, little-endian
///          …      2  count of the meta file, little-endian
///          …      …  the meta file, then the data file
struct MMKVInput {
  let format: MMKVFormat
  let files: [StoreFile]

  init(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let flags = input.byte()
    let key: MMKVKey? =
      flags & 6 == 0 ? nil : MMKVKey(input.countedBytes(), isAES256: flags & 4 != 0)
    var meta = input.countedBytes()
    var data = input.remainder()
    if flags & 1 != 0 { Self.fixDigests(&meta, &data) }
    format = MMKVFormat(key: key, now: now)
    files =
      [StoreFile(.data, at: "fuzz/kv", FileImage(data))]
      + (flags & 8 == 0 ? [StoreFile(.meta, at: "fuzz/kv.crc", FileImage(meta))] : [])
  }

  /// Stores sizes that fit the file, and the checksums over them, as in an intact store.
  private static func fixDigests(_ meta: inout [UInt8], _ data: inout [UInt8]) {
    let available = UInt64(max(0, data.count - 4))
    let isInMeta = meta.littleEndian(at: 4, count: 4) >= 3
    let actual = min(
      isInMeta ? meta.littleEndian(at: 28, count: 4) : data.littleEndian(at: 0, count: 4),
      available)
    if isInMeta {
      meta.setLittleEndian(actual, at: 28, count: 4)
    } else {
      data.setLittleEndian(actual, at: 0, count: 4)
    }
    let confirmed = min(meta.littleEndian(at: 32, count: 4), available)
    meta.setLittleEndian(confirmed, at: 32, count: 4)
    let image = FileImage(data)
    for (count, offset) in [(actual, 0), (confirmed, 36)] {
      let end = min(data.count, 4 + Int(count))
      let digest = CRC32.digest(of: image, in: min(4, end)..<end)
      meta.setLittleEndian(UInt64(digest), at: offset, count: 4)
    }
  }
}

extension FuzzTarget {
  /// Reads an MMKV store in every possible way.
  public static let mmkv = FuzzTarget(name: "mmkv") { bytes throws(Violation) in
    let input = MMKVInput(bytes)
    try expectSound(input.format, input.files)
  }
}
