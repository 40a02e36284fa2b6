import KVBytes

/// Whether a file may be a database of SQLCipher, which has no header: all of it looks random.
enum SQLCipherGuess {
  /// What all sizes of pages are multiples of that SQLCipher has been delivered with.
  private static let pageSize = 1024

  /// Whether `image` has no header of SQLite, a size of whole pages, and bytes of no pattern.
  static func fits(_ image: FileImage) -> Bool {
    !SQLiteFiles.isDatabase(image) && image.count > 0 && image.count.isMultiple(of: pageSize)
      && isRandom(image)
  }

  /// Whether two of the first bytes are the same nearly as rarely as in noise: less than twice as often as
  /// once in 256 times.
  static func isRandom(_ image: FileImage) -> Bool {
    let sample = image.bytes(in: 0..<min(image.count, 1 << 16))
    var counts = [Int](repeating: 0, count: 256)
    for byte in sample { counts[Int(byte)] += 1 }
    let pairs = counts.reduce(0) { $0 + $1 * ($1 - 1) }
    return sample.count >= pageSize && pairs * 128 < sample.count * (sample.count - 1)
  }
}
