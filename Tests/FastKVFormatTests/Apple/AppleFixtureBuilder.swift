import FastKVFormat
import KVBytes
import KVModel
import KVRecovery
import SystemPackage

/// A builder of files of FastKV for iOS, byte by byte, made from `Docs/FORMAT-FASTKV-APPLE.md`.
///
/// It shares no code with the writer, because a shared mistake would cancel out.
struct AppleFixtureBuilder {
  var width = 8
  var separator = "$FastKVSeperatorString$"
  var area: [UInt8] = []

  /// Appends a record and its separator.
  mutating func add(
    _ type: Int, _ key: String, _ value: [UInt8], class name: String = "", version: Int = 1
  ) {
    area += record(type, Array(key.utf8), value, class: name, version: version)
    area += Array(separator.utf8)
  }

  /// Returns a record without its separator.
  func record(
    _ type: Int, _ key: [UInt8], _ value: [UInt8], class name: String = "", version: Int = 1
  ) -> [UInt8] {
    var bytes = word(type)
    bytes += [UInt8(truncatingIfNeeded: version), 0, 0, 0]
    bytes += word(name.utf8.count) + word(key.count) + word(value.count)
    bytes += Array(name.utf8) + key + value
    let crc = AppleFixtureBuilder.crc(Array(bytes.prefix(bytes.count & 0xffff)))
    return bytes + [UInt8(crc & 0xff), UInt8(crc >> 8)]
  }

  /// Returns the whole file, padded with zeros to `count` bytes.
  func file(zeroFilledTo count: Int = 0, length: UInt64? = nil) -> [UInt8] {
    var bytes = Array("FastKV".utf8) + [1, 0, 0, 0]
    let length = length ?? UInt64(area.count)
    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * shift))) }
    bytes += area
    return bytes + [UInt8](repeating: 0, count: max(0, count - bytes.count))
  }

  /// Returns the CRC, computed bit by bit as the document describes it.
  static func crc(_ bytes: [UInt8]) -> UInt16 {
    var crc: UInt16 = 0
    for byte in bytes {
      crc ^= UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
    }
    return crc
  }

  private func word(_ value: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

extension AppleFastKVStore {
  /// Opens the store that consists of these bytes, and corrects it.
  init(_ bytes: [UInt8], pointerWidth: Int? = nil) {
    self = AppleFastKVFormat(pointerWidth: pointerWidth)
      .open([StoreFile(.data, at: "store.fkv", FileImage(bytes))]).corrected()
  }

  /// The corrected bits.
  var correctedBits: [ByteChange] { corrections.flatMap(\.changes) }

  /// The codes of the store's own findings.
  var codes: [String] { check().map(\.code) }
}
