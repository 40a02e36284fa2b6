import KVModel

/// The unit in which what was stored to memory reaches the disk, in any order, when the power fails.
enum DiskPage {
  /// The smallest page of the systems that the formats are used on, in bytes.
  private static let byteCount = 4096

  /// Whether `extent` lies in more than one page, so that a part of it may be older than the rest.
  static func divides(_ extent: Extent) -> Bool {
    lastStart(in: extent) != nil
  }

  /// Where the last page begins that `extent` reaches into; `nil` where it lies in one page.
  static func lastStart(in extent: Extent) -> Int? {
    guard extent.count > 0 else { return nil }
    let start = (extent.end - 1) / byteCount * byteCount
    return start > extent.offset ? start : nil
  }

  /// Where the page ends that the byte at `offset` is in.
  static func end(at offset: Int) -> Int { (offset / byteCount + 1) * byteCount }
}
