import KVBytes

/// The class names and keys of the whole records of a file: what others of its records are likely to
/// have, too.
struct AppleVocabulary: Sendable {
  /// How many of each are kept: damaged records are few, and names of classes repeat.
  private static let limit = 4096

  private(set) var classNames: Set<[UInt8]> = []
  private(set) var keys: Set<[UInt8]> = []

  /// The words of the whole records in `range`.
  init(_ reader: AppleRecordReader, in range: Range<Int>) {
    var walk = AppleWalk(reader, in: range)
    while let step = walk.next() {
      guard case .record(let shape) = step, shape.isProven else { continue }
      if classNames.count < Self.limit {
        classNames.insert(reader.image.bytes(in: shape.className))
      }
      if keys.count < Self.limit { keys.insert(reader.image.bytes(in: shape.key)) }
    }
    classNames.remove([])
  }
}
