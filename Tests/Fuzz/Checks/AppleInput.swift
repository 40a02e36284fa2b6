import FastKVFormat
import KVBytes
import KVModel
import SystemPackage

/// A fuzzer input that is a store of FastKV for iOS.
///
///     offset  count  field
///          0      1  flags  bit 0: the length and the CRCs are made to match; 1: words of 4 bytes
///          1      …  the file
struct AppleInput {
  let format = AppleFastKVFormat()
  let files: [StoreFile]

  init(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let flags = input.byte()
    var file = input.remainder()
    if flags & 1 != 0 { Self.fixDigests(&file, width: flags & 2 == 0 ? 8 : 4) }
    files = [StoreFile(.data, at: "fuzz/store.fkv", FileImage(file))]
  }

  /// Stores a length that fits the file, and the CRC of each record whose lengths fit.
  private static func fixDigests(_ file: inout [UInt8], width: Int) {
    let area = max(0, file.count - 18)
    let length = min(file.littleEndian(at: 10, count: 8), UInt64(area))
    file.setLittleEndian(length, at: 10, count: 8)
    var start = 18
    while start + 4 * width + 6 <= file.count {
      var end = start + 4 * width + 4
      for word in 0..<3 {
        let count = file.littleEndian(at: start + width + 4 + word * width, count: width)
        guard count <= UInt64(file.count - end) else { return }
        end += Int(count)
      }
      guard end + 2 <= file.count else { return }
      let digest = CRC16.digest(of: FileImage(file), in: start..<end)
      file.setLittleEndian(UInt64(digest), at: end, count: 2)
      start = end + 2
      // The separators of all engine versions start with the same byte. That of the last version
      // has 23 bytes.
      if start < file.count, file[start] == UInt8(ascii: "$") {
        let next = file[(start + 1)...].firstIndex(of: UInt8(ascii: "$")) ?? start + 3
        start = min(next + 1, start + 23)
      }
    }
  }
}

extension FuzzTarget {
  /// Reads a store of FastKV for iOS in every possible way.
  public static let fastkvApple = FuzzTarget(name: "fastkv-apple") { bytes throws(Violation) in
    let input = AppleInput(bytes)
    try expectSound(input.format, input.files)
  }
}
