import KVBytes

/// The start tags at which a reader goes on after an error.
struct XMLTags {
  /// The beginnings of the tags, each with its `<`.
  private let beginnings: [[UInt8]]
  /// The spaces and tabs between the start of the line and the tag; `nil` for any.
  private let indentation: Int?

  /// Creates the tags that begin with one of `beginnings`.
  init(_ beginnings: [String]) {
    self.beginnings = beginnings.map { Array($0.utf8) }
    indentation = nil
  }

  /// Creates the tags that begin with `beginning` and are indented least on the lines of `image`.
  ///
  /// Writers indent those within values further. Without indentation, they cannot be told apart, so
  /// there are no tags.
  init(leastIndented beginning: String, in image: FileImage) {
    let beginning = Array(beginning.utf8)
    var least: Int?
    var start = 0
    while let found = image.firstOccurrence(of: beginning, in: start..<image.count) {
      if let own = Self.indentation(of: found, in: image) { least = min(least ?? own, own) }
      start = found + beginning.count
    }
    beginnings = least ?? 0 > 0 ? [beginning] : []
    indentation = least
  }

  /// Returns where the first of the tags from `start` on begins.
  func first(in image: FileImage, from start: Int) -> Int? {
    guard !beginnings.isEmpty else { return nil }
    var next = start
    while next < image.count,
      let offset = image.firstOccurrence(of: Self.opening, in: next..<image.count)
    {
      let isTag = beginnings.contains { beginning in
        image.count - offset >= beginning.count
          && beginning.indices.allSatisfy { image[offset + $0] == beginning[$0] }
      }
      if isTag, indentation.map({ $0 == Self.indentation(of: offset, in: image) }) ?? true {
        return offset
      }
      next = offset + 1
    }
    return nil
  }

  private static let opening = [UInt8(ascii: "<")]

  /// Returns the number of spaces and tabs before `offset`, or `nil` if other bytes of the line precede.
  private static func indentation(of offset: Int, in image: FileImage) -> Int? {
    var start = offset
    while start > 0, image[start - 1] == 0x20 || image[start - 1] == 0x09 { start -= 1 }
    return start == 0 || image[start - 1] == 0x0a || image[start - 1] == 0x0d ? offset - start : nil
  }
}
