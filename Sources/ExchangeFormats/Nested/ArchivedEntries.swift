import KVBytes
package import KVModel

/// The entries of a property list that is a keyed archive.
package enum ArchivedEntries {
  /// Returns `table` with what the objects of the archive are, instead of the objects as the file
  /// has them; `nil` if it is not a keyed archive, or if not all objects can be resolved.
  ///
  /// The entries are those of the root if it is a dictionary, and otherwise the archive's roots. An
  /// object of another class is a dictionary of its fields and `$class`.
  package static func resolved(_ table: EntryTable) -> EntryTable? {
    guard table.formatName.hasSameBytes(as: PropertyListFormat.name),
      let file = table.files.first, table.verdict == .clean,
      let objects = table.entries.first(where: { $0.key == Key(Array("$objects".utf8)) })
    else { return nil }
    let isBinary = KeyedArchive.begins(file.image.storageSpan)
    let bytes = isBinary ? file.image.bytes : BinaryPropertyListWriter.bytes(of: table.entries)
    var opener = ContentOpener(.whole)
    guard let content = opener.document(in: .keyedArchive(className: nil, bytes)),
      content.form == .keyedArchive, !opener.isCut
    else { return nil }
    let roots = roots(of: content)
    guard isWhole(.dictionary(roots)) else { return nil }
    let origin = EntryOrigin(
      objects.origin.evidence, cautions: objects.origin.cautions, at: objects.origin.place)
    return EntryTable(
      formatName: table.formatName, files: table.files,
      entries: roots.map {
        TypedEntry(key: Key(Array($0.name.utf8)), value: $0.value, origin: origin)
      },
      findings: table.findings)
  }

  /// Returns whether `value` neither has a reference that leads nowhere nor a name twice, which no
  /// archiver writes.
  private static func isWhole(_ value: Value) -> Bool {
    switch value {
    case .dictionary(let members):
      value.archiveReference == nil && Set(members.map { ByteText($0.name) }).count == members.count
        && members.allSatisfy { isWhole($0.value) }
    case .array(let values): values.allSatisfy(isWhole)
    default: true
    }
  }

  private static func roots(of content: ValueContent) -> [Value.Member] {
    let kind = content.className ?? "dictionary"
    if isDictionary(kind), content.members.allSatisfy({ $0.name != nil }) {
      return content.members.map { Value.Member($0.name ?? "", value(of: $0)) }
    }
    let isPlain = content.className == nil
    let root = isPlain ? content.members.first.map(value) : value(of: kind, content.members)
    return root.map { [Value.Member("root", $0)] } ?? []
  }

  private static func value(of member: ValueContent.Member) -> Value {
    switch member.content {
    case .value(let reading): reading.value
    case .container(let kind, _): value(of: kind, member.parts)
    case .outer(let kind): .dictionary([Value.Member("$outer", .string(kind))])
    }
  }

  private static func value(of kind: String, _ parts: [ValueContent.Member]) -> Value {
    if isList(kind) { return .array(parts.map(value)) }
    let members = parts.enumerated().map { index, part in
      Value.Member(part.name ?? "\(index)", value(of: part))
    }
    return .dictionary(
      members + (isDictionary(kind) ? [] : [Value.Member("$class", .string(kind))]))
  }

  private static func isDictionary(_ kind: String) -> Bool {
    ["dictionary", "NSDictionary", "NSMutableDictionary"].contains { $0.hasSameBytes(as: kind) }
  }

  private static func isList(_ kind: String) -> Bool {
    ["array", "NSArray", "NSMutableArray", "NSSet", "NSMutableSet"].contains {
      $0.hasSameBytes(as: kind)
    }
  }
}
