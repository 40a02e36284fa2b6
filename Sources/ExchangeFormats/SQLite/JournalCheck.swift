package import KVBytes
package import KVModel

/// Finds the parts of a rollback journal that SQLite silently ignores.
///
/// A journal whose first byte is not zero is hot: the database beside it may be partly written.
/// SQLite first writes the pages in the journal back, and stops at the first invalid record.
///
///     offset  count  field of a header, big-endian; another header follows on the next sector
///          0      8  d9 d5 05 f9 20 a1 63 d7; zeros before the records are safe, or when all is done
///          8      4  number of records; 0xffffffff for all up to the end of the file
///         12      4  initial value of checksums
///         16      4  number of pages of the database before the change
///         20      4  sector size
///         24      4  page size
///                    from the next sector on, records: page number (4), page, checksum (4)
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 3.
package struct JournalCheck {
  private struct Header {
    let recordCount: Int
    let nonce: UInt32
    let pageCount: Int
    let sectorSize: Int
    let pageSize: Int

    var recordSize: Int { pageSize + 8 }
  }

  private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  private let image: FileImage

  /// Returns a finding about the pages that SQLite does not write back from the journal `image`.
  ///
  /// `image` is not empty.
  package static func findings(in image: FileImage) -> [Finding] {
    guard let fault = JournalCheck(image: image).fault else { return [] }
    return [
      Finding(
        SQLiteFindings.journalDamaged, at: Extent(.side, fault.offset..<image.count),
        "\(fault.reason): SQLite does not roll back all pages, and the database may contain half of a "
          + "change")
    ]
  }

  /// Returns the number and the offset of each page in the journal `image`, whether it is needed or
  /// from a completed transaction, after which the first header can be zero.
  ///
  /// The size of sectors is then unknown, so the one is taken with which there are most pages with a
  /// number up to `limit`. Pages of earlier transactions can follow those of the last.
  static func records(
    in image: FileImage, pageSize: Int, limit: Int
  ) -> [(page: Int, start: Int)] {
    let stated = JournalCheck(image: image).header(at: 0, first: nil)?.sectorSize
    return (stated.map { [$0] } ?? (9...16).map { 1 << $0 }).map { sectorSize in
      var records: [(page: Int, start: Int)] = []
      var offset = sectorSize
      while offset <= image.count - pageSize - 8 {
        if image.bytes(in: offset..<offset + 8) == magic {
          offset += sectorSize
        } else if (1...max(1, limit)).contains(image.bigEndian(offset)) {
          records.append((image.bigEndian(offset), offset + 4))
          offset += pageSize + 8
        } else {
          offset = (offset / sectorSize + 1) * sectorSize
        }
      }
      return records
    }.max { $0.count < $1.count } ?? []
  }

  /// The first fault, with its offset.
  private var fault: (offset: Int, reason: String)? {
    // This is a journal of a completed transaction, or one without a record that is safe on disk.
    if image.bytes(in: 0..<min(8, image.count)).allSatisfy({ $0 == 0 }) { return nil }
    guard var header = header(at: 0, first: nil) else {
      return (0, "the rollback journal does not begin with a valid header")
    }
    let first = header
    var start = 0
    while true {
      let records = start + first.sectorSize
      let all = max(0, image.count - records) / first.recordSize
      let isUncounted = header.recordCount == 0xffff_ffff
      let count = isUncounted ? all : header.recordCount
      let places = (0..<min(count, all)).map { records + $0 * first.recordSize }
      if let broken = places.firstIndex(where: { !holds($0, header) }) {
        // Records of an earlier journal, with another nonce, may follow uncounted records.
        let isEnd = isUncounted && !places[broken...].contains { holds($0, header) }
        return isEnd
          ? nil
          : (places[broken], "the checksum of a record in the rollback journal does not match")
      }
      guard count <= all else {
        return (
          records + all * first.recordSize,
          "the rollback journal has only \(all.grouped) of the \(count.counted("record", "records")) stated in its header"
        )
      }
      let end = records + count * first.recordSize
      start = (end + first.sectorSize - 1) / first.sectorSize * first.sectorSize
      guard count > 0, let next = self.header(at: start, first: first) else { return nil }
      header = next
    }
  }

  /// Returns the header at `offset`.
  ///
  /// In headers after `first`, only the count and the nonce are read.
  private func header(at offset: Int, first: Header?) -> Header? {
    guard image.count - offset >= 28, image.bytes(in: offset..<offset + 8) == Self.magic else {
      return nil
    }
    func field(_ index: Int) -> Int { image.bigEndian(offset + 8 + 4 * index) }
    let header = Header(
      recordCount: field(0), nonce: UInt32(field(1)), pageCount: first?.pageCount ?? field(2),
      sectorSize: first?.sectorSize ?? field(3), pageSize: first?.pageSize ?? field(4))
    guard (512...65536).contains(header.pageSize), header.pageSize.nonzeroBitCount == 1,
      (32...65536).contains(header.sectorSize), header.sectorSize.nonzeroBitCount == 1
    else { return nil }
    return header
  }

  /// Returns whether the record at `offset` has the number of an existing page and a matching
  /// checksum.
  ///
  /// The checksum covers every 200th byte of the page.
  private func holds(_ offset: Int, _ header: Header) -> Bool {
    guard (1...max(1, header.pageCount)).contains(image.bigEndian(offset)) else { return false }
    var sum = header.nonce
    for index in stride(from: header.pageSize - 200, to: 0, by: -200) {
      sum &+= UInt32(image[offset + 4 + index])
    }
    return sum == UInt32(image.bigEndian(offset + 4 + header.pageSize))
  }
}
