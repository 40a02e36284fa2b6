import KVBytes
import KVModel

/// The fields that say where the log ends, and which of them the engine uses.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Which size counts.
struct StatedSizes: Sendable {
  private let meta: MetaInfo
  private let header: DataHeader

  init(_ meta: MetaInfo, _ header: DataHeader) {
    self.meta = meta
    self.header = header
  }

  /// Whether the engine uses the size in the meta file rather than the one in the header.
  var isInMeta: Bool { meta.effectiveVersion >= MetaInfo.Version.actualCount }

  /// The size that the engine uses.
  var actual: Int { Int(isInMeta ? meta.actualCount : header.payloadCount) }

  /// The size that the engine does not use, but may try.
  var other: Int { Int(isInMeta ? header.payloadCount : meta.actualCount) }

  /// Returns the checksums for the sizes; that for the other size only if the actual one does not
  /// match.
  func digests(of image: FileImage) -> PayloadDigests {
    var digests = PayloadDigests(of: image, counts: [actual, Int(meta.confirmedCount)])
    if digests[actual] != meta.digest {
      digests.merge(PayloadDigests(of: image, counts: [other]))
    }
    return digests
  }

  /// Returns the claims of the fields, checked against the bytes, the one that the engine uses
  /// first.
  ///
  /// If `hasDigest` is `false`, the meta file's digest says nothing about the bytes.
  func lengthClaims(
    _ digests: PayloadDigests, dataCount: Int, metaCount: Int, hasDigest: Bool
  ) -> [LengthClaim] {
    let hasDigest = hasDigest && metaCount >= MetaInfo.Field.digest.upperBound
    let files = Files(dataCount: dataCount, metaCount: metaCount, digests: digests)
    let digest = Digest(
      value: hasDigest ? meta.digest : nil, at: Extent(.meta, MetaInfo.Field.digest))
    let inMeta = Extent(.meta, MetaInfo.Field.actualCount)
    let inHeader = Extent(.data, 0..<DataHeader.byteCount)
    var lengthClaims = [
      files.lengthClaim(
        .current, isInMeta ? "size in the meta file" : "size in the header", actual,
        statedAt: isInMeta ? inMeta : inHeader, digest)
    ]
    let confirmed = Digest(
      value: metaCount >= MetaInfo.Field.confirmedDigest.upperBound ? meta.confirmedDigest : nil,
      at: Extent(.meta, MetaInfo.Field.confirmedDigest))
    if meta.confirmedCount > 0 || isInMeta {
      lengthClaims.append(
        files.lengthClaim(
          .confirmed, "last confirmed size in the meta file",
          Int(meta.confirmedCount), statedAt: Extent(.meta, MetaInfo.Field.confirmedCount),
          confirmed))
    }
    if other > 0, other != actual {
      lengthClaims.append(
        files.lengthClaim(
          .alternate, isInMeta ? "size in the header" : "size in the meta file", other,
          statedAt: isInMeta ? inHeader : inMeta, digest))
    }
    return lengthClaims
  }

  /// A stored digest, if it is present.
  private struct Digest {
    let value: UInt32?
    let at: Extent
  }

  /// The files that claims are checked against.
  private struct Files {
    let dataCount: Int
    let metaCount: Int
    let digests: PayloadDigests

    func lengthClaim(
      _ role: LengthClaim.Role, _ origin: String, _ count: Int, statedAt: Extent, _ digest: Digest
    ) -> LengthClaim {
      let isThere = count <= dataCount - DataHeader.byteCount
      let log = isThere ? Extent(.data, DataHeader.byteCount..<DataHeader.byteCount + count) : nil
      var claim: ChecksumClaim?
      if let stored = digest.value, let computed = digests[count], let log {
        claim = ChecksumClaim(
          .crc32, over: log, stored: UInt64(stored), at: digest.at, computed: UInt64(computed))
      }
      let fieldEnd = statedAt.file == .meta ? metaCount : dataCount
      return LengthClaim(
        role, origin: origin, count: count, statedAt: statedAt.end <= fieldEnd ? statedAt : nil,
        log: log, digest: digest.value.map { UInt64($0) }, checksum: claim)
    }
  }
}
