/// The page size of the device that a store was written on, and what it does to file sizes.
struct PageSize: Hashable, Sendable {
  /// Bytes in a page.
  let count: Int

  /// The page size of a store whose meta file has `metaCount` bytes: the engine makes it one page.
  init(metaCount: Int) { count = metaCount == 16384 ? 16384 : 4096 }

  /// How long the engine makes a file of `fileCount` bytes before it reads it.
  func extended(_ fileCount: Int) -> Int {
    if fileCount >= count, fileCount % count == 0 { return fileCount }
    return max(count, (fileCount / count + 1) * count)
  }

  /// How many bytes a file of `fileCount` has more than whole pages, or less: up to a quarter of a page,
  /// beyond which it is likelier cut than that bytes were put in or taken out.
  func displacement(of fileCount: Int) -> Int {
    let rest = fileCount % count
    if rest <= count / 4 { return fileCount < count ? 0 : rest }
    return count - rest <= count / 4 ? rest - count : 0
  }
}
