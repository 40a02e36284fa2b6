import KVModel

/// The unit in which mapped memory is written to the disk; a power loss can prevent the write of
/// any page.
enum DiskPage {
  /// The smallest page size, in bytes, of the systems that the formats are used on.
  static let byteCount = 4096

  /// Returns whether `extent` lies in more than one page, so that some of its bytes may be older
  /// than the others.
  static func divides(_ extent: Extent) -> Bool {
    lastStart(in: extent) != nil
  }

  /// Returns the start of the last page that `extent` reaches into; `nil` if it lies in one page.
  static func lastStart(in extent: Extent) -> Int? {
    guard extent.count > 0 else { return nil }
    let start = (extent.end - 1) / byteCount * byteCount
    return start > extent.offset ? start : nil
  }

  /// Returns the end of the page that contains the byte at `offset`.
  static func end(at offset: Int) -> Int { (offset / byteCount + 1) * byteCount }
}
