import ExchangeFormats
import KVBytes
import KVTestSupport
import Testing

/// Intact and damaged materials of WCDB.
///
/// None of these materials was made by WCDB itself. The tests show that the reader follows the
/// layout that `WCDBMaterial` documents, not that the layout is WCDB's.
struct WCDBMaterialTests {
  /// Returns a material of `count` bytes of content, made by hand from the layout.
  static func bytes(version: UInt32 = 0x0100_0001, count: Int = 300) -> [UInt8] {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    var writer = ByteWriter()
    for word in [0x5743_4442, version, 4096, 0, 7, 8, 9] as [UInt32] {
      writer.writeInteger(word, as: .big)
    }
    if version == 0x0100_0001 { writer.writeInteger(UInt32(0), as: .big) }
    let image = FileImage(content)
    writer.writeInteger(CRC32.digest(of: image, in: image.range), as: .big)
    return writer.bytes + varint(count) + content
  }

  /// Returns a varint of less than 2¹⁴ as SQLite's file format defines it.
  private static func varint(_ value: Int) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value >> 7) | 0x80, UInt8(value & 0x7f)]
  }

  private func fault(_ bytes: [UInt8]) -> String? { WCDBMaterial.fault(in: FileImage(bytes)) }

  @Test func exactBytesAreRead() throws {
    let fixture = try HexFixture(
      """
      0000  57 43 44 42  01 00 00 01  00 00 10 00  00 00 00 00   # magic, version, 4096, reserved
      0010  00 00 00 07  00 00 00 08  00 00 00 09  00 00 00 00   # salts, frames, sequence page
      0020  21 42 99 70  17                                       # CRC-32 by Python's zlib, 23 bytes
      0025  01 74  02  81 00  02 73 71  01  01 69                 # "t", page 2, 128, "sq", "i"
      0030  02  05 00 00 00 0a  81 00 00 00 00 0b                 # pages 5 and 133
      """)
    #expect(fault(fixture.bytes) == nil)
  }

  @Test(arguments: [0x0100_0000, 0x0100_0001] as [UInt32], [0, 1, 127, 128, 300])
  func bothVersionsAreRead(_ version: UInt32, _ count: Int) {
    #expect(fault(Self.bytes(version: version, count: count)) == nil)
  }

  @Test func everyPrefixIsTruncated() {
    let bytes = Self.bytes()
    for count in bytes.indices {
      #expect(fault(Array(bytes.prefix(count))) == "it is truncated", "\(count)")
    }
  }

  @Test func everyChangedBitIsDamageExceptInTheUncheckedFields() {
    let bytes = Self.bytes()
    for offset in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[offset] ^= 1 << bit
        #expect((fault(changed) == nil) == (12..<32).contains(offset), "\(offset), bit \(bit)")
      }
    }
  }

  @Test func theFaultIsStated() {
    #expect(fault([UInt8](repeating: 1, count: 64)) == "it does not begin like a material")
    var bytes = Self.bytes()
    bytes[7] = 2
    #expect(fault(bytes) == "its version, 16777218, is not known")
    bytes[7] = 0
    bytes[10] = 0
    #expect(fault(bytes) == "its page size, 0 bytes, is impossible")
    bytes[10] = 0x10
    #expect(fault(bytes)?.hasPrefix("the CRC-32 of its content is 0x") == true)
  }

  @Test func aLengthBeyondAnyFileIsTruncation() {
    let head: [UInt8] = Array(Self.bytes().prefix(36))
    let ones = [UInt8](repeating: 0xff, count: 9)
    let zeros = [UInt8](repeating: 0x80, count: 8)
    for rest in [ones + [1, 2, 3], ones, zeros] {
      #expect(fault(head + rest) == "it is truncated")
    }
    // In nine bytes, the last one has eight bits.
    let whole = Self.bytes(count: 3)
    #expect(fault(Array(whole.prefix(36)) + zeros + whole.suffix(4)) == nil)
  }
}
