import KVBytes

/// The table of objects of a binary property list.
///
///     offset  count  field
///          0      8  magic      "bplist00"
///          8         objects    a marker (kind in the high four bits, count in the low), content
///                    table      an offset for each object, big-endian
///        −32      6             unused
///        −26      1  width      bytes of an offset in the table
///        −25      1  width      bytes of a reference, the index of an object
///        −24      8  count      of objects
///        −16      8  top        the reference of the outermost object
///         −8      8  table      offset of the table
///
/// The objects are not copied; each is read in place. No number in the file is trusted.
///
/// Reference: `CFBinaryPList.c` of CoreFoundation.
package struct BinaryPropertyList {
  /// The kind of an object, in the high four bits of its marker.
  package enum Kind {
    package static let singleton: UInt8 = 0x0
    package static let integer: UInt8 = 0x1
    package static let real: UInt8 = 0x2
    package static let date: UInt8 = 0x3
    package static let data: UInt8 = 0x4
    package static let ascii: UInt8 = 0x5
    package static let utf16: UInt8 = 0x6
    package static let uid: UInt8 = 0x8
    package static let array: UInt8 = 0xa
    package static let dictionary: UInt8 = 0xd
  }

  /// Where the objects begin.
  private enum Table {
    /// The offsets are in the file, each of `width` bytes, from `start` on.
    case stored(start: Int, width: Int)
    /// The offsets were found in another way; `nil` for an object that was not.
    case found([Int?])
  }

  /// The marker of an object, and the offset of its content.
  package struct Header {
    /// The kind of the object: the high four bits of the marker.
    package let kind: UInt8
    /// The number of elements, or whatever the low four bits state for objects of other kinds.
    package let count: Int
    /// The offset of the marker.
    package let offset: Int
    /// The offset of the content, which may lie outside the bytes.
    package let start: Int

    /// Creates a marker of `count` elements or bytes.
    package init(kind: UInt8, count: Int, offset: Int, start: Int) {
      self.kind = kind
      self.count = count
      self.offset = offset
      self.start = start
    }
  }

  /// The number of bytes of a trailer.
  package static let trailerCount = 32
  /// The offset of the first object, which is the length of the magic.
  package static let firstOffset = 8

  /// The outermost object.
  package let topObject: Int
  /// The number of bytes of a reference.
  package let referenceWidth: Int
  /// The number of objects.
  package let objectCount: Int
  /// The end of the objects, which is where the table begins.
  package let objectsEnd: Int
  private let table: Table

  /// Reads the trailer at the end; returns `nil` if the table does not lie within `bytes`.
  package init?(_ bytes: Span<UInt8>) {
    self.init(bytes, trailerAt: bytes.count - Self.trailerCount)
  }

  /// Reads the trailer at `trailer`; returns `nil` if there is none, or if the table does not lie
  /// between the objects and the trailer.
  package init?(_ bytes: Span<UInt8>, trailerAt trailer: Int) {
    guard trailer >= Self.firstOffset,
      let offsetWidth = bytes.bigEndian(at: trailer + 6, width: 1),
      let referenceWidth = bytes.bigEndian(at: trailer + 7, width: 1),
      let objectCount = bytes.bigEndian(at: trailer + 8, width: 8),
      let topObject = bytes.bigEndian(at: trailer + 16, width: 8),
      let tableStart = bytes.bigEndian(at: trailer + 24, width: 8),
      (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
      tableStart <= trailer, objectCount <= (trailer - tableStart) / offsetWidth
    else { return nil }
    self.topObject = topObject
    self.referenceWidth = referenceWidth
    self.objectCount = objectCount
    objectsEnd = tableStart
    table = .stored(start: tableStart, width: offsetWidth)
  }

  /// Creates a list with references of `referenceWidth` bytes whose objects begin at `offsets`;
  /// they end before `end`.
  package init(objectsAt offsets: [Int?], end: Int, referenceWidth: Int, topObject: Int) {
    self.topObject = topObject
    self.referenceWidth = referenceWidth
    objectCount = offsets.count
    objectsEnd = end
    table = .found(offsets)
  }

  /// The range of the table, if it is in the file.
  package var tableRange: Range<Int>? {
    guard case .stored(let start, let width) = table else { return nil }
    return start..<(start + width * objectCount)
  }

  /// Returns the bytes of the table that contain the offset of `object`; `nil` if there are none.
  package func offsetRange(of object: Int) -> Range<Int>? {
    guard object >= 0, object < objectCount, case .stored(let tableStart, let width) = table else {
      return nil
    }
    let start = tableStart + object * width
    return start..<(start + width)
  }

  /// Returns where the table says that `object` begins; `nil` if it does not, or not between the
  /// magic and the table.
  package func offset(of object: Int, _ bytes: Span<UInt8>) -> Int? {
    guard object >= 0, object < objectCount else { return nil }
    let offset: Int? =
      switch table {
      case .stored(let start, let width):
        bytes.bigEndian(at: start + object * width, width: width)
      case .found(let offsets): offsets[object]
      }
    guard let offset, offset >= Self.firstOffset, offset < objectsEnd else { return nil }
    return offset
  }

  /// Returns the object that is the value for `key` in the dictionary `object`.
  package func value(of key: String, in object: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let header = header(of: object, bytes), header.kind == Kind.dictionary else { return nil }
    for index in 0..<header.count {
      guard let name = element(index, of: header, bytes) else { return nil }
      if isText(name, key, bytes) { return element(header.count + index, of: header, bytes) }
    }
    return nil
  }

  /// Returns the object that is the value of the first entry of the dictionary `object`.
  package func firstValue(in object: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let header = header(of: object, bytes), header.kind == Kind.dictionary, header.count > 0
    else { return nil }
    return element(header.count, of: header, bytes)
  }

  /// Returns the element of the array `objects` that the UID `object` refers to.
  package func target(of object: Int, in objects: Int, _ bytes: Span<UInt8>) -> Int? {
    guard let uid = header(of: object, bytes), uid.kind == Kind.uid,
      let index = bytes.bigEndian(at: uid.start, width: uid.count + 1),
      let array = header(of: objects, bytes), array.kind == Kind.array, index < array.count
    else { return nil }
    return element(index, of: array, bytes)
  }

  /// Returns the text of `object` if it is ASCII and has at most `maximumCount` characters.
  package func asciiText(_ object: Int, upTo maximumCount: Int, _ bytes: Span<UInt8>) -> String? {
    guard let header = header(of: object, bytes), header.kind == Kind.ascii,
      header.count <= maximumCount, header.count <= bytes.count - header.start
    else { return nil }
    return bytes.extracting(header.start..<(header.start + header.count)).text
  }

  private func isText(_ object: Int, _ text: String, _ bytes: Span<UInt8>) -> Bool {
    guard let header = header(of: object, bytes), header.kind == Kind.ascii,
      header.count == text.utf8.count, header.count <= bytes.count - header.start
    else { return false }
    var offset = header.start
    for character in text.utf8 {
      guard bytes[offset] == character else { return false }
      offset += 1
    }
    return true
  }

  /// Returns the reference at `index` in the content of an array or a dictionary.
  package func element(_ index: Int, of header: Header, _ bytes: Span<UInt8>) -> Int? {
    let (distance, overflow) = index.multipliedReportingOverflow(by: referenceWidth)
    guard !overflow, distance <= bytes.count - header.start else { return nil }
    return bytes.bigEndian(at: header.start + distance, width: referenceWidth)
  }

  /// Returns the marker of `object`; `nil` if it does not lie between the magic and the table.
  package func header(of object: Int, _ bytes: Span<UInt8>) -> Header? {
    offset(of: object, bytes).flatMap { Self.header(at: $0, bytes) }
  }

  /// Returns the marker of the object at `offset`; `nil` if it does not lie within the bytes.
  package static func header(at offset: Int, _ bytes: Span<UInt8>) -> Header? {
    guard let marker = bytes.byte(at: offset) else { return nil }
    let kind = marker >> 4
    let count = Int(marker & 0x0f)
    guard count == 0x0f, kind >= Kind.data, kind != Kind.uid else {
      return Header(kind: kind, count: count, offset: offset, start: offset + 1)
    }
    // A count that does not fit in four bits follows as an integer: 0x1n, then 2ⁿ bytes.
    guard let size = bytes.byte(at: offset + 1), size >> 4 == 0x1, size & 0x0f <= 3 else {
      return nil
    }
    let width = 1 << Int(size & 0x0f)
    guard let long = bytes.bigEndian(at: offset + 2, width: width), long <= bytes.count else {
      return nil
    }
    return Header(kind: kind, count: long, offset: offset, start: offset + 2 + width)
  }

  /// Returns the end of the content after `header`, which for a container are references of
  /// `referenceWidth` bytes.
  ///
  /// The end may lie after that of the bytes. The result is `nil` if no value has this marker.
  package static func end(of header: Header, referenceWidth: Int) -> Int? {
    let count = header.count
    let length: Int
    switch header.kind {
    case Kind.singleton where count == 8 || count == 9: length = 0
    case Kind.integer where count <= 4: length = 1 << count
    case Kind.real where count == 2 || count == 3: length = 1 << count
    case Kind.date where count == 3: length = 8
    case Kind.data, Kind.ascii: length = count
    case Kind.utf16: length = 2 * count
    case Kind.uid: length = count + 1
    case Kind.array: length = referenceWidth * count
    case Kind.dictionary: length = 2 * referenceWidth * count
    default: return nil
    }
    return header.start + length
  }
}

extension Span where Element == UInt8 {
  /// Returns the byte at `offset`, or `nil` if that is after the end.
  fileprivate func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[offset] : nil
  }

  /// Returns the big-endian integer of `width` bytes at `offset`; `nil` if it does not lie within
  /// the bytes or does not fit in an `Int`.
  package func bigEndian(at offset: Int, width: Int) -> Int? {
    guard offset >= 0, offset <= count, width > 0, width <= 8, width <= count - offset else {
      return nil
    }
    var number: UInt64 = 0
    for index in offset..<(offset + width) { number = number << 8 | UInt64(self[index]) }
    return Int(exactly: number)
  }
}
