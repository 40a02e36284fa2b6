/// A model of what is on disk for certain, and what may be: pages and lengths reach the disk in any
/// order.
///
/// Creating, renaming and deleting a file take effect at once and in order. A page of 4,096 bytes
/// or a length is certainly on disk after the engine has synced the file. Before that, each may be
/// on disk or not, independently. A page is either as it was last synced or as it is now.
struct PowerLoss: Sendable {
  /// The number of dirty parts up to which all subsets may be examined.
  static let exhaustiveCount = 12
  private static let pageCount = 4096

  /// The files that are on disk for certain.
  private var durable = DiskImage()

  /// Creates a disk without files.
  init() {}

  /// Follows a change that an engine made.
  ///
  /// - Parameters:
  ///   - event: The change.
  ///   - image: The files after it.
  mutating func follow(_ event: DiskEvent, to image: DiskImage) {
    switch event {
    case .store, .append, .resize: break
    case .create, .rename, .remove: durable.apply(event)
    case .sync(let name):
      guard let file = image[name] else { return }
      durable.apply(.resize(name: name, count: file.bytes.count))
      durable.replace(name, with: file.bytes)
    }
  }

  /// Follows the changes that an engine made when it opened its store, and returns the files after
  /// them.
  mutating func image(after opening: [DiskEvent]) -> DiskImage {
    var image = DiskImage()
    for event in opening {
      image.apply(event)
      follow(event, to: image)
    }
    return image
  }

  /// Returns the parts of `image` that may not be on disk.
  func dirtyParts(of image: DiskImage) -> [DirtyPart] {
    image.files.flatMap { file in
      let old = durable[file.name]?.bytes ?? []
      var parts: [DirtyPart] = []
      if old.count != file.bytes.count { parts.append(.length(file: file.name)) }
      for start in stride(from: 0, to: file.bytes.count, by: Self.pageCount) {
        let page = start..<min(start + Self.pageCount, file.bytes.count)
        if Self.page(old, page) != Self.page(file.bytes, page) {
          parts.append(.page(file: file.name, number: start / Self.pageCount))
        }
      }
      return parts
    }
  }

  /// Returns the possible states of the disk after `events` events of an operation.
  ///
  /// These are all subsets of the dirty parts, or a sample of `limit` subsets if there are more.
  func states(
    of image: DiskImage, events: Int, limit: Int, using generator: inout SeededGenerator
  ) -> [CrashState] {
    let parts = dirtyParts(of: image)
    guard !parts.isEmpty else { return [] }
    let all = parts.count <= Self.exhaustiveCount ? 1 << parts.count : Int.max
    if all <= limit {
      return (0..<all).map { number in
        state(of: image, events, parts.indices.filter { number >> $0 & 1 == 1 }.map { parts[$0] })
      }
    }
    // The sample always includes the subset that lost everything and those that lost one part.
    var subsets: [[DirtyPart]] = [[]]
    subsets += parts.indices.prefix(limit / 2).map { left in
      parts.indices.filter { $0 != left }.map { parts[$0] }
    }
    while subsets.count < limit {
      subsets.append(parts.filter { _ in Bool.random(using: &generator) })
    }
    return subsets.map { state(of: image, events, $0) }
  }

  private func state(of image: DiskImage, _ events: Int, _ reached: [DirtyPart]) -> CrashState {
    var result = durable
    for part in reached {
      if case .length(let file) = part, let new = image[file] {
        result.apply(.resize(name: file, count: new.bytes.count))
      }
    }
    for part in reached {
      guard case .page(let file, let number) = part, let new = image[file]?.bytes,
        let old = result[file]?.bytes
      else { continue }
      let start = number * Self.pageCount
      // A page beyond the length that reached the disk does not exist.
      let page = start..<max(start, min(start + Self.pageCount, new.count, old.count))
      guard !page.isEmpty else { continue }
      result.apply(
        .store(name: file, offset: start, bytes: Array(new[page]), isWord: false))
    }
    return CrashState(cause: .powerLoss(events: events, reached: reached), image: result)
  }

  /// Returns the bytes of a page, padded with zeros beyond the end of the file.
  private static func page(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8] {
    let present = bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)]
    return present + [UInt8](repeating: 0, count: range.count - present.count)
  }
}
