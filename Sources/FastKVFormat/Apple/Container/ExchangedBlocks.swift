import KVBytes

/// Blocks of a file in exchanged places, which put the records of a log out of order.
extension AppleRecordReader {
  /// The sizes of blocks that can be exchanged: a sector and a page.
  private static let blockCounts = [512, 4096]

  /// Returns whether the record at `start` breaks off at the end of a block of `written`, and goes
  /// on in another block.
  ///
  /// The lengths of the record say where it ends. If it goes on in another block, its separator and
  /// its CRC are there.
  ///
  /// - Complexity: O(number of blocks).
  func continuesElsewhere(_ start: Int, in written: Range<Int>) -> Bool {
    guard let fields = fields(at: start, limit: written.upperBound), fields.isUsual,
      fields.keyCount <= 0xffff, fields.valueCount <= 0xffff
    else { return false }
    let count =
      dialect.fixedCount + Int(fields.classCount + fields.keyCount + fields.valueCount) + 2
    return count - 2 <= 0xffff
      && Self.blockCounts.contains { block in
        let edge = (start / block + 1) * block
        let rest = count - (edge - start)
        return rest >= 2 && edge <= written.upperBound
          && stride(from: 0, to: written.upperBound, by: block).contains {
            $0 != edge && continues(start..<edge, at: $0..<$0 + rest)
          }
      }
  }

  /// Returns whether a separator follows `rest`, and its last two bytes are the CRC of `front` and
  /// of the others.
  private func continues(_ front: Range<Int>, at rest: Range<Int>) -> Bool {
    guard rest.upperBound < image.count,
      isName(dialect.separatorBytes, at: rest.upperBound, limit: image.count)
    else { return false }
    let covered = rest.dropLast(2)
    var digest = CRC16()
    digest.update(image.storageSpan, in: front)
    digest.update(image.storageSpan, in: covered)
    return UInt64(digest.value) == image.littleEndian(in: covered.upperBound..<rest.upperBound)
  }
}
