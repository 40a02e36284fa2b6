/// The structure of a list of strings or byte strings.
///
///     offset  count  field
///          0   1–10  length  varint
///               n    element
///                    …       the next length
struct LengthPrefixedList {
  /// The number of elements.
  let count: Int
  /// The number of elements that are not empty.
  let filledCount: Int
  /// Whether no element has a control character other than tabs and line breaks.
  let isPrintable: Bool
  /// Whether all elements have the same number of bytes.
  let isUniform: Bool

  /// Parses the elements, which must fill `content` exactly; `nil` if they do not.
  init?(_ content: Span<UInt8>) {
    var count = 0
    var filledCount = 0
    var isPrintable = true
    var isUniform = true
    var uniform: Int?
    var offset = 0
    while let element = Self.element(in: content, at: offset) {
      count += 1
      filledCount += element.isEmpty ? 0 : 1
      isPrintable = isPrintable && content.extracting(element).controlCount == 0
      isUniform = isUniform && element.count == uniform ?? element.count
      uniform = element.count
      offset = element.upperBound
    }
    guard offset == content.count else { return nil }
    self.count = count
    self.filledCount = filledCount
    self.isPrintable = isPrintable
    self.isUniform = isUniform
  }

  /// Returns whether a real list would have this many elements this short.
  ///
  /// Otherwise coincidence or a crafted file is more likely: a run of zeros is a list of empty
  /// strings, which take 16 bytes of memory each. `average` is the least average number of bytes
  /// per element, including its length.
  func isPlausible(_ content: Span<UInt8>, average: Int) -> Bool {
    count <= 1024 || content.count / count >= average
  }

  /// Returns the elements within the first `limit` bytes as strings; `nil` if any element is not
  /// UTF-8.
  func texts(_ content: Span<UInt8>, keeping limit: Int = .max) -> [String]? {
    var texts: [String] = []
    texts.reserveCapacity(min(count, limit))
    var offset = 0
    while let element = Self.element(in: content, at: offset) {
      let isKept = element.upperBound <= limit
      guard let text = content.extracting(element).text(keeping: isKept ? .max : 0) else {
        return nil
      }
      if isKept { texts.append(text) }
      offset = element.upperBound
    }
    return texts
  }

  /// Returns the elements within the first `limit` bytes.
  func bytes(_ content: Span<UInt8>, keeping limit: Int = .max) -> [[UInt8]] {
    var elements: [[UInt8]] = []
    elements.reserveCapacity(min(count, limit))
    var offset = 0
    while let element = Self.element(in: content, at: offset), element.upperBound <= limit {
      elements.append(content.extracting(element).copy)
      offset = element.upperBound
    }
    return elements
  }

  /// Returns the range of the element whose length is at `offset`.
  private static func element(in content: Span<UInt8>, at offset: Int) -> Range<Int>? {
    guard let (length, start) = content.minimalVarint(at: offset),
      let count = Int(exactly: length), count <= content.count - start
    else { return nil }
    return start..<(start + count)
  }
}
