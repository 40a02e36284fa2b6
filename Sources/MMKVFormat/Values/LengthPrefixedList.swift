/// The elements of a list of texts, or of bytes.
///
///     offset  count  field
///          0   1–10  length  varint
///               n    element
///                    …       the next length
struct LengthPrefixedList {
  /// How many elements there are.
  let count: Int
  /// How many of them are not empty.
  let filledCount: Int
  /// Whether no element has a control character other than tabs and line breaks.
  let isPrintable: Bool
  /// Whether all elements have as many bytes as the first.
  let isUniform: Bool

  /// The elements that fill `content` exactly; `nil` if they do not.
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

  /// Whether a list of this many elements would have elements so short, or whether chance and ill
  /// will are likelier: a run of zeros is a list of empty texts, which take 16 bytes of memory each.
  ///
  /// `average` is how many bytes an element takes with its length.
  func isPlausible(_ content: Span<UInt8>, average: Int) -> Bool {
    count <= 1024 || content.count / count >= average
  }

  /// The elements within the first `limit` bytes as text; `nil` if one of all is not UTF-8.
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

  /// The elements within the first `limit` bytes as they are.
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

  /// The bytes of the element whose length is at `offset`.
  private static func element(in content: Span<UInt8>, at offset: Int) -> Range<Int>? {
    guard let (length, start) = content.minimalVarint(at: offset),
      let count = Int(exactly: length), count <= content.count - start
    else { return nil }
    return start..<(start + count)
  }
}
