/// What is on the disk for certain, and what may be on it: pages and lengths reach it in any order.
///
/// The model: creating, renaming and deleting a file is there at once, in order; a page of 4096 bytes
/// and a length are there when the engine has waited for the file, and before that each on its own, or
/// not. A page is as it was when it was last waited for, or as it is now.
package struct PowerLoss: Sendable {
  /// How many parts there may be for all subsets of them to be looked at.
  package static let exhaustiveCount = 12
  private static let pageCount = 4096

  /// What is on the disk for certain.
  private var durable = DiskImage()

  /// A disk without files.
  package init() {}

  /// Takes in what an engine did.
  ///
  /// - Parameters:
  ///   - event: What it did.
  ///   - image: The files after that.
  package mutating func follow(_ event: DiskEvent, to image: DiskImage) {
    switch event {
    case .store, .resize: break
    case .create, .rename, .remove: durable.apply(event)
    case .sync(let name):
      guard let file = image[name] else { return }
      durable.apply(.resize(name: name, count: file.bytes.count))
      durable.replace(name, with: file.bytes)
    }
  }

  /// Takes in what an engine did when it opened its store, and returns the files after that.
  mutating func image(after opening: [DiskEvent]) -> DiskImage {
    var image = DiskImage()
    for event in opening {
      image.apply(event)
      follow(event, to: image)
    }
    return image
  }

  /// What was stored and may not be on the disk.
  package func dirtyParts(of image: DiskImage) -> [DirtyPart] {
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

  /// The states of the disk after `events` events of an operation: every subset of what is dirty, or
  /// `limit` of them drawn by chance where there are more.
  package func states(
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
    // What lost everything, and what lost one part, is looked at before chance decides.
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
      // A page beyond the length that reached the disk is not there.
      let page = start..<max(start, min(start + Self.pageCount, new.count, old.count))
      guard !page.isEmpty else { continue }
      result.apply(
        .store(name: file, offset: start, bytes: Array(new[page]), isWord: false))
    }
    return CrashState(cause: .powerLoss(events: events, reached: reached), image: result)
  }

  /// The bytes of a page, with zeros where the file has none.
  private static func page(_ bytes: [UInt8], _ range: Range<Int>) -> [UInt8] {
    let present = bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)]
    return present + [UInt8](repeating: 0, count: range.count - present.count)
  }
}
