import KVBytes
package import KVModel
package import KVSystem

/// Finds stores of FastKV for iOS in sources: by their mark, and by their records, each of which has
/// a checksum of 16 bits and a separator.
package struct AppleFastKVCarver: StoreCarver {
  /// The number of records whose checksums have 32 bits together.
  private static let provenCount = 2

  private var found: [CarvedStore] = []
  private var end = 0

  /// Creates a carver that has seen nothing.
  package init() {}

  /// Returns whether pass number `pass` is needed.
  package func needs(pass: Int) -> Bool { pass == 0 }

  /// Looks at the sectors of `window`.
  package mutating func examine(_ window: CarvingWindow, pass: Int) throws(FileError) {
    let magic = FileImage(AppleHeader.magic + [0, 0]).storageSpan.word(at: 0)
    let bytes = window.image
    for start in window.sectors(withAtLeast: AppleHeader.byteCount)
    where bytes.storageSpan.word(at: start) & 0xffff_ffff_ffff == magic {
      guard window.start + start >= end else { continue }
      try look(at: window.start + start, window)
    }
  }

  private mutating func look(at offset: Int, _ window: CarvingWindow) throws(FileError) {
    let head = AppleHeader(of: try window.bytes(at: offset, count: AppleHeader.byteCount))
    guard head.length <= CarvingWindow.logLimit else { return }
    let whole = AppleHeader.byteCount + Int(head.length)
    let image = try window.bytes(at: offset, count: whole)
    let reader = AppleRecordReader(image, AppleDialect.detect(in: image).dialect)
    var isLive: [[UInt8]: Bool] = [:]
    var position = AppleHeader.byteCount
    var count = 0
    while let shape = reader.shape(at: position, limit: image.count), shape.isWitnessed {
      count += 1
      position = shape.range.upperBound
      isLive[image.bytes(in: shape.key)] = shape.record.operation == .put
    }
    guard count > 0 else { return }
    let isProven = position == whole && count >= Self.provenCount
    end = offset + position
    found.append(
      CarvedStore(
        AppleFastKVFormat.name,
        [CarvedFile(".fkv", [offset..<window.pageEnd(offset + position, of: offset)])],
        isProven ? .proven : .inferred, isProven ? .most : Probability(0.999),
        because: "the CRC-16 and the separator of each record match: \(count.grouped)",
        entryCount: isLive.values.count { $0 }))
  }

  /// Returns the stores that were found.
  package func stores() -> [CarvedStore] { found }
}
