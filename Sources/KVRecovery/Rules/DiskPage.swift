import KVModel

/// The unit in which writes to memory reach the disk; a power loss can leave any of them out.
enum DiskPage {
  /// The smallest page of the systems that the formats are used on, in bytes.
  private static let byteCount = 4096

  /// Returns whether `extent` lies in more than one page, so that part of it may be older than the
  /// rest.
  static func divides(_ extent: Extent) -> Bool {
    lastStart(in: extent) != nil
  }

  /// Returns where the last page begins that `extent` reaches into; `nil` if it lies in one page.
  static func lastStart(in extent: Extent) -> Int? {
    guard extent.count > 0 else { return nil }
    let start = (extent.end - 1) / byteCount * byteCount
    return start > extent.offset ? start : nil
  }

  /// Returns where the page with the byte at `offset` ends.
  static func end(at offset: Int) -> Int { (offset / byteCount + 1) * byteCount }
}
