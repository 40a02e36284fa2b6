/// The page size of the device that a store was written on, and how it determines file sizes.
struct PageSize: Hashable, Sendable {
  /// The number of bytes in a page.
  let count: Int

  /// Creates the page size of a store whose meta file has `metaCount` bytes: the engine makes that
  /// file one page.
  init(metaCount: Int) { count = metaCount == 16384 ? 16384 : 4096 }

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
