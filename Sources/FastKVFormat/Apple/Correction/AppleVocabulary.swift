import KVBytes

/// The class names and keys of the whole records of a file, which its other records are likely to
/// share.
struct AppleVocabulary: Sendable {
  /// The most class names and keys that are kept: damaged records are few, and class names repeat.
  private static let limit = 4096
  /// The classes of objects on Apple's systems and under GNUstep, by the types that the engine
  /// gives them.
  private static let usual: [(names: [String], types: Set<AppleType>)] = [
    (["NSNumber"], [.bool, .int32, .int64, .float, .double]),
    (
      [
        "NSTaggedPointerString", "__NSCFConstantString", "__NSCFString", "GSCBufferString", "NSURL",
      ], [.string]
    ),
    (["__NSDate", "__NSTaggedDate", "NSGDate"], [.double]),
    (
      [
        "_NSInlineData", "NSConcreteData", "NSConcreteMutableData", "NSMutableDataMalloc",
        "__NSArrayI", "__NSArrayM", "__NSDictionaryI", "__NSDictionaryM", "__NSCFNumber",
        "__NSCFBoolean",
      ], [.data]
    ),
  ]

  /// A class name, with the types of the values.
  typealias Class = (name: [UInt8], types: Set<AppleType>)

  private(set) var classNames: Set<[UInt8]> = []
  private(set) var keys: Set<[UInt8]> = []
  /// The usual class names and those of whole records, by their lengths, in order.
  private var classes: [Int: [Class]]
  /// The types of their values.
  private var types: [[UInt8]: Set<AppleType>] = [:]
  /// The lengths of the names with each first byte, in order.
  private var counts = [[Int]](repeating: [], count: 256)

  /// Collects the names and keys of the whole records in `range`.
  init(_ reader: AppleRecordReader, in range: Range<Int>) {
    for (names, usual) in Self.usual {
      for name in names { types[Array(name.utf8)] = usual }
    }
    var walk = AppleWalk(reader, in: range)
    while let step = walk.next() {
      guard case .record(let shape) = step, shape.isProven else { continue }
      let name = reader.image.bytes(in: shape.className)
      if classNames.count < Self.limit, let type = AppleType(rawValue: shape.type) {
        classNames.insert(name)
        types[name, default: []].insert(type)
      }
      if keys.count < Self.limit { keys.insert(reader.image.bytes(in: shape.key)) }
    }
    types[[]] = nil
    classNames.remove([])
    let sorted = types.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map { (name: $0.key, types: $0.value) }
    classes = Dictionary(grouping: sorted, by: \.name.count)
    for (first, names) in Dictionary(grouping: types.keys, by: { Int($0[0]) }) {
      counts[first] = Set(names.map(\.count)).sorted()
    }
  }

  /// Returns the classes whose names have `count` bytes, in the order of the names.
  func classes(ofCount count: Int) -> [Class] { classes[count] ?? [] }

  /// Returns the classes whose names are at `offset` of `image`, and end before `limit`, the shortest
  /// name first.
  ///
  /// Names are looked up by their lengths, which are few, as damaged records may be many.
  func classes(at offset: Int, of image: FileImage, limit: Int) -> [Class] {
    guard offset < limit else { return [] }
    return counts[Int(image[offset])].filter { $0 <= limit - offset }.compactMap { count in
      let name = image.bytes(in: offset..<offset + count)
      return types[name].map { (name, $0) }
    }
  }
}
