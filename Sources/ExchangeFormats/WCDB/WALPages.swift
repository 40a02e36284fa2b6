package import KVBytes

/// The pages for which a database's log has newer versions.
///
///     offset  count  field, big-endian
///          0      4  0x377f0682 or 0x377f0683
///          8      4  page size
///         16      8  salts
///         32         frames: page number (4), page count after a commit or 0 (4), salts (8),
///                    checksums (8), page
///
/// A frame with another salt is left from an earlier run of the log. The checksums are not verified
/// here, because SQLite verifies them when it reads the rows.
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 4.1.
package struct WALPages {
  /// The salts of the log, or `nil` if there is no log.
  package let salt: WALSalt?
  /// The numbers of the pages in committed frames.
  package private(set) var numbers: Set<UInt32> = []

  /// Reads the pages in the log `image`.
  package init(_ image: FileImage) {
    func word(_ offset: Int) -> UInt32 {
      image.bytes(in: offset..<offset + 4).reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard image.count >= 32, word(0) | 1 == 0x377f_0683, (512...65536).contains(word(8)) else {
      salt = nil
      return
    }
    let pageSize = Int(word(8))
    salt = WALSalt(first: word(16), second: word(20))
    var pending: [UInt32] = []
    var start = 32
    while image.count - start >= 24 + pageSize {
      guard WALSalt(first: word(start + 8), second: word(start + 12)) == salt else { break }
      pending.append(word(start))
      if word(start + 4) != 0 {
        numbers.formUnion(pending)
        pending = []
      }
      start += 24 + pageSize
    }
  }
}
