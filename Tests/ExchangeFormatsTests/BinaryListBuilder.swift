import KVBytes

/// A builder of binary property lists, valid or damaged, object by object.
struct BinaryListBuilder {
  /// The bytes of the objects.
  ///
  /// The first object is the outermost.
  var objects: [[UInt8]] = []
  /// The offsets that the table states for objects, if they differ from the real ones.
  var offsets: [Int: Int] = [:]

  /// Returns an array (0xa0) or a dictionary (0xd0) with fewer than 15 elements and four-byte
  /// references.
  static func container(_ kind: UInt8, _ references: [Int]) -> [UInt8] {
    var output = ByteWriter()
    let count = kind == 0xd0 ? references.count / 2 : references.count
    output.writeByte(kind | UInt8(truncatingIfNeeded: count))
    for reference in references {
      output.writeInteger(UInt32(truncatingIfNeeded: reference), as: .big)
    }
    return output.bytes
  }

  /// Returns an ASCII string of fewer than 15 characters.
  static func text(_ text: String) -> [UInt8] {
    [0x50 | UInt8(truncatingIfNeeded: text.utf8.count)] + Array(text.utf8)
  }

  /// The bytes of the file.
  var bytes: [UInt8] {
    var output = ByteWriter()
    output.writeBytes("bplist00".utf8)
    var table = ByteWriter()
    for (index, object) in objects.enumerated() {
      table.writeInteger(
        UInt32(truncatingIfNeeded: offsets[index] ?? output.count), as: .big)
      output.writeBytes(object)
    }
    let start = output.count
    output.writeBytes(table.bytes)
    output.writeZeros(6)
    output.writeBytes([4, 4])
    for number in [objects.count, 0, start] {
      output.writeInteger(UInt64(number), as: .big)
    }
    return output.bytes
  }
}
