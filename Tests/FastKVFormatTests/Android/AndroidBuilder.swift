import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A builder of one copy of a store, made by hand from `Docs/FORMAT-FASTKV-ANDROID.md`.
///
/// It uses neither the library's own writer nor its checksum, because a shared mistake would cancel
/// out.
struct AndroidBuilder {
  /// The records.
  var data: [UInt8] = []
  /// The length of the file, padded with zeros, or `nil` for no padding.
  var capacity: Int? = 256

  /// Appends a record.
  mutating func add(_ info: UInt8, _ key: [UInt8], _ value: [UInt8]) {
    data += [info, UInt8(key.count)] + key + value
  }

  /// Appends a string.
  mutating func text(_ key: String, _ text: String, struck: Bool = false) {
    let value = Array(text.utf8)
    add(
      struck ? 0x86 : 0x06, Array(key.utf8),
      [UInt8(value.count & 0xff), UInt8(value.count >> 8)] + value)
  }

  /// Returns the checksum as the engine computes it: 64-bit words, with the remainder in the low
  /// bytes of a last word, rotated left by 32 bits.
  static func checksum(_ data: [UInt8]) -> UInt64 {
    var sum: UInt64 = 0
    for (index, byte) in data.enumerated() { sum ^= UInt64(byte) << UInt64(index % 8 * 8) }
    return sum << 32 | sum >> 32
  }

  /// The bytes of the file.
  var bytes: [UInt8] {
    let count = UInt32(data.count)
    let sum = Self.checksum(data)
    let header =
      (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) }
    let image = header + data
    return image + [UInt8](repeating: 0, count: max(0, (capacity ?? 0) - image.count))
  }

  /// Opens the store whose copies have these bytes, and corrects it.
  static func open(
    a: [UInt8]? = nil, b: [UInt8]? = nil, c: [UInt8]? = nil, key: [UInt8]? = nil
  ) -> AndroidFastKVStore {
    AndroidFastKVFormat(key: key).open(files(a: a, b: b, c: c)).corrected()
  }

  /// Returns the files with these bytes.
  static func files(a: [UInt8]? = nil, b: [UInt8]? = nil, c: [UInt8]? = nil) -> [StoreFile] {
    let all: [(FileRole, FilePath, [UInt8]?)] = [
      (.copyA, "kv.kva", a), (.copyB, "kv.kvb", b), (.copyC, "kv.kvc", c),
    ]
    return all.compactMap { role, path, bytes in
      bytes.map { StoreFile(role, at: path, FileImage($0)) }
    }
  }

  /// A builder of five entries of different types, one of them set twice, and one deleted entry.
  static var small: AndroidBuilder {
    var builder = AndroidBuilder()
    builder.text("name", "old", struck: true)
    builder.add(0x01, Array("on".utf8), [1])
    builder.add(0x02, Array("count".utf8), [7, 0, 0, 0])
    builder.text("name", "Grace Hopper")
    builder.add(0x08, Array("tags".utf8), [13, 0, 9] + Array("StringSet".utf8) + [2, 0x61, 0x62])
    builder.add(0x07, Array("blob".utf8), [3, 0, 1, 2, 3])
    builder.text("gone", "away", struck: true)
    return builder
  }
}
