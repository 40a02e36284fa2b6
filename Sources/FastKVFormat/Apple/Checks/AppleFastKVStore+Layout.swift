import KVBytes
package import KVModel

extension AppleFastKVStore {
  /// The regions of the file; together they cover every byte.
  ///
  /// The records are one region.
  package var layout: [Region] {
    guard image.count > 0 else { return [] }
    let fields: [(Range<Int>, String, String)] = [
      (AppleHeader.Field.magic, "magic", header.hasMagic ? "FastKV" : "not FastKV"),
      (AppleHeader.Field.version, "version", "\(header.version)"),
      (AppleHeader.Field.length, "length", "\(header.length.inBytes)"),
    ]
    var regions: [Region] = fields.compactMap { range, name, meaning in
      let there = range.clamped(to: image.range)
      guard !there.isEmpty else { return nil }
      return Region(
        Extent(.data, there), .field, name, there.count < range.count ? "truncated" : meaning)
    }
    let start = min(AppleHeader.byteCount, image.count)
    let end = lengthClaims.first?.log?.end ?? image.count
    if start < end {
      regions.append(Region(Extent(.data, start..<end), .log, "log", dialectMeaning))
    }
    if end < image.count {
      let isZero = image.isZero(in: end..<image.count)
      regions.append(
        Region(
          Extent(.data, end..<image.count), .slack, "slack",
          isZero ? "zeros" : "old data"))
    }
    return regions
  }

  /// What is known about the process that wrote the records.
  private var dialectMeaning: String {
    guard dialectWitnessCount > 0 else { return "no record shows the word size" }
    return "\(dialect.width)-byte words, separator \(dialect.separator.rawValue), shown by "
      + "\(dialectWitnessCount.counted("record", "records")) with matching lengths and CRC"
  }
}
