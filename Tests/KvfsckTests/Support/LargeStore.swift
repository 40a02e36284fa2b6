import Foundation

/// Writes plain, clean MMKV stores of any size, as the engine writes them and without the tool's
/// code.
enum LargeStore {
  /// Writes `count` entries of `length` bytes each to `folder`, as a store called `kv`.
  static func write(entries count: Int, of length: Int, into folder: String) throws {
    let text = varint(length) + [UInt8](repeating: UInt8(ascii: "v"), count: length)
    try write((0..<count).lazy.map { ("key_\($0)", text) }, into: folder)
  }

  /// Writes records with these keys and values to `folder`, as a store called `kv`.
  static func write(
    _ records: some Sequence<(key: String, value: [UInt8])>, into folder: String
  ) throws {
    var log: [UInt8] = [0xff, 0xff, 0xff, 0x07]
    for (key, value) in records {
      log += varint(key.utf8.count)
      log += Array(key.utf8)
      log += varint(value.count)
      log += value
    }
    var data = integer(log.count) + log
    var room = 4096
    while room < data.count { room *= 2 }
    data += [UInt8](repeating: 0, count: room - data.count)
    let digest = crc32(log)
    var meta = digest + integer(4) + integer(1) + [UInt8](repeating: 0, count: 16)
    meta += integer(log.count) + integer(log.count) + digest
    meta += [UInt8](repeating: 0, count: 4096 - meta.count)
    try Data(data).write(to: URL(filePath: "\(folder)/kv"))
    try Data(meta).write(to: URL(filePath: "\(folder)/kv.crc"))
  }

  private static func integer(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns `value` as a varint.
  static func varint(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Returns the CRC-32 as zlib computes it, in little-endian order.
  private static func crc32(_ bytes: [UInt8]) -> [UInt8] {
    var table: [UInt32] = []
    for index in 0..<256 {
      var entry = UInt32(index)
      for _ in 0..<8 { entry = (entry >> 1) ^ (entry & 1 == 1 ? 0xedb8_8320 : 0) }
      table.append(entry)
    }
    var value: UInt32 = 0xffff_ffff
    for byte in bytes {
      let low = UInt8(truncatingIfNeeded: value)
      value = (value >> 8) ^ table[Int(low ^ byte)]
    }
    return integer(Int(value ^ 0xffff_ffff))
  }
}
