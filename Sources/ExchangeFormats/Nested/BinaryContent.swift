import KVBytes
import KVModel

/// The values of a binary property list, or the objects of a keyed archive in one.
///
/// Reference: ``KeyedArchive``.
struct BinaryContent {
  private typealias Member = ValueContent.Member
  private typealias Kind = BinaryPropertyList.Kind
  private typealias Header = BinaryPropertyList.Header

  /// A container, whose elements are looked up one by one: any number of objects can refer to the
  /// same long one.
  private struct Container {
    let kind: String
    let count: Int
    /// The array of the keys, or the dictionary; `nil` without keys.
    var keys: Header?
    /// The array of the values, or the dictionary.
    var values: Header?
    /// The number of keys before the values in a dictionary.
    var keyCount = 0
    /// Whether a key `$class` says of what class the object is.
    var hasClass = false
  }

  /// The maximum number of fields of an object whose class is looked up.
  ///
  /// Every field is compared with a name, and any number of objects can share the same bytes.
  private static let fieldLimit = 1024

  private let list: BinaryPropertyList
  private let bytes: [UInt8]
  private var reader: BinaryValueReader
  /// The object number of the array of objects that references in an archive lead to.
  private let objects: Int?
  /// The object number of the names of an archive's roots.
  private let top: Int?
  /// The containers around the part that is being made.
  private var path: [Int] = []

  /// Creates the content of `bytes`, or returns `nil` if they are not a binary property list.
  init?(_ bytes: [UInt8]) {
    let span = bytes.storageSpan
    guard KeyedArchive.begins(span), let list = BinaryPropertyList(span) else { return nil }
    self.list = list
    self.bytes = bytes
    reader = BinaryValueReader(list, in: FileImage(bytes))
    let isArchive = list.value(of: "$archiver", in: list.topObject, span) != nil
    top = isArchive ? list.value(of: "$top", in: list.topObject, span) : nil
    objects = top == nil ? nil : list.value(of: "$objects", in: list.topObject, span)
  }

  /// Returns the content, as far as `opener` has room for it; `nil` if nothing can be read.
  mutating func content(_ opener: inout ContentOpener) -> ValueContent? {
    guard objects != nil, let top else {
      guard let root = member(nil, list.topObject, &opener) else { return nil }
      let content = ValueContent(.propertyList, of: root)
      return content.members.isEmpty && content.count > 0 ? nil : content
    }
    // An archive has one root, or objects by the names that the app has given them.
    let root = field("root", of: top) ?? top
    let type = className(of: root)
    return member(nil, root, &opener).map {
      ValueContent(.keyedArchive, of: $0, className: type)
    }
  }

  // MARK: Objects

  /// Returns the object that `element` refers to, or else `element` itself.
  private func target(of element: Int) -> Int {
    objects.flatMap { list.target(of: element, in: $0, bytes.storageSpan) } ?? element
  }

  /// Returns the object of `object`'s field called `name`.
  private func field(_ name: String, of object: Int) -> Int? {
    list.value(of: name, in: object, bytes.storageSpan).map(target)
  }

  /// Returns the class name of `object`, or `nil` if it is a plain value.
  private func className(of object: Int) -> String? {
    let span = bytes.storageSpan
    guard objects != nil, let header = list.header(of: object, span),
      header.count <= Self.fieldLimit, let type = field("$class", of: object),
      let name = list.value(of: "$classname", in: type, span)
    else { return nil }
    return list.asciiText(name, upTo: 256, span)
  }

  private mutating func member(
    _ name: String?, _ object: Int, _ opener: inout ContentOpener
  ) -> ValueContent.Member? {
    let type = className(of: object)
    if let type, let value = wrapped(object, type) { return opener.part(name, value) }
    guard let container = container(object, type) else {
      guard let value = try? reader.value(object) else { return nil }
      // Archives have a text for null.
      if objects != nil, case .string(let text) = value, text.hasSameBytes(as: "$null") {
        return opener.part(name, .null)
      }
      return opener.part(name, value)
    }
    guard !path.contains(object) else { return Member(name, .outer(container.kind)) }
    path.append(object)
    defer { path.removeLast() }
    return opener.container(name, container.kind, count: container.count) { opener in
      parts(of: container, &opener)
    }
  }

  private mutating func parts(
    of container: Container, _ opener: inout ContentOpener
  ) -> [ValueContent.Member] {
    var parts: [Member] = []
    for index in 0..<(container.values?.count ?? 0) {
      guard let (key, value) = element(index, of: container) else { break }
      if container.hasClass, let key, isClassKey(key) { continue }
      guard opener.takesPart() else { break }
      let name = key.map { text(of: $0) }
      if let part = member(name, value, &opener) {
        parts.append(part)
      } else if objects != nil {
        parts.append(Member(name, .container("object", count: 0)))
      } else {
        // Keep what was read before the damage.
        break
      }
    }
    return parts
  }

  /// Returns the text of a key, which an archive may have instead of in any value.
  private mutating func text(of key: Int) -> String {
    let type = className(of: key)
    let value = type.flatMap { wrapped(key, $0) } ?? (try? reader.value(key))
    return switch value {
    case .string(let text): text
    case .int64(let number): "\(number)"
    case .double(let number): number.digits
    case .bool(let bool): "\(bool)"
    default: type ?? "object"
    }
  }

  /// Returns the container that `object` is; `nil` for any other value.
  private func container(_ object: Int, _ type: String?) -> Container? {
    let span = bytes.storageSpan
    if let type, let objects = field("NS.objects", of: object) {
      let values = list.header(of: objects, span)
      let keys = field("NS.keys", of: object).flatMap { list.header(of: $0, span) }
      // Foundation reads no dictionary whose keys and values are not as many.
      if let keys, keys.count != values?.count { return nil }
      return Container(kind: type, count: values?.count ?? 0, keys: keys, values: values)
    }
    guard let header = list.header(of: object, span) else { return nil }
    switch header.kind {
    case Kind.array: return Container(kind: type ?? "array", count: header.count, values: header)
    case Kind.dictionary:
      return Container(
        kind: type ?? "dictionary", count: header.count - (type == nil ? 0 : 1), keys: header,
        values: header, keyCount: header.count, hasClass: type != nil)
    default: return nil
    }
  }

  /// Returns the objects at `index` in `container`; `nil` behind the end of the bytes.
  private func element(_ index: Int, of container: Container) -> (key: Int?, value: Int)? {
    let span = bytes.storageSpan
    guard let values = container.values,
      let value = list.element(container.keyCount + index, of: values, span)
    else { return nil }
    let key = container.keys.flatMap { keys in
      index < keys.count ? list.element(index, of: keys, span) : nil
    }
    // The keys of a dictionary are never references.
    return (container.keyCount > 0 ? key : key.map(target), target(of: value))
  }

  private func isClassKey(_ key: Int) -> Bool {
    list.asciiText(key, upTo: 16, bytes.storageSpan)?.hasSameBytes(as: "$class") == true
  }

  // MARK: Classes of Foundation

  /// Returns the value that `object` of the class `type` consists of; `nil` if it is another
  /// object.
  private mutating func wrapped(_ object: Int, _ type: String) -> Value? {
    if type.hasSameBytes(as: "NSNull") { return .null }
    if case .double(let seconds)? = plain("NS.time", of: object) {
      return .date(seconds + PropertyListFormat.epoch)
    }
    if case .bytes(let id)? = plain("NS.uuidbytes", of: object), id.count == 16 {
      return .string(Self.text(ofUUID: id))
    }
    if case .string(let relative)? = plain("NS.relative", of: object) {
      let base = field("NS.base", of: object)
      let start =
        if let base, case .string(let text)? = plain("NS.relative", of: base) { text } else { "" }
      return .string(start + relative)
    }
    if let value = plain("NS.string", of: object) ?? plain("NS.data", of: object) { return value }
    guard case .bytes(let bytes)? = plain("NS.bytes", of: object) else { return nil }
    return bytes.storageSpan.text.map { .string($0) } ?? .bytes(bytes)
  }

  /// Returns the value of `object`'s field called `name`, unless it is a container.
  private mutating func plain(_ name: String, of object: Int) -> Value? {
    guard let content = field(name, of: object),
      ![Kind.array, Kind.dictionary].contains(
        list.header(of: content, bytes.storageSpan)?.kind ?? 0)
    else { return nil }
    return try? reader.value(content)
  }

  private static func text(ofUUID bytes: [UInt8]) -> String {
    let digits = Hexadecimal.text(bytes).uppercased()
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }
}
