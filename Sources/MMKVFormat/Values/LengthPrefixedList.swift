import KVBytes
import KVModel

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
  /// Whether each length, read as a character, is a control character.
  let hasControlLengths: Bool
  /// Whether there are several elements, and all begin with the same bytes, as URLs do.
  private let isAlike: Bool

  /// The number of bytes with which elements that are alike begin.
  private static let headCount = 4
  /// What a URL begins with.
  private static let schemes: [[UInt8]] = [Array("http://".utf8), Array("https://".utf8)]

  /// Parses the elements, which must fill `content` exactly; `nil` if they do not.
  init?(_ content: Span<UInt8>) {
    var count = 0
    var filledCount = 0
    var isPrintable = true
    var isUniform = true
    var hasControlLengths = true
    var uniform: Int?
    var head: UInt32?
    var isAlike = true
    var offset = 0
    while let element = Self.element(in: content, at: offset) {
      count += 1
      let isShort = element.count < Self.headCount
      let own = isShort ? nil : content.integer(UInt32.self, at: element.lowerBound)
      isAlike = isAlike && !isShort && own == head ?? own
      head = own
      hasControlLengths = hasControlLengths && content[offset] < UInt8(ascii: " ")
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
    self.hasControlLengths = hasControlLengths
    self.isAlike = isAlike && count > 1
  }

  /// Returns whether a length, as a character, occurs in no element.
  ///
  /// In a text that its own characters divide exactly by chance, those characters mostly occur more
  /// than once. The first one counts only if it is neither a letter nor a digit, as many texts begin
  /// with one that is a capital or the only one.
  func hasForeignLength(_ content: Span<UInt8>) -> Bool {
    var inElements = (low: UInt64(0), high: UInt64(0))
    var lengths = (low: UInt64(0), high: UInt64(0))
    var offset = 0
    while let element = Self.element(in: content, at: offset) {
      let length = content[offset]
      let isWord =
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(length)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(length | 0x20)
      if offset > 0 || !isWord { Self.insert(length, into: &lengths) }
      for index in element { Self.insert(content[index], into: &inElements) }
      offset = element.upperBound
    }
    return lengths.low & ~inElements.low != 0 || lengths.high & ~inElements.high != 0
  }

  private static func insert(_ byte: UInt8, into set: inout (low: UInt64, high: UInt64)) {
    if byte < 64 { set.low |= 1 << UInt64(byte) } else { set.high |= 1 << UInt64(byte & 63) }
  }

  /// Returns whether the elements show that they are such: their lengths are control characters,
  /// several begin alike, or one is a URL or JSON.
  ///
  /// A text is not divided like that by chance. Few texts begin with a tab or a line break, and then
  /// that is hardly ever the length of the rest.
  func isEvident(_ content: Span<UInt8>) -> Bool {
    if hasControlLengths { return count > 0 }
    guard count == 1, let element = Self.element(in: content, at: 0) else { return isAlike }
    let text = content.extracting(element)
    let isURL = Self.schemes.contains { scheme in
      text.count > scheme.count
        && text.extracting(first: scheme.count).isEqual(to: scheme.storageSpan)
    }
    return isURL || JSONSyntax.isContainer(text)
  }

  /// Returns whether a real list would have this many elements this short.
  ///
  /// Otherwise coincidence or a crafted file is more likely: a run of zeros is a list of empty
  /// strings, which take 16 bytes of memory each. `average` is the least average number of bytes
  /// per element, including its length.
  func isPlausible(_ content: Span<UInt8>, average: Int) -> Bool {
    count <= 1024 || content.count / count >= average
  }

  /// Returns whether all elements are UTF-8.
  func isUTF8(_ content: Span<UInt8>) -> Bool {
    var offset = 0
    while let element = Self.element(in: content, at: offset) {
      if !content.extracting(element).isUTF8 { return false }
      offset = element.upperBound
    }
    return true
  }

  /// Returns the elements within the first `limit` bytes as strings; `nil` if any element is not
  /// UTF-8.
  func texts(_ content: Span<UInt8>, keeping limit: Int) -> [String]? {
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
  func bytes(_ content: Span<UInt8>, keeping limit: Int) -> [[UInt8]] {
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
