import KVBytes
package import KVModel
import SystemPackage

/// Opens values that are themselves documents: property lists, archives, messages and files.
///
/// Only one level is read, and only as much of it as a report has room for. The bytes are hostile.
/// No offset or count in them is trusted, and content that cannot be read is left out.
package enum NestedContent {
  /// Returns the content of `value`, or `nil` if it is not a document of a known kind.
  package static func of(_ value: Value) -> ValueContent? {
    switch value {
    case .keyedArchive(_, let bytes): binaryList(bytes)
    case .bytes(let bytes), .object(_, let bytes):
      MediaType(of: bytes.storageSpan).map { ValueContent($0) } ?? binaryList(bytes)
        ?? ProtobufContent.of(bytes)
    case .string(let text): xmlList(text)
    default: nil
    }
  }

  private static func binaryList(_ bytes: [UInt8]) -> ValueContent? {
    guard KeyedArchive.begins(bytes.storageSpan),
      let list = BinaryPropertyList(bytes.storageSpan)
    else { return nil }
    var reader = BinaryValueReader(list, in: FileImage(bytes))
    if let archive = ArchiveContent(list, bytes) { return archive.content(&reader) }
    var members: [ValueContent.Member] = []
    do throws(PropertyListError) {
      let references = try reader.topReferences()
      for reference in references.prefix(ValueContent.memberLimit) {
        let name = try reference.key.map { (key) throws(PropertyListError) in try reader.text(key) }
        members.append(try member(name, reference.value, &reader))
      }
      return ValueContent(.propertyList, members, count: references.count)
    } catch {
      // Keep what was read before the damage.
      return members.isEmpty ? nil : ValueContent(.propertyList, members, count: members.count)
    }
  }

  /// Returns the member called `name` for `object`, without the content of containers.
  private static func member(
    _ name: String?, _ object: Int, _ reader: inout BinaryValueReader
  ) throws(PropertyListError) -> ValueContent.Member {
    if let shape = reader.shape(of: object) {
      return .init(name, .container(shape.kind, count: shape.count))
    }
    return .init(name, try reader.value(object))
  }

  private static func xmlList(_ text: String) -> ValueContent? {
    guard text.utf8.starts(with: "<?xml".utf8) || text.utf8.starts(with: "<plist".utf8) else {
      return nil
    }
    var reader = PropertyListReader(StoreFile(.data, at: "", FileImage(Array(text.utf8))))
    reader.readAll()
    guard reader.hasDictionary else { return nil }
    let entries = reader.entries
    let members = entries.prefix(ValueContent.memberLimit).map {
      ValueContent.Member($0.key.text, $0.value)
    }
    return ValueContent(.propertyList, members, count: entries.count)
  }
}
