import KVBytes

/// The page size of the device that a store was written on, and how it determines file sizes.
struct PageSize: Hashable, Sendable {
  /// The page size of most devices, in bytes.
  private static let small = 4096
  /// The page size of newer devices, in bytes.
  private static let large = 16384

  /// The number of bytes in a page.
  let count: Int

  /// Creates the page size of a store whose meta file has `metaCount` bytes: the engine makes that
  /// file one page.
  init(metaCount: Int) { count = metaCount == Self.large ? Self.large : Self.small }

  /// Creates the page size of the store of these two files.
  ///
  /// On a device with smaller pages, the engine leaves the meta file as long as it is, but may
  /// shorten the data file to any number of those pages that the log fits into.
  init(data: FileImage, meta: FileImage) {
    let stated = PageSize(metaCount: meta.count)
    let isShorter = data.count % stated.count != 0 && data.count % Self.small == 0
    var metaCursor = ByteCursor(meta.storageSpan, in: meta.range)
    var dataCursor = ByteCursor(data.storageSpan, in: data.range)
    guard isShorter, let info = try? MetaInfo(parsing: &metaCursor),
      let header = try? DataHeader(parsing: &dataCursor),
      StatedSizes(info, header).actual <= dataCursor.remaining
    else {
      self = stated
      return
    }
    count = Self.small
  }

  /// Returns the size to which the engine extends a file of `fileCount` bytes before reading it.
  func extended(_ fileCount: Int) -> Int {
    if fileCount >= count, fileCount % count == 0 { return fileCount }
    return max(count, (fileCount / count + 1) * count)
  }

  /// Returns how many bytes a file of `fileCount` bytes has more than whole pages, or less
  /// (negative).
  ///
  /// The result is 0 above a quarter of a page: the file was then more likely cut than had bytes
  /// inserted or removed.
  func displacement(of fileCount: Int) -> Int {
    let rest = fileCount % count
    if rest <= count / 4 { return fileCount < count ? 0 : rest }
    return count - rest <= count / 4 ? rest - count : 0
  }
}
