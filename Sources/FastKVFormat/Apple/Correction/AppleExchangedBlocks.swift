import KVBytes
import KVModel

/// Two disk blocks that changed places, as the records across their edges show.
///
/// Every record has a checksum, and so has one that lies across the edge of a block: it is whole only
/// if both blocks are in their places. All pairs of blocks at whose edges reading fails are tried.
struct AppleExchangedBlocks {
  /// The largest number of blocks of one size that are paired.
  private static let blockLimit = 32
  /// The number of records that have to become whole, less those that no longer are.
  private static let leastCount = 2
  /// The bits of a record's CRC.
  private static let checksumBits = 16

  /// A record, or a part of the log in which none is whole.
  private struct Part {
    var range: Range<Int>
    let isWhole: Bool
  }

  private let reader: AppleRecordReader
  private let parts: [Part]

  /// Reads the records of `range`.
  init(_ reader: AppleRecordReader, in range: Range<Int>) {
    self.reader = reader
    var parts: [Part] = []
    var walk = AppleWalk(reader, in: range)
    var start = walk.position
    while let step = walk.next() {
      let isWhole = if case .record(let shape) = step { Self.isWhole(shape) } else { false }
      if !isWhole, let last = parts.indices.last, !parts[last].isWhole {
        parts[last].range = parts[last].range.lowerBound..<walk.position
      } else {
        parts.append(Part(range: start..<walk.position, isWhole: isWhole))
      }
      start = walk.position
    }
    // The record that breaks off last may end in zeros, before the slack that follows its block.
    if let last = parts.last, !last.isWhole {
      let page = BlockExchange.sizes.max() ?? 1
      let end = (last.range.upperBound + page - 1) / page * page
      parts[parts.count - 1].range = last.range.lowerBound..<min(end, reader.image.count)
    }
    self.parts = parts
  }

  /// The correction that puts two blocks back: the exchange that makes the most records whole, if no
  /// other exchange of the same bytes makes as many.
  var correction: Correction? {
    var best: [BlockExchange] = []
    var most = Self.leastCount
    var tried = 0
    for size in BlockExchange.sizes {
      let blocks = blocks(size)
      guard blocks.count <= Self.blockLimit else { continue }
      for (index, first) in blocks.enumerated() {
        for second in blocks.dropFirst(index + 1) {
          tried += 1
          let exchange = BlockExchange(first, second, size: size)
          let gain = gain(of: exchange)
          if gain > most { best = [] }
          if gain >= most { best.append(exchange) }
          most = max(most, gain)
        }
      }
    }
    // Another one that is as good may be made next, unless it exchanges some of the same bytes.
    guard let exchange = best.first, !best.dropFirst().contains(where: exchange.overlaps) else {
      return nil
    }
    let odds = CoincidenceOdds(
      checksumBits: Self.checksumBits * most, candidates: Double(tried))
    return Correction(
      exchange.changes(reader.image, of: .data).map { .change($0) }, by: AppleMisplacedBlocks.self,
      odds,
      reason: "exchanging the blocks of \(exchange.size.inBytes) at "
        + "\(Hexadecimal.text(exchange.first, digits: 2)) and "
        + "\(Hexadecimal.text(exchange.second, digits: 2)) makes \(most) more records whole")
  }

  /// Returns the blocks of `count` bytes at one of whose edges reading fails.
  private func blocks(_ count: Int) -> [Int] {
    var blocks: Set<Int> = []
    for part in parts where !part.isWhole {
      let first = (part.range.lowerBound + count - 1) / count * count
      for edge in stride(from: first, through: part.range.upperBound, by: count) {
        blocks.formUnion([edge - count, edge])
      }
    }
    return blocks.filter { $0 >= 0 && $0 + count <= reader.image.count }.sorted()
  }

  /// Returns the number of records that `exchange` makes whole, less those that it breaks.
  private func gain(of exchange: BlockExchange) -> Int {
    var starts: Set<Int> = []
    var lost = 0
    for edge in exchange.edges {
      guard let part = part(at: edge) else { continue }
      if part.isWhole { lost += 1 }
      starts.insert(exchange.moved(part.range.lowerBound))
    }
    return starts.count { isWhole(at: $0, after: exchange) } - lost
  }

  /// Returns the part of the log that lies across `edge`; a part that is not whole may end there.
  private func part(at edge: Int) -> Part? {
    parts[parts.partitioningIndex { $0.range.upperBound >= edge }...].prefix(2).first {
      $0.range.lowerBound < edge && edge < $0.range.upperBound
        || !$0.isWhole && $0.range.lowerBound <= edge && edge <= $0.range.upperBound
    }
  }

  /// Returns whether a whole record that lies across an edge begins at `start` after `exchange`.
  private func isWhole(at start: Int, after exchange: BlockExchange) -> Bool {
    let image = reader.image
    let head = FileImage(
      bytes(start..<min(image.count, start + reader.dialect.fixedCount), after: exchange))
    let own = AppleRecordReader(head, reader.dialect)
    guard let fields = own.fields(at: 0, limit: head.count), fields.isUsual,
      let parts = own.parts(of: fields, at: 0, limit: image.count - start)
    else { return false }
    let end = start + parts.value.upperBound + 2 + reader.dialect.separatorBytes.count
    guard end <= image.count, end - start <= 1 << 16,
      exchange.edges.contains(where: { start < $0 && $0 < end })
    else { return false }
    let record = FileImage(bytes(start..<end, after: exchange))
    return AppleRecordReader(record, reader.dialect).shape(at: 0, limit: record.count)
      .map(Self.isWhole) ?? false
  }

  private static func isWhole(_ shape: AppleRecordShape) -> Bool {
    shape.isProven && shape.ending == .separator
  }

  /// Returns the bytes at `range` after `exchange`.
  private func bytes(_ range: Range<Int>, after exchange: BlockExchange) -> [UInt8] {
    var bytes = reader.image.bytes(in: range)
    for (place, other) in [
      (exchange.first, exchange.second), (exchange.second, exchange.first),
    ] {
      let changed = (place..<place + exchange.size).clamped(to: range)
      guard !changed.isEmpty else { continue }
      let from = changed.lowerBound + other - place
      bytes.replaceSubrange(
        changed.lowerBound - range.lowerBound..<changed.upperBound - range.lowerBound,
        with: reader.image.bytes(in: from..<from + changed.count))
    }
    return bytes
  }
}

extension BlockExchange {
  /// The edges of both blocks.
  fileprivate var edges: Set<Int> { [first, first + size, second, second + size] }

  fileprivate func overlaps(_ other: BlockExchange) -> Bool {
    [first, second].contains { start in
      [other.first, other.second].contains { start < $0 + other.size && $0 < start + size }
    }
  }

  /// Returns where the byte at `offset` is after the exchange.
  fileprivate func moved(_ offset: Int) -> Int {
    if first..<first + size ~= offset { return offset + second - first }
    if second..<second + size ~= offset { return offset + first - second }
    return offset
  }
}
