import KVBytes
import KVModel

/// What the header of a copy claims about its log, compared with the bytes that are present.
struct CopyClaim: Sendable {
  let header: AndroidHeader
  /// The bytes after the header.
  let area: Extent
  /// The log that the header states; `nil` if the file is too short for it.
  let log: Extent?
  /// The header's checksum, compared with the data.
  let checksum: ChecksumClaim?

  /// Reads the header of `image` and compares its checksum with the data in `claimed`, which has
  /// the same number of bytes.
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
