package import KVBytes

/// A backup that WCDB makes of a database's schema and of the checksums of its pages.
///
///     offset  count  field, big-endian
///          0      4  magic, 0x57434442
///          4      4  version, 0x01000000 or 0x01000001
///          8      4  page size of the database
///         12     16  its reserved bytes, salts and frames of its log; 20 in version 0x01000001
///                 4  CRC-32 of the content, 0 if that is empty
///                    byte count of the content, a SQLite varint
///                    content
///
/// Reference: WCDB's `Material::serialize`.
package enum WCDBMaterial {
  private static let versions: [UInt32] = [0x0100_0000, 0x0100_0001]

  /// Returns the reason why WCDB cannot use the material in `image`, or `nil` if it can.
  package static func fault(in image: FileImage) -> String? {
    var input = ByteCursor(image.storageSpan, in: image.range)
    do throws(ByteError) {
      guard try input.readInteger(UInt32.self, as: .big) == 0x5743_4442 else {
        return "it does not begin like a material"
      }
      let version = try input.readInteger(UInt32.self, as: .big)
      guard versions.contains(version) else { return "its version, \(version), is not known" }
      let pageSize = try input.readInteger(UInt32.self, as: .big)
      guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else {
        return "its page size, \(pageSize.inBytes), is impossible"
      }
      _ = try input.readRange(count: version == versions[0] ? 16 : 20)
      let stored = try input.readInteger(UInt32.self, as: .big)
      let content = try input.readRange(count: Int(clamping: try count(&input)))
      let computed = CRC32.digest(of: image, in: content)
      return computed == stored
        ? nil
        : "the CRC-32 of its content is 0x\(String(computed, radix: 16)), but it stores "
          + "0x\(String(stored, radix: 16))"
    } catch {
      return "it is truncated"
    }
  }

  /// Reads a SQLite varint: the most significant bits first, and eight bits in a ninth byte.
  private static func count(_ input: inout ByteCursor) throws(ByteError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<8 {
      let byte = try input.readByte()
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return value }
    }
    return value << 8 | UInt64(try input.readByte())
  }
}
