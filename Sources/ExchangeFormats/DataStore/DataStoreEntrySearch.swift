import KVBytes

/// Recognizes entries by their form, to find one after bytes that are not.
///
/// A message of protobuf can hold the same entry in many forms. Libraries write one: the key, then a
/// value with one member, and no more bytes than needed.
struct DataStoreEntrySearch {
  private typealias Member = DataStoreField.Member

  /// The number of bytes that are still checked as texts, or read in vain; the lengths in a hostile
  /// file overlap.
  private var checkable: Int

  /// Creates a search in `count` bytes.
  init(count: Int) { checkable = 16 * count }

  /// Counts bytes that were read in vain, because an error follows.
  ///
  /// After too many of them, no entry is found.
  mutating func count(inVain range: Range<Int>) { checkable -= range.count }

  /// Returns the start of the first entry after `start` that has a key.
  mutating func next(after start: Int, in bytes: Span<UInt8>) -> Int? {
    let tag = [UInt8(DataStoreField.entry << 3 | 2)]
    var next = start + 1
    while next < bytes.count, checkable > 0,
      let offset = bytes.firstOccurrence(of: tag.storageSpan, in: next..<bytes.count)
    {
      if let key = Self.parts(at: offset, in: bytes)?.key, !key.isEmpty,
        isEntry(at: offset, in: bytes)
      {
        return offset
      }
      next = offset + 1
    }
    return nil
  }

  /// Returns whether an entry in the form that libraries write begins at `start`.
  mutating func isEntry(at start: Int, in bytes: Span<UInt8>) -> Bool {
    guard let (key, value) = Self.parts(at: start, in: bytes), !value.isEmpty,
      isMember(value, in: bytes)
    else { return false }
    return isText(key, in: bytes)
  }

  /// Returns the key and the value of what may be an entry at `start`.
  private static func parts(
    at start: Int, in bytes: Span<UInt8>
  ) -> (key: Range<Int>, value: Range<Int>)? {
    guard let entry = field(DataStoreField.entry, at: start, bytes, upTo: bytes.count),
      let key = field(DataStoreField.key, at: entry.lowerBound, bytes, upTo: entry.upperBound),
      let value = field(DataStoreField.value, at: key.upperBound, bytes, upTo: entry.upperBound),
      value.upperBound == entry.upperBound
    else { return nil }
    return (key, value)
  }

  private mutating func isMember(_ value: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    let tag = UInt64(bytes[value.lowerBound])
    let content = value.lowerBound + 1
    switch tag {
    case Member.bool << 3: return value.count == 2 && bytes[content] < 2
    case Member.float << 3 | 5: return value.count == 5
    case Member.double << 3 | 1: return value.count == 9
    case Member.int32 << 3, Member.int64 << 3:
      return Self.number(at: content, bytes, upTo: value.upperBound)?.end == value.upperBound
    case Member.string << 3 | 2, Member.bytes << 3 | 2, Member.set << 3 | 2:
      guard let range = Self.field(tag >> 3, at: value.lowerBound, bytes, upTo: value.upperBound),
        range.upperBound == value.upperBound
      else { return false }
      return tag >> 3 == Member.bytes
        || (tag >> 3 == Member.string ? isText(range, in: bytes) : areTexts(range, in: bytes))
    default: return false
    }
  }

  private mutating func areTexts(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      guard let text = Self.field(DataStoreField.text, at: offset, bytes, upTo: range.upperBound),
        isText(text, in: bytes)
      else { return false }
      offset = text.upperBound
    }
    return true
  }

  private mutating func isText(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    checkable -= range.count
    return bytes.text(in: range) != nil
  }

  /// Returns the range of the content of the field `number`, if one of bytes begins at `start`.
  private static func field(
    _ number: UInt64, at start: Int, _ bytes: Span<UInt8>, upTo end: Int
  ) -> Range<Int>? {
    guard start < end, bytes[start] == UInt8(number << 3 | 2),
      let (count, start) = self.number(at: start + 1, bytes, upTo: end),
      count <= UInt64(end - start)
    else { return nil }
    return start..<start + Int(count)
  }

  /// Returns the number at `start` and its end, if it has no more bytes than it needs.
  private static func number(
    at start: Int, _ bytes: Span<UInt8>, upTo end: Int
  ) -> (value: UInt64, end: Int)? {
    guard start < end else { return nil }
    var input = ByteCursor(bytes, in: start..<end)
    guard let value = try? input.readVarint(),
      input.offset == start + 1 || bytes[input.offset - 1] != 0
    else { return nil }
    return (value, input.offset)
  }
}
