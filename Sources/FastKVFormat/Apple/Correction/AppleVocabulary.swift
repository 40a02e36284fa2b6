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

  private(set) var classNames: Set<[UInt8]> = []
  private(set) var keys: Set<[UInt8]> = []
  /// The usual class names and those of whole records, with the types of their values, by their
  /// first byte.
  private(set) var classes: [[(name: [UInt8], types: Set<AppleType>)]]

  /// Collects the names and keys of the whole records in `range`.
  init(_ reader: AppleRecordReader, in range: Range<Int>) {
    var types: [[UInt8]: Set<AppleType>] = [:]
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
    classes = Array(repeating: [], count: 256)
    for (name, types) in types.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      classes[Int(name[0])].append((name, types))
    }
  }
}
