import KVBytes
package import KVModel
import KVSystem
import SystemPackage

/// A healthy store of a format without a log to damage, with where its entries are.
package struct TableTarget: Sendable {
  /// The files.
  package let image: DiskImage
  /// The entries.
  package let entries: [TypedEntry]
  let format: TableFormat
  /// The name of the file that the library loads.
  let main: String
  /// The bytes of each entry, by file.
  private var parts: [Key: [FileEdit]] = [:]
  /// The bytes that lead to every entry; of a binary list, whose entries are found by offsets.
  private var structure: [FileEdit] = []

  /// Creates a target from what was read of a store.
  ///
  /// - Throws: `.unsuitable` if it is damaged, or its format is not one that can be written.
  package init(_ table: EntryTable) throws(FixtureError) {
    guard table.verdict == .clean, table.versions.isEmpty, table.strayCount == 0 else {
      let finding = table.findings.first.map { ": \($0.message)" } ?? ""
      throw .unsuitable(
        "the store is not healthy, so the effect of further damage cannot be judged\(finding)")
    }
    let image = DiskImage(table.files)
    guard let file = image.files.first,
      let format = TableFormat.allCases.first(where: { $0.isFormat(of: file, table.formatName) })
    else {
      throw .unsuitable("stores of the format \(table.formatName) cannot be damaged")
    }
    self.image = image
    self.format = format
    entries = table.entries
    main = file.name
    if format == .propertyList {
      findObjects(in: file)
    } else {
      do throws(ScriptError) {
        try findEntries(in: file)
      } catch {
        throw .script(error)
      }
    }
  }

  private mutating func findEntries(in file: SimulatedFile) throws(ScriptError) {
    let bytes = FileImage(file.bytes)
    for entry in entries {
      let content = try format.content(of: [entry])
      let own = content.parts[entry.key].map { Array(content.bytes[$0]) } ?? []
      let start = bytes.firstOccurrence(of: own, in: bytes.range)
      let range = start.map { $0..<$0 + own.count } ?? entry.origin.extent?.range
      guard let range, range.upperBound <= file.bytes.count else { continue }
      parts[entry.key] = [FileEdit(main, range, [])]
      // Bytes after the end change a value that is a whole file.
      for value in content.values.values {
        parts[entry.key]?.append(FileEdit(value.name, 0..<Int.max, []))
      }
    }
  }

  /// Finds the objects of each entry of a binary list, and the references to them.
  private mutating func findObjects(in file: SimulatedFile) {
    let bytes = file.bytes.storageSpan
    guard let list = BinaryPropertyList(bytes), let top = list.header(of: list.topObject, bytes)
    else { return }
    let width = list.referenceWidth
    structure = [
      FileEdit(main, 0..<BinaryPropertyList.firstOffset, []),
      FileEdit(main, top.offset..<top.start, []),
      FileEdit(main, list.objectsEnd..<file.bytes.count, []),
    ]
    for (index, entry) in entries.enumerated() {
      var ranges: [Range<Int>] = []
      for element in [index, top.count + index] {
        ranges.append(top.start + element * width..<top.start + (element + 1) * width)
        var objects = [list.element(element, of: top, bytes)].compactMap(\.self)
        while let object = objects.popLast() {
          guard let header = list.header(of: object, bytes),
            let end = BinaryPropertyList.end(of: header, referenceWidth: width)
          else { continue }
          ranges.append(header.offset..<end)
          let count =
            switch header.kind {
            case BinaryPropertyList.Kind.array: header.count
            case BinaryPropertyList.Kind.dictionary: 2 * header.count
            default: 0
            }
          objects += (0..<count).compactMap { list.element($0, of: header, bytes) }
        }
      }
      parts[entry.key] = ranges.map { FileEdit(main, $0, []) }
    }
  }

  /// Returns the keys of the entries of which `damage` touches neither the bytes nor those that lead to
  /// them: those that a good tool returns.
  ///
  /// If bytes of a binary list move, its offsets lead elsewhere.
  package func untouched(by damage: Damage) -> Set<Key> {
    let isMoved = damage.edits.contains { $0.bytes.count != $0.range.count }
    guard !isMoved || format != .propertyList else { return [] }
    return Set(
      parts.filter { _, own in
        !damage.edits.contains { edit in (own + structure).contains { edit.touches($0) } }
      }.keys)
  }

  /// Returns a damaged copy of the store with its answer key.
  package func damaged(by damage: Damage, named name: String, seed: UInt64) -> DamagedStore {
    let image = damage.applied(to: image)
    let untouched = untouched(by: damage)
    let texts = { (keys: Set<Key>) in keys.sorted().map { Hexadecimal.text($0.bytes) } }
    let truth = entries.map {
      (Hexadecimal.text($0.key.bytes), Hexadecimal.text(Array(($0.value.plainJSON ?? "").utf8)))
    }
    let answer = AnswerKey(
      schema: AnswerKey.currentSchema, damage: name, seed: String(seed),
      format: format.formatName, store: "\(CorpusLayout.storeFolder)/\(main)", key: nil,
      isAES256: nil, now: 0, changes: damage.edits.map { AnswerKey.Change($0, of: self.image) },
      truth: Dictionary(truth) { $1 }, untouched: texts(untouched), lost: [],
      must: texts(untouched),
      may: texts(Set(entries.map(\.key)).subtracting(untouched)), alsoTrue: [:])
    return DamagedStore(image, damage, answer)
  }
}

extension TableFormat {
  /// Returns whether `file`, which was read as the format called `name`, has this form.
  fileprivate func isFormat(of file: SimulatedFile, _ name: String) -> Bool {
    guard formatName.hasSameBytes(as: name) else { return false }
    switch self {
    case .propertyList: return file.bytes.starts(with: "bplist".utf8)
    case .asyncStorage: return file.name.hasSameBytes(as: fileName(of: ""))
    default: return true
    }
  }
}

extension FileEdit {
  /// Returns whether the edit changes bytes of `other`, or inserts some between them.
  fileprivate func touches(_ other: FileEdit) -> Bool {
    guard file.hasSameBytes(as: other.file) else { return false }
    return range.isEmpty
      ? other.range.lowerBound < range.lowerBound && range.lowerBound < other.range.upperBound
      : range.overlaps(other.range)
  }
}
