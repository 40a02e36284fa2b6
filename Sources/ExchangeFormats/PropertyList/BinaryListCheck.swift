import KVBytes
import KVModel

/// What CoreFoundation checks when it reads a binary property list.
///
/// That is less than what its writer guarantees: it neither knows where objects end nor whether all
/// are referred to.
///
/// Reference: `__CFBinaryPlistGetTopLevelInfo` and `__CFBinaryPlistCreateObjectFiltered` of
/// CoreFoundation.
enum BinaryListCheck {
  /// Containers may be nested this deep.
  fileprivate static let maximumDepth = 512

  /// Returns whether CoreFoundation reads `bytes` as a list whose outermost value is a dictionary.
  static func isRead(_ bytes: Span<UInt8>) -> Bool {
    guard let trailer = BinaryListTrailer(bytes) else { return false }
    var walk = BinaryListWalk(trailer, bytes.count)
    return walk.isRead(bytes)
  }
}

/// The trailer of a binary property list, which CoreFoundation accepts.
private struct BinaryListTrailer {
  let offsetWidth: Int
  let referenceWidth: Int
  let objectCount: UInt64
  /// Where the objects end, and the table begins.
  let tableStart: Int
  private let topObject: UInt64

  init?(_ bytes: Span<UInt8>) {
    let start = bytes.count - BinaryPropertyList.trailerCount
    // The magic, and at least one byte of objects.
    guard start >= BinaryPropertyList.firstOffset + 1,
      PropertyListReader.version.indices.allSatisfy({ bytes[$0] == PropertyListReader.version[$0] })
    else { return nil }
    offsetWidth = Int(bytes[start + 6])
    referenceWidth = Int(bytes[start + 7])
    objectCount = bytes.lowBigEndian(at: start + 8, width: 8)
    topObject = bytes.lowBigEndian(at: start + 16, width: 8)
    let table = bytes.lowBigEndian(at: start + 24, width: 8)
    guard table < start, table > BinaryPropertyList.firstOffset, topObject < objectCount,
      offsetWidth > 0, referenceWidth > 0
    else { return nil }
    tableStart = Int(table)
    let (size, overflow) = objectCount.multipliedReportingOverflow(by: UInt64(offsetWidth))
    guard !overflow, size == UInt64(start - tableStart),
      referenceWidth >= 8 || objectCount < 1 << (8 * UInt64(referenceWidth)),
      offsetWidth >= 8 || table < 1 << (8 * UInt64(offsetWidth))
    else { return nil }
    for object in 0..<objectCount where offset(of: object, bytes) >= table { return nil }
  }

  /// Returns the offset of `object`, which is less than the number of objects.
  func offset(of object: UInt64, _ bytes: Span<UInt8>) -> UInt64 {
    bytes.lowBigEndian(at: tableStart + Int(object) * offsetWidth, width: offsetWidth)
  }

  /// The offset of the outermost object.
  func top(_ bytes: Span<UInt8>) -> Int { Int(offset(of: topObject, bytes)) }

  /// Returns the offset of the object to which the reference at `position` refers; `nil` if there is
  /// none.
  func target(at position: Int, _ bytes: Span<UInt8>) -> Int? {
    guard position >= BinaryPropertyList.firstOffset, position <= tableStart - referenceWidth else {
      return nil
    }
    let reference = bytes.lowBigEndian(at: position, width: referenceWidth)
    return reference < objectCount ? Int(offset(of: reference, bytes)) : nil
  }
}

/// A walk through the objects of a list, as CoreFoundation goes through them.
private struct BinaryListWalk {
  private typealias Kind = BinaryPropertyList.Kind
  /// `NSSet`, which no property list has.
  private static let set: UInt8 = 0xc
  /// The number of references up to which containers may share bytes.
  private static let sharedCount = 1 << 22

  /// A container of which some elements have been visited.
  private struct Open {
    let offset: Int
    let references: Range<Int>
    /// The number of keys, which come first.
    let keyCount: Int
    var next = 0
  }

  private let trailer: BinaryListTrailer
  private var open: [Open] = []
  /// The containers that are being visited.
  private var path: Set<Int> = []
  /// The containers that were visited.
  private var known: Set<Int> = []
  /// The number of references that are still followed: those of containers that share bytes grow with
  /// the square of the file, and with them the time that CoreFoundation takes.
  private var referencesLeft: Int

  /// Creates a walk through a list of `count` bytes: no more references if none share bytes.
  init(_ trailer: BinaryListTrailer, _ count: Int) {
    self.trailer = trailer
    referencesLeft = max(count, Self.sharedCount)
  }

  mutating func isRead(_ bytes: Span<UInt8>) -> Bool {
    let top = trailer.top(bytes)
    guard top >= BinaryPropertyList.firstOffset, bytes[top] >> 4 == Kind.dictionary,
      visit(top, bytes)
    else { return false }
    while let last = open.indices.last {
      let container = open[last]
      let position = container.references.lowerBound + container.next * trailer.referenceWidth
      guard position < container.references.upperBound else {
        open.removeLast()
        path.remove(container.offset)
        known.insert(container.offset)
        continue
      }
      open[last].next += 1
      referencesLeft -= 1
      guard referencesLeft > 0, open.count <= BinaryListCheck.maximumDepth,
        let target = trailer.target(at: position, bytes), visit(target, bytes)
      else { return false }
      let isKey = container.next < container.keyCount
      if isKey, Self.isContainer(bytes[target] >> 4) { return false }
    }
    return true
  }

  private static func isContainer(_ kind: UInt8) -> Bool {
    kind == Kind.array || kind == Kind.dictionary || kind == set
  }

  /// Begins with the object at `offset`, and returns whether it can be read as far as its own bytes
  /// go.
  private mutating func visit(_ offset: Int, _ bytes: Span<UInt8>) -> Bool {
    if known.contains(offset) { return true }
    guard offset >= BinaryPropertyList.firstOffset, !path.contains(offset) else { return false }
    let marker = bytes[offset]
    let low = Int(marker & 0x0f)
    switch marker >> 4 {
    case Kind.singleton: return low == 0 || low == 8 || low == 9
    case Kind.integer: return low <= 4 && fits(offset + 1, 1 << low)
    case Kind.real: return (low == 2 || low == 3) && fits(offset + 1, 1 << low)
    case Kind.date: return low == 3 && fits(offset + 1, 8)
    case Kind.uid:
      return fits(offset + 1, low + 1)
        && bytes.lowBigEndian(at: offset + 1, width: low + 1) <= UInt32.max
    default: break
    }
    guard let (count, start) = count(at: offset, bytes) else { return false }
    switch marker >> 4 {
    case Kind.data, Kind.ascii: return fits(start, count)
    // There is no memory of no bytes to copy an empty text to.
    case Kind.utf16: return count > 0 && fits(start, count, width: 2)
    case Kind.array, Self.set: return begin(offset, start, count, keyCount: 0)
    case Kind.dictionary: return begin(offset, start, count, keyCount: count)
    default: return false
    }
  }

  private mutating func begin(_ offset: Int, _ start: Int, _ count: Int, keyCount: Int) -> Bool {
    let (all, overflow) = count.addingReportingOverflow(keyCount)
    guard !overflow, fits(start, all, width: trailer.referenceWidth) else { return false }
    let references = start..<(start + all * trailer.referenceWidth)
    open.append(Open(offset: offset, references: references, keyCount: keyCount))
    path.insert(offset)
    return true
  }

  /// Returns the number of elements or characters of the object at `offset`, and where they begin;
  /// `nil` if it does not end before the table.
  private func count(at offset: Int, _ bytes: Span<UInt8>) -> (count: Int, start: Int)? {
    let low = Int(bytes[offset] & 0x0f)
    guard low == 0x0f else { return (low, offset + 1) }
    guard offset + 1 < trailer.tableStart, bytes[offset + 1] >> 4 == Kind.integer else {
      return nil
    }
    let width = 1 << Int(bytes[offset + 1] & 0x0f)
    guard fits(offset + 2, width) else { return nil }
    // CoreFoundation keeps the width in a byte: 256 is 0, and an integer of no bytes is 0.
    let count = bytes.lowBigEndian(at: offset + 2, width: width & 0xff)
    return Int(exactly: count).map { ($0, offset + 2 + width) }
  }

  /// Returns whether `count` elements of `width` bytes fit between `start` and the table.
  private func fits(_ start: Int, _ count: Int, width: Int = 1) -> Bool {
    let room = trailer.tableStart - start
    return room >= 0 && count <= room / width
  }
}

extension Span<UInt8> {
  /// Returns the big-endian integer of `width` bytes at `offset`, or its last 64 bits.
  ///
  /// - Precondition: The bytes are within the span.
  fileprivate func lowBigEndian(at offset: Int, width: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in offset..<(offset + width) { number = number << 8 | UInt64(self[index]) }
    return number
  }
}
