import KVBytes

/// A test of whether a file may be a SQLCipher database.
///
/// Such a database has no header, and all of it looks random.
enum SQLCipherGuess {
  /// The common divisor of all page sizes that SQLCipher has used.
  private static let pageSize = 1024

  /// Returns whether `image` has no SQLite header, consists of whole pages, and looks random.
  static func fits(_ image: FileImage) -> Bool {
    !SQLiteFiles.isDatabase(image) && image.count > 0 && image.count.isMultiple(of: pageSize)
      && isRandom(image)
  }

  /// Returns whether pairs of equal bytes are less than twice as frequent as in random bytes.
  ///
  /// The pairs are all pairs among the first bytes. In random bytes, 1 in 256 pairs is equal.
  static func isRandom(_ image: FileImage) -> Bool {
    let sample = image.bytes(in: 0..<min(image.count, 1 << 16))
    var counts = [Int](repeating: 0, count: 256)
    for byte in sample { counts[Int(byte)] += 1 }
    let pairs = counts.reduce(0) { $0 + $1 * ($1 - 1) }
    return sample.count >= pageSize && pairs * 128 < sample.count * (sample.count - 1)
  }
}
