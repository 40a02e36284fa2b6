import KVBytes
package import KVModel

extension MMKVStore {
  /// Every byte of both files, by meaning; the records are one region.
  package var layout: [Region] { dataLayout + metaLayout }

  private var dataLayout: [Region] {
    guard let dataFile, dataFile.image.count > 0 else { return [] }
    let count = dataFile.image.count
    let headerEnd = min(DataHeader.byteCount, count)
    var regions = [
      Region(
        Extent(.data, 0..<headerEnd), .field, "header",
        headerEnd < DataHeader.byteCount
          ? "truncated" : "payload size \(header.payloadCount), \(sizeAuthority)")
    ]
    let log = lengthClaims.first?.log?.range ?? headerEnd..<count
    let prefixEnd = min(prefixEnd ?? log.lowerBound, log.upperBound)
    let parts: [(Range<Int>, Region.Kind, String)] = [
      (log.lowerBound..<prefixEnd, .prefix, "prefix"), (prefixEnd..<log.upperBound, .log, "log"),
    ]
    for (range, kind, name) in parts where !range.isEmpty {
      regions.append(Region(Extent(.data, range), kind, name))
    }
    let slack = max(log.upperBound, headerEnd)..<count
    if !slack.isEmpty {
      let isZero = dataFile.image.isZero(in: slack)
      regions.append(
        Region(Extent(.data, slack), .slack, "slack", isZero ? "zeros" : "old data")
      )
    }
    return regions
  }

  /// The end of the varint before the records, if one can be read.
  private var prefixEnd: Int? {
    var cursor = ByteCursor(plainData.storageSpan, in: DataHeader.byteCount..<plainData.count)
    return (try? cursor.readVarint()).map { _ in cursor.offset }
  }

  private var sizeAuthority: String {
    StatedSizes(meta, header).isInMeta ? "overridden by the meta file" : "used by the engine"
  }

  private var metaLayout: [Region] {
    guard let count = metaFile?.image.count, count > 0 else { return [] }
    let fields: [(Range<Int>, Region.Kind, String, String)] = [
      (MetaInfo.Field.digest, .field, "digest", Hexadecimal.text(meta.digest)),
      (MetaInfo.Field.version, .field, "version", "\(meta.version)"),
      (MetaInfo.Field.sequence, .field, "sequence", "full rewrites: \(meta.sequence)"),
      (MetaInfo.Field.vector, .vector, "vector", Hexadecimal.text(meta.vector)),
      (
        MetaInfo.Field.actualCount, .field, "actual size",
        "\(meta.actualCount.inBytes)"
      ),
      (
        MetaInfo.Field.confirmedCount, .field, "confirmed size",
        "\(meta.confirmedCount.inBytes)"
      ),
      (
        MetaInfo.Field.confirmedDigest, .field, "confirmed digest",
        Hexadecimal.text(meta.confirmedDigest)
      ),
      (MetaInfo.Field.reserved, .unused, "reserved", ""),
      (
        MetaInfo.Field.flags, .field, "flags",
        meta.flags & 1 == 1 ? "values carry an expiry suffix" : "no expiry"
      ),
      (MetaInfo.byteCount..<max(MetaInfo.byteCount, count), .unused, "padding", ""),
    ]
    return fields.compactMap { range, kind, name, meaning in
      let there = range.clamped(to: 0..<count)
      guard !there.isEmpty else { return nil }
      return Region(
        Extent(.meta, there), kind, name, there.count < range.count ? "truncated" : meaning,
        isChecksum: range == MetaInfo.Field.digest || range == MetaInfo.Field.confirmedDigest)
    }
  }
}
