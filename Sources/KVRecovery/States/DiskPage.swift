import KVModel

/// The unit in which what was stored to memory reaches the disk, in any order, when the power fails.
enum DiskPage {
  /// The smallest page of the systems that the formats are used on, in bytes.
  private static let byteCount = 4096

  /// Whether `extent` lies in more than one page, so that a part of it may be older than the rest.
  static func divides(_ extent: Extent) -> Bool {
    extent.count > 0 && extent.offset / byteCount != (extent.end - 1) / byteCount
  }
}
