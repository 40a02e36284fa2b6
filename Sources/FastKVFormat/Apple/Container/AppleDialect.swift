import KVBytes

/// The variant in which a file of FastKV for iOS is written.
///
/// It consists of the pointer width of the process that wrote the file, and of the separator that
/// its version puts between records. The file states neither.
package struct AppleDialect: Hashable, Codable, Sendable {
  /// The text after each record.
  package enum Separator: String, Hashable, Codable, Sendable, CaseIterable {
    /// The whole separator, since 0.2.1.
    case whole = "$FastKVSeperatorString$"
    /// The separator of 0.1.0 and 0.2.0 in a 64-bit process, which take the size of a pointer for
    /// the length of the text.
    case cutTo8 = "$FastKVS"
    /// The separator of 0.1.0 and 0.2.0 in a 32-bit process.
    case cutTo4 = "$Fas"

    /// The bytes of the separator.
    package var bytes: [UInt8] { Array(rawValue.utf8) }
  }

  /// The number of bytes in a pointer, 4 or 8.
  package let width: Int
  /// The separator after each record.
  package let separator: Separator
  /// The separator's bytes.
  package let separatorBytes: [UInt8]

  /// Creates the dialect of a process with pointers of `width` bytes.
  package init(width: Int, separator: Separator = .whole) {
    self.width = width
    self.separator = separator
    separatorBytes = separator.bytes
  }

  /// The number of bytes in a record before the class name.
  package var fixedCount: Int { 4 * width + 4 }

  /// All dialects, the most likely first.
  static let all: [AppleDialect] = [
    AppleDialect(width: 8), AppleDialect(width: 4),
    AppleDialect(width: 8, separator: .cutTo8), AppleDialect(width: 4, separator: .cutTo4),
    AppleDialect(width: 8, separator: .cutTo4), AppleDialect(width: 4, separator: .cutTo8),
  ]

  /// The number of bytes of a file that are examined to detect its dialect.
  private static let sampleCount = 256 << 10

  /// Returns the dialect in which most records of `image` are whole, and the number of those
  /// records.
  ///
  /// A record is whole if its lengths, CRC and separator agree.
  static func detect(in image: FileImage) -> (dialect: AppleDialect, records: Int) {
    let start = min(AppleHeader.byteCount, image.count)
    guard let last = image.lastNonzero(in: start..<image.count) else { return (all[0], 0) }
    let written = start..<last + 1
    let chains = all.map { ($0, chainCount(in: image, written, $0)) }
    if let longest = chains.map(\.1).max(), longest > 0,
      let chain = chains.first(where: { $0.1 == longest })
    {
      // A damaged separator begins like a shorter one, so one record does not show which it is.
      if longest > 1 || chain.0.separator == .whole { return chain }
    }
    // The first record is damaged, so examine those after it.
    let sample = written.prefix(sampleCount)
    var best = (dialect: all[0], records: 0)
    var score = Int.min
    // A record that is whole ends with the separator.
    for dialect in all
    where image.firstOccurrence(of: dialect.separatorBytes, in: sample) != nil {
      var walk = AppleWalk(AppleRecordReader(image, dialect), in: sample)
      var records = 0
      var gaps = 0
      while let step = walk.next() {
        switch step {
        case .record(let shape): records += shape.isWitnessed ? 1 : 0
        case .gap: gaps += 1
        }
      }
      // If a longer separator is taken for a shorter one, its rest is a gap after each record.
      if records > 0, records - gaps > score {
        best = (dialect, records)
        score = records - gaps
      }
    }
    return best
  }

  /// Returns the number of consecutive whole records in `dialect` from the start of `range`.
  private static func chainCount(
    in image: FileImage, _ range: Range<Int>, _ dialect: AppleDialect
  ) -> Int {
    let reader = AppleRecordReader(image, dialect)
    var offset = range.lowerBound
    var count = 0
    while let shape = reader.shape(at: offset, limit: range.upperBound), shape.isWitnessed,
      offset - range.lowerBound < sampleCount
    {
      count += 1
      offset = shape.range.upperBound
    }
    return count
  }
}
