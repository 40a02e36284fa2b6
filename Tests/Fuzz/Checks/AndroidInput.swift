import FastKVFormat
import KVBytes
import KVModel
import SystemPackage

/// A fuzzer input that is a store of FastKV for Android.
///
///     offset  count  field
///          0      1  flags  bit 0: lengths and checksums are made to match; 1: a key; 2 to 6: the
///                    files .kva, .kvb, .kvc, .tmp and an external one
///          1      …  the files of the flags, each after its count of 2 bytes, little-endian
struct AndroidInput {
  /// The name of the external file.
  private static let externalName = "0123456789abcdef0123456789abcdef"

  let format: AndroidFastKVFormat
  let files: [StoreFile]

  init(_ bytes: [UInt8]) {
    var input = Input(bytes)
    let flags = input.byte()
    var files: [StoreFile] = []
    let hasC = flags & 16 != 0
    let kinds: [(bit: UInt8, role: FileRole, path: FilePath)] = [
      (4, .copyA, "fuzz/kv.kva"), (8, .copyB, "fuzz/kv.kvb"), (16, .copyC, "fuzz/kv.kvc"),
      (32, hasC ? .external : .copyC, "fuzz/kv.tmp"),
      (64, .external, FilePath("fuzz/kv/\(Self.externalName)")),
    ]
    for kind in kinds where flags & kind.bit != 0 {
      var file = input.countedBytes()
      if flags & 1 != 0, kind.bit != 64 { Self.fixDigests(&file) }
      files.append(StoreFile(kind.role, at: kind.path, FileImage(file)))
    }
    self.files = files
    format = AndroidFastKVFormat(key: flags & 2 != 0 ? Array("1234567890abcdef".utf8) : nil)
  }

  /// Stores a length that fits the file, and the checksum of as many bytes.
  private static func fixDigests(_ file: inout [UInt8]) {
    guard file.count >= 12 else { return }
    let word = file.littleEndian(at: 0, count: 4)
    let count = min(word & 0x3fff_ffff, UInt64(file.count - 12))
    file.setLittleEndian(word & 0x4000_0000 | count, at: 0, count: 4)
    var lanes = XORLanes()
    lanes.update(FileImage(file).storageSpan, in: 12..<12 + Int(count))
    file.setLittleEndian(lanes.value, at: 4, count: 8)
  }
}

extension FuzzTarget {
  /// Reads a store of FastKV for Android in every possible way.
  public static let fastkvAndroid = FuzzTarget(name: "fastkv-android") { bytes throws(Violation) in
    let input = AndroidInput(bytes)
    guard !input.files.isEmpty else { return }
    try expectSound(input.format, input.files)
  }
}
