import KVBytes
import KVModel

/// Makes values from the objects of a binary property list.
///
/// Several objects can refer to the same one, so a few bytes can expand to any number of values.
/// Therefore, the reader makes no more values than a file of this size can have without repeating
/// containers.
struct BinaryValueReader {
  private typealias Kind = BinaryPropertyList.Kind

  /// The number of values, and of bytes of strings and data, that may be made for each byte of the
  /// file.
  private static let factor = 8
  /// The number of values up to which a file may have more of them than bytes.
  ///
  /// A file has more only if containers are repeated, and a value takes many times as much memory as
  /// a reference to it.
  private static let repeatedCount = 1 << 21
  /// The number of bytes of shared strings and data that may be made for each byte of the file.
  ///
  /// In addition, `sharedCount` bytes may be made in total. There is a limit because each entry is
  /// written with its own copy.
  private static let sharedFactor = 100
  private static let sharedCount = 1 << 26

  private let list: BinaryPropertyList
  private let image: FileImage
  /// The bytes that may be damaged.
  private let damage: ByteRanges
  /// Where objects end whose own lengths are wrong.
  private let ends: [Int: Int]
  /// The number of values that may be made, and how many of them are left.
  private let valueLimit: Int
  private var valuesLeft: Int
  private var bytesLeft: Int
  private var sharedBytesLeft: Int
  /// Strings and data by object, each of which is made only once.
  private var known: [Int: Value] = [:]
  /// The containers around the value that is being made.
  private var path: [Int] = []
  /// What was noticed since this was last cleared.
  var notes = ValueNotes()

  /// Creates a reader of the objects of `list`.
  init(_ list: BinaryPropertyList, in image: FileImage) {
    self.init(list, in: image, damage: ByteRanges([]), ends: [:])
  }

  /// Creates a reader of `objects`, some of which may be damaged.
  init(_ objects: BinaryObjects, in image: FileImage) {
    self.init(objects.list, in: image, damage: objects.damage, ends: objects.ends)
  }

  private init(
    _ list: BinaryPropertyList, in image: FileImage, damage: ByteRanges, ends: [Int: Int]
  ) {
    self.list = list
    self.image = image
    self.damage = damage
    self.ends = ends
    valueLimit = max(image.count, min(Self.factor * image.count, Self.repeatedCount))
    valuesLeft = valueLimit
    bytesLeft = Self.factor * image.count
    sharedBytesLeft = Self.sharedFactor * image.count + Self.sharedCount
  }

  /// Returns the keys and values of the outermost dictionary.
  ///
  /// Returns `nil` if the outermost value is not a dictionary.
  func topMembers() throws(PropertyListError) -> [(key: Int, value: Int)]? {
    let header = try self.header(list.topObject)
    guard header.kind == Kind.dictionary else { return nil }
    return try members(header)
  }

  /// Returns the range of the bytes of `object`, which for a container are those of its references.
  func range(of object: Int) -> Range<Int>? {
    list.header(of: object, image.storageSpan).map { range(of: $0) }
  }

  private func range(of header: BinaryPropertyList.Header) -> Range<Int> {
    let end = BinaryPropertyList.end(of: header, referenceWidth: list.referenceWidth)
    return header.offset..<min(max(header.start, end ?? 0), max(header.start, image.count))
  }

  /// Returns the string of `object`.
  mutating func text(_ object: Int) throws(PropertyListError) -> String {
    guard case .string(let text) = try value(object) else {
      throw error(object, "a key is not a string")
    }
    return text
  }

  /// Returns the value of `object`.
  mutating func value(_ object: Int) throws(PropertyListError) -> Value {
    valuesLeft -= 1
    guard valuesLeft > 0 else {
      throw error(
        object,
        "the objects refer to each other as more than \(valueLimit.counted("value", "values"))",
        isFinal: true)
    }
    let header = try self.header(object)
    note(header)
    if let value = known[object] {
      try share(object)
      return value
    }
    switch header.kind {
    case Kind.array, Kind.dictionary: return try container(object, header)
    case _ where ends[object] != nil: throw wrongLength(object, header)
    case Kind.singleton where header.count == 0:
      noteOdd(object, "there is a null, which no property list has")
      return .null
    case Kind.singleton where header.count == 8: return .bool(false)
    case Kind.singleton where header.count == 9: return .bool(true)
    case Kind.integer: return try integer(object, header)
    case Kind.real where header.count == 2:
      let bits = try number(object, header, width: 4)
      return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case Kind.real where header.count == 3:
      return .double(Double(bitPattern: try number(object, header, width: 8)))
    case Kind.date where header.count == 3:
      let seconds = Double(bitPattern: try number(object, header, width: 8))
      return .date(seconds + PropertyListFormat.epoch)
    case Kind.data, Kind.ascii, Kind.utf16:
      let value = try content(object, header)
      known[object] = value
      return value
    case Kind.uid: return try reference(object, header)
    default:
      throw error(object, "no value has the marker \(Hexadecimal.text(marker(header), digits: 2))")
    }
  }

  /// Notes whether the bytes of an object may be damaged.
  private mutating func note(_ header: BinaryPropertyList.Header) {
    let range = range(of: header)
    guard damage.touch(range) else { return }
    notes.isDamaged = true
    notes.damaged.append(range)
  }

  /// Notes that `object` is as no writer writes it, and whether CoreFoundation refuses it.
  private mutating func noteOdd(_ object: Int, _ message: String, isRefused: Bool = false) {
    notes.oddities.add(
      PropertyListOddity(
        range: range(of: object) ?? image.range, message: message, isRefused: isRefused))
  }

  private func wrongLength(
    _ object: Int, _ header: BinaryPropertyList.Header
  ) -> PropertyListError {
    let count = (ends[object] ?? header.offset) - header.offset
    return error(
      object,
      "it has \(range(of: header).count.inBytes) by its own length, but the next object "
        + "begins after \(count.grouped)")
  }

  /// Returns a reference within an archive.
  private func reference(
    _ object: Int, _ header: BinaryPropertyList.Header
  ) throws(PropertyListError) -> Value {
    let number = try number(object, header, width: header.count + 1)
    guard header.count < 8, number <= UInt32.max else {
      throw error(object, "a reference (UID) is a number of up to four bytes")
    }
    return .archiveReference(UInt32(truncatingIfNeeded: number))
  }

  /// Counts the bytes of a string or data to which there is another reference.
  private mutating func share(_ object: Int) throws(PropertyListError) {
    sharedBytesLeft -= range(of: object)?.count ?? 0
    guard sharedBytesLeft >= 0 else {
      let limit = Self.sharedFactor * image.count + Self.sharedCount
      throw error(
        object,
        "repeated references to texts and data add up to more than \(limit.grouped) bytes",
        isFinal: true)
    }
  }

  private func marker(_ header: BinaryPropertyList.Header) -> UInt8 { image[header.offset] }

  private mutating func integer(
    _ object: Int, _ header: BinaryPropertyList.Header
  ) throws(PropertyListError) -> Value {
    switch header.count {
    case 0, 1, 2: return .int64(Int64(try number(object, header, width: 1 << header.count)))
    case 3: return .int64(Int64(bitPattern: try number(object, header, width: 8)))
    case 4:
      let high = try number(object, header, width: 8)
      let low = try number(object, header, width: 8, skipping: 8)
      let signed = Int64(bitPattern: low)
      if high == 0 { return signed >= 0 ? .int64(signed) : .uint64(low) }
      noteOdd(object, "of an integer of 16 bytes, the first 8 are not read")
      return signed >= 0 ? .int64(signed) : .uint64(low)
    default: throw error(object, "2^\(header.count) bytes is not a valid integer size")
    }
  }

  private mutating func content(
    _ object: Int, _ header: BinaryPropertyList.Header
  ) throws(PropertyListError) -> Value {
    let width = header.kind == Kind.utf16 ? 2 : 1
    let left = room(after: header)
    guard header.count <= left / width else {
      throw error(
        object,
        "it claims \(header.count.grouped) × \(width.grouped) bytes, but only \(left.grouped) are left"
      )
    }
    bytesLeft -= width * header.count
    guard bytesLeft >= 0 else {
      throw error(
        object,
        "texts overlap: they add up to more than \((Self.factor * image.count).inBytes)",
        isFinal: true)
    }
    let range = header.start..<(header.start + width * header.count)
    switch header.kind {
    case Kind.data: return Fitting.data(image.bytes(in: range))
    case Kind.ascii:
      let bytes = image.bytes(in: range)
      if bytes.allSatisfy({ $0 < 0x80 }) { return .string(String(decoding: bytes, as: UTF8.self)) }
      noteOdd(object, "a text that should be ASCII is not, and is read as Latin-1")
      return .string(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    default:
      let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
        UInt16(image[$0]) << 8 | UInt16(image[$0 + 1])
      }
      if units.isEmpty { noteOdd(object, "an empty text is in UTF-16", isRefused: true) }
      if let text = String(utf16: units) { return .string(text) }
      // Foundation stores half of a surrogate pair as it is, such as of a text that was cut.
      notes.halves.append(range)
      return .string(String(decoding: units, as: UTF16.self))
    }
  }

  private mutating func container(
    _ object: Int, _ header: BinaryPropertyList.Header
  ) throws(PropertyListError) -> Value {
    guard !path.contains(object) else { throw error(object, "the container contains itself") }
    guard path.count < Value.maximumDepth else {
      throw error(object, "containers are nested more than \(Value.maximumDepth) deep")
    }
    path.append(object)
    defer { path.removeLast() }
    if header.kind == Kind.array {
      try expect(header.count, header)
      var values: [Value] = []
      for index in 0..<header.count {
        guard let element = list.element(index, of: header, image.storageSpan) else { break }
        values.append(try value(element))
      }
      return .array(values)
    }
    var members = DictionaryMembers(keepingFirst: true)
    for member in try self.members(header) {
      members.add(
        try text(member.key), try value(member.value), at: range(of: object) ?? image.range)
    }
    notes.repetitions += members.repetitions
    return members.value
  }

  private func members(
    _ header: BinaryPropertyList.Header
  ) throws(PropertyListError) -> [(key: Int, value: Int)] {
    let (count, _) = header.count.multipliedReportingOverflow(by: 2)
    try expect(count, header)
    var members: [(key: Int, value: Int)] = []
    for index in 0..<header.count {
      guard let key = list.element(index, of: header, image.storageSpan),
        let value = list.element(header.count + index, of: header, image.storageSpan)
      else {
        throw PropertyListError(
          header.offset..<header.start, "a reference is larger than any possible number of objects")
      }
      members.append((key, value))
    }
    return members
  }

  /// Throws an error unless `count` references fit in the file.
  private func expect(
    _ count: Int, _ header: BinaryPropertyList.Header
  ) throws(PropertyListError) {
    let left = room(after: header)
    guard count <= left / list.referenceWidth else {
      throw PropertyListError(
        header.offset..<min(header.start, image.count),
        "a container claims \(count.grouped) references of \(list.referenceWidth.inBytes), but only \(left.inBytes) "
          + "are left")
    }
  }

  private func number(
    _ object: Int, _ header: BinaryPropertyList.Header, width: Int, skipping: Int = 0
  ) throws(PropertyListError) -> UInt64 {
    let left = room(after: header)
    guard width + skipping <= left else {
      throw error(
        object,
        "it takes \((width + skipping).inBytes), but only \(max(0, left)) are left"
      )
    }
    let start = header.start + skipping
    return (start..<(start + width)).reduce(0) { $0 << 8 | UInt64(image[$1]) }
  }

  /// Returns how many bytes of objects there are from the content of `header` on.
  private func room(after header: BinaryPropertyList.Header) -> Int {
    max(0, min(list.objectsEnd, image.count) - header.start)
  }

  private func header(_ object: Int) throws(PropertyListError) -> BinaryPropertyList.Header {
    guard let header = list.header(of: object, image.storageSpan) else {
      throw PropertyListError(
        list.offsetRange(of: object) ?? image.range,
        "there is no object \(object), or it is not within the file")
    }
    guard let end = ends[object] else { return header }
    let memberWidth =
      switch header.kind {
      case Kind.array: list.referenceWidth
      case Kind.dictionary: 2 * list.referenceWidth
      default: 0
      }
    guard memberWidth > 0 else { return header }
    // The container has as many elements as there is room for before the next object.
    return BinaryPropertyList.Header(
      kind: header.kind, count: max(0, end - header.start) / memberWidth, offset: header.offset,
      start: header.start)
  }

  private func error(
    _ object: Int, _ message: String, isFinal: Bool = false
  ) -> PropertyListError {
    PropertyListError(range(of: object) ?? image.range, message, isFinal: isFinal)
  }
}
