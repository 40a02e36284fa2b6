import KVBytes
import KVModel

/// The root object of a keyed archive, and the objects that it refers to.
///
/// Reference: ``KeyedArchive``.
struct ArchiveContent {
  private let list: BinaryPropertyList
  private let bytes: [UInt8]
  /// The object number of the `$objects` array.
  private let objects: Int
  /// The object number of the root object.
  private let root: Int

  /// Creates the content of the archive in `list`, or returns `nil` if `list` is not an archive.
  init?(_ list: BinaryPropertyList, _ bytes: [UInt8]) {
    let span = bytes.storageSpan
    guard list.value(of: "$archiver", in: list.topObject, span) != nil,
      let objects = list.value(of: "$objects", in: list.topObject, span),
      let top = list.value(of: "$top", in: list.topObject, span),
      let reference = list.value(of: "root", in: top, span) ?? list.firstValue(in: top, span),
      let root = list.target(of: reference, in: objects, span)
    else { return nil }
    self.list = list
    self.bytes = bytes
    self.objects = objects
    self.root = root
  }

  /// Returns the content of the root object.
  ///
  /// `reader` makes its plain values.
  func content(_ reader: inout BinaryValueReader) -> ValueContent? {
    let span = bytes.storageSpan
    let limit = ValueContent.memberLimit
    guard className(of: root) != nil else {
      return ValueContent(.keyedArchive, [member(nil, root, &reader)], count: 1)
    }
    if let elements = list.value(of: "NS.objects", in: root, span) {
      let keys = list.value(of: "NS.keys", in: root, span)
      let values = references(in: elements, upTo: limit)
      let names = keys.map { references(in: $0, upTo: limit) } ?? []
      let members = values.enumerated().map { index, value in
        member(names.indices.contains(index) ? text(names[index], &reader) : nil, value, &reader)
      }
      return ValueContent(
        .keyedArchive, members, count: list.header(of: elements, span)?.count ?? members.count)
    }
    guard let header = list.header(of: root, span) else { return nil }
    var members: [ValueContent.Member] = []
    for index in 0..<min(header.count, limit) {
      guard let key = list.element(index, of: header, span),
        let value = list.element(header.count + index, of: header, span)
      else { break }
      let name = text(key, &reader)
      if name?.hasSameBytes(as: "$class") == true { continue }
      members.append(member(name, list.target(of: value, in: objects, span) ?? value, &reader))
    }
    return ValueContent(.keyedArchive, members, count: max(members.count, header.count - 1))
  }

  /// Returns the objects that the array `object` refers to, up to `limit`.
  private func references(in object: Int, upTo limit: Int) -> [Int] {
    let span = bytes.storageSpan
    guard let header = list.header(of: object, span) else { return [] }
    var found: [Int] = []
    for index in 0..<min(header.count, limit) {
      guard let element = list.element(index, of: header, span) else { break }
      found.append(list.target(of: element, in: objects, span) ?? element)
    }
    return found
  }

  private func text(_ object: Int, _ reader: inout BinaryValueReader) -> String? {
    guard case .string(let text)? = try? reader.value(object) else { return nil }
    return text
  }

  /// The maximum number of fields of an object whose class is looked up.
  ///
  /// Every field is compared with a name, and any number of objects can share the same bytes.
  private static let fieldLimit = 1024

  /// Returns the class name of `object`, or `nil` if it is a plain value.
  private func className(of object: Int) -> String? {
    let span = bytes.storageSpan
    guard let header = list.header(of: object, span), header.count <= Self.fieldLimit,
      let reference = list.value(of: "$class", in: object, span),
      let type = list.target(of: reference, in: objects, span),
      let name = list.value(of: "$classname", in: type, span)
    else { return nil }
    return list.asciiText(name, upTo: 256, span)
  }

  /// Returns the member called `name` for `object`.
  ///
  /// The member is a plain value, the value that a Foundation class wraps, or an object.
  private func member(
    _ name: String?, _ object: Int, _ reader: inout BinaryValueReader
  ) -> ValueContent.Member {
    let span = bytes.storageSpan
    guard let type = className(of: object) else {
      if let shape = reader.shape(of: object) {
        return .init(name, .container(shape.kind, count: shape.count))
      }
      guard let value = try? reader.value(object) else {
        return .init(name, .container("object", count: 0))
      }
      if case .string(let text) = value, text.hasSameBytes(as: "$null") {
        return .init(name, .null)
      }
      return .init(name, value)
    }
    if let time = list.value(of: "NS.time", in: object, span),
      case .double(let seconds)? = try? reader.value(time)
    {
      return .init(name, .date(seconds + PropertyListFormat.epoch))
    }
    for wrapped in ["NS.string", "NS.data", "NS.relative"] {
      guard let content = list.value(of: wrapped, in: object, span) else { continue }
      let target = list.target(of: content, in: objects, span) ?? content
      guard reader.shape(of: target) == nil, let value = try? reader.value(target) else { break }
      return .init(name, value)
    }
    let elements = list.value(of: "NS.objects", in: object, span)
      .flatMap { list.header(of: $0, span)?.count }
    let fields = (list.header(of: object, span)?.count ?? 1) - 1
    return .init(name, .container(type, count: elements ?? max(0, fields)))
  }
}
