import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The contents of a cache whose manifest is being matched with the files of values.
struct YYCacheContents {
  /// The database and the files that SQLite keeps beside it.
  let databaseFiles: [StoreFile]
  private var unmatched: [ByteText: StoreFile] = [:]
  /// The names of the files that could not be read.
  private let unread: Set<ByteText>
  private var matched: [ByteText: StoreFile] = [:]
  private var trash: [StoreFile] = []
  /// All rows, in the order of the manifest.
  private(set) var rows: [[SQLiteCell]] = []
  /// The keys of all rows, in the order of the manifest.
  private var keys: [Key] = []
  /// The entries, in the order of the manifest.
  private(set) var entries: [TypedEntry] = []
  /// The findings about the files.
  private(set) var findings: [Finding] = []

  /// Creates the contents of `files`, of which none are matched yet.
  init(_ files: [StoreFile]) {
    databaseFiles = files.read.filter { $0.role != .external }
    let home = (databaseFiles.first ?? files.first)?.path.parent
    let folder = databaseFiles.isEmpty ? home?.parent : home
    unread = Set(
      files.filter { $0.obstacle != nil }.map { ByteText($0.path.lastComponent?.string ?? "") })
    for file in files.read where file.role == .external {
      // A file in the trash is in a subfolder.
      if file.path.parent.lastComponent?.string == YYCacheFormat.dataName,
        file.path.parent.parent == folder
      {
        unmatched[ByteText(file.path.lastComponent?.string ?? "")] = file
      } else {
        trash.append(file)
      }
    }
  }

  /// Reads the rows of the manifest, which have the key, file name, size, inline data and, if the
  /// table has that column, extended data.
  mutating func read(_ table: DatabaseReading.Table, _ reading: inout DatabaseReading) {
    var (keyless, odd, extended) = (RowTally(), RowTally(), RowTally())
    var ordinal = 0
    reading.forEachRow(of: table) { cells in
      defer { ordinal += 1 }
      rows.append(cells)
      guard let key = cells[0].key else {
        // The key is the primary one, but SQLite lets it be NULL.
        return cells[0] == .null ? keyless.add(ordinal) : odd.add(ordinal)
      }
      keys.append(key)
      if cells.count > 4, cells[4] != .null { extended.add(ordinal) }
      // Like YYKVStorage, prefer the file name, and treat an empty one as missing.
      if let name = cells[1].text, !name.isEmpty {
        add(key, fileName: name, declared: cells[2].integer)
      } else {
        add(key, cells[3], declared: cells[2].integer)
      }
    }
    keyless.reportNullKeys(to: &reading)
    odd.report(
      SQLiteFindings.key, "with a number as the key (left out)", to: &reading)
    extended.report(
      YYCacheFindings.extendedData, "with extended data, which is not read", losesContent: true,
      to: &reading)
    reading.settle(&entries)
  }

  /// Returns the value of a former row: its inline data, or what is in a file of its name in the trash.
  func value(_ row: [SQLiteCell]) -> Value? {
    guard let name = row[1].text, !name.isEmpty else {
      return row[3].blob.map(Fitting.data) ?? row[3].plainValue
    }
    // A file in `data` has the value that the key has now.
    let file = trash.last { $0.path.lastComponent.map { ByteText($0.string) } == ByteText(name) }
    return file.map { Fitting.data($0.image.bytes) }
  }

  private mutating func add(_ key: Key, fileName: String, declared: Int64?) {
    // Two rows may refer to the same file, which is then already matched.
    let name = ByteText(fileName)
    guard let file = unmatched.removeValue(forKey: name) ?? matched[name] else {
      let isInTrash = trash.contains { $0.path.lastComponent.map { ByteText($0.string) } == name }
      findings.append(
        Finding(
          YYCacheFindings.missingFile, at: nil,
          "the value of \(Value.mentioned(key)) should be in data/\(fileName), which "
            + (unread.contains(name) ? "cannot be read" : "is missing")
            + (isInTrash ? "; a file with that name is in the trash" : "")))
      return
    }
    matched[name] = file
    let extent = file.extent
    let hasSize = check(key, declared, file.image.count, "data/\(fileName)", extent)
    let isWhole = hasSize && hasNoLostPage(file, key)
    entries.append(
      TypedEntry(
        key: key, value: Fitting.data(file.image.bytes),
        origin: EntryOrigin(
          .structure, cautions: isWhole ? [] : [.mayBeDamaged],
          at: file.place(extent.range))))
  }

  private mutating func add(_ key: Key, _ cell: SQLiteCell, declared: Int64?) {
    let count = cell.blob?.count ?? cell.text?.utf8.count ?? 0
    let hasSize = check(key, declared, count, "inline data", nil)
    let isWhole = hasSize && hasNoLostPage(cell.blob ?? [], key)
    entries.append(
      TypedEntry(
        key: key, value: cell.blob.map(Fitting.data) ?? cell.plainValue,
        origin: EntryOrigin(.structure, cautions: isWhole ? [] : [.mayBeDamaged])))
  }

  /// Returns whether the file of the value of `key` has no zeros that look like a page that never
  /// reached the disk, and adds a finding if it has.
  private mutating func hasNoLostPage(_ file: StoreFile, _ key: Key) -> Bool {
    let zeros = TrailingZeros.ofData(at: file.image.range, in: file.image.storageSpan)
    guard let zeros else { return true }
    // A property list ends with the offset of a table, which is never zero.
    let isLost =
      zeros.upperBound == file.image.count
      && file.image.bytes(in: 0..<min(8, file.image.count)).elementsEqual("bplist00".utf8)
    let subject = "the value of \(Value.mentioned(key))"
    let finding =
      isLost
      ? ZeroRuns.finding(of: zeros, in: file, subject)
      : TrailingZeros.finding(of: zeros, in: file, subject)
    findings.append(Finding(finding.kind, at: Extent(file.index, zeros), finding.message))
    return false
  }

  /// Returns whether the inline data of `key` does not end with zeros although it is a property list,
  /// and adds a finding if it does.
  private mutating func hasNoLostPage(_ bytes: [UInt8], _ key: Key) -> Bool {
    let zeros = bytes.reversed().prefix { $0 == 0 }.count
    guard zeros >= ZeroRuns.leastCount, bytes.starts(with: "bplist00".utf8) else { return true }
    findings.append(
      Finding(
        ZeroFindings.zeros, at: nil,
        "\(zeros.grouped) zeros in a row at the end of the value of \(Value.mentioned(key)), which is a "
          + "property list: pages that never reached the disk, or a torn write"))
    return false
  }

  /// Returns whether a value has the size that its row states, and adds a finding if not.
  private mutating func check(
    _ key: Key, _ declared: Int64?, _ count: Int, _ place: String, _ extent: Extent?
  ) -> Bool {
    guard let declared, declared != Int64(count) else { return true }
    findings.append(
      Finding(
        YYCacheFindings.sizeMismatch, at: extent,
        "the value of \(Value.mentioned(key)) in \(place) has \(count.inBytes), but its row says "
          + declared.grouped))
    return false
  }

  /// Whether the manifest has no rows.
  var isEmpty: Bool { keys.isEmpty }

  /// Adds the files that belong to no row as guesses, with their keys if they are among those of the
  /// rows, `candidates` and the well-known keys, and otherwise with the name of the file as the key.
  ///
  /// A row takes precedence: if a key already has a value, its file is not a second entry.
  mutating func matchTheRest(_ candidates: [Key], _ digest: ([UInt8]) -> [UInt8]?) {
    guard !unmatched.isEmpty else { return }
    var held = Set(entries.map(\.key))
    let known = ValueFiles.names(of: keys + candidates, digest)
    for (name, file) in unmatched.sorted(by: { $0.key < $1.key }) {
      let key = known[name]
      let isNew = key.map { held.insert($0).inserted } ?? true
      findings.append(
        Finding(
          YYCacheFindings.orphanFile, at: file.extent,
          "data/\(name.text) (\(file.image.count.inBytes)) belongs to no entry; "
            + (key.map { key in
              "by its name, it is a value of the key \(Value.mentioned(key)), "
                + (isNew ? "and is read as that" : "which already has another value")
            } ?? "its key is unknown, so it is listed by its own name")))
      guard isNew else { continue }
      entries.append(ValueFiles.entry(file, key, Fitting.data(file.image.bytes)))
    }
    unmatched = [:]
  }

  /// Reports the files in the trash.
  mutating func reportTrash() {
    guard !trash.isEmpty else { return }
    let count = trash.reduce(0) { $0 + $1.image.count }
    findings.append(
      Finding(
        YYCacheFindings.trash, at: nil,
        "\(trash.count.grouped) \(trash.count == 1 ? "file" : "files") of \(count.inBytes) in the trash: values "
          + "from a cache that was emptied, or whose manifest could not be opened; the app deletes them"
      ))
  }
}
