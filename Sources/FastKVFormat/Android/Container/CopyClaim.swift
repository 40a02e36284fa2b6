import KVBytes
import KVModel

/// What the header of a copy says about its log, held against the bytes that are there.
struct CopyClaim: Sendable {
  let header: AndroidHeader
  /// The bytes after the header.
  let area: Extent
  /// The data by the header, or `nil` when so many bytes are not there.
  let log: Extent?
  /// The header's checksum held against the data.
  let checksum: ChecksumClaim?

  /// The claim of the header of `image`; its checksum is held against `claimed`, which has as many bytes.
  init(of image: FileImage, _ role: FileRole, against claimed: FileImage) {
    let header = AndroidHeader(of: image)
    let area = min(AndroidHeader.byteCount, image.count)..<image.count
    let log = header.count.flatMap { count in
      image.count >= AndroidHeader.byteCount && count <= area.count
        ? Extent(role, area.lowerBound..<area.lowerBound + count) : nil
    }
    self.header = header
    self.area = Extent(role, area)
    self.log = log
    checksum = log.map { log in
      var lanes = XORLanes()
      lanes.update(claimed.storageSpan, in: log.range)
      return ChecksumClaim(
        .xorLanes, over: log, stored: header.checksum,
        at: Extent(role, AndroidHeader.checksumField), computed: lanes.value)
    }
  }

  /// Whether the checksum matches.
  var isVerified: Bool { checksum?.isSatisfied ?? false }
}
