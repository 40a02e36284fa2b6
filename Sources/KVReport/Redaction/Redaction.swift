import KVBytes
package import KVConversion
import KVCryptography
package import KVModel
package import KVRecovery
import KVSystem
import SystemPackage

/// What stands for values, and for keys if those are hidden too, in what others will read.
///
/// In the place of a value is its type, its length and a hash of its bytes. The hash has a secret that
/// is drawn for each run and forgotten: equal values can be recognized within the run's output, but
/// nobody can find out a value by hashing guesses.
package struct Redaction: Sendable {
  /// The number of bytes of a hash that are shown.
  private static let shownCount = 8

  private let secret: [UInt8]
  private let hidesKeys: Bool

  /// Creates the redaction of a run; `nil` if the tool was built without hash functions.
  package init?(hidingKeys: Bool) {
    guard Cryptography.isAvailable else { return nil }
    secret = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }
    hidesKeys = hidingKeys
  }

  /// Returns what stands for a hidden key.
  private func hidden(_ key: Key) -> Key { Key(Array(tag(of: key.bytes).utf8)) }

  /// Returns what stands for `value`, which is stored as `bytes`.
  func value(_ value: Value, storedAs bytes: [UInt8]? = nil) -> Value {
    let kind = value.kind.rawValue
    let bytes = bytes ?? Array(DisplayText.value(value, limit: .max).utf8)
    // Not the bytes alone: those of an empty text are those of `false` and of 0.
    let hash = tag(of: Array(kind.utf8) + [0] + bytes)
    let parts = [kind, value.length, hash].compactMap(\.self)
    return .string("[\(parts.joined(separator: ", "))]")
  }

  private func tag(of bytes: [UInt8]) -> String {
    let hash = Cryptography.sha256(of: bytes, keyed: secret) ?? []
    return "#" + Hexadecimal.text(Array(hash.prefix(Self.shownCount)))
  }

  /// Returns `store`, read in `state`, with its keys and values hidden; `typing` tells the types of
  /// values.
  package func store(
    _ store: some Store, by typing: StoreTyping, in state: StoreState?
  ) -> any Store {
    RedactedStore(store, typing, self, keys: Self.keys(of: store, in: state))
  }

  /// Returns the hashes of the keys that are surely keys: where the beginning of a record is a guess,
  /// or the bytes may be damaged, what looks like a key can be a part of a value.
  private static func keys(of store: some Store, in state: StoreState?) -> Set<Int> {
    guard let state else { return [] }
    var keys: Set<Int> = []
    History(of: store, by: state).forEach { event in
      guard case .record(let record, _, let assessment) = event, assessment.isOfSureKey else {
        return
      }
      keys.insert(store.key(of: record).hashValue)
    }
    return keys
  }

  /// Returns what stands for `key`, whose hash is in `keys` if it is surely one.
  func key(_ key: Key, among keys: Set<Int>) -> Key {
    !hidesKeys && keys.contains(key.hashValue) ? key : hidden(key)
  }

  /// Returns `sources`, which are converted together, with their keys and values hidden.
  ///
  /// Types are as in `schema` or, if it has none, as they are judged in each store alone.
  package func sources(_ sources: [ReadSource], by schema: TypeSchema) -> [ReadSource] {
    // A key is the same in all of them.
    var keys: Set<Int> = []
    for source in sources {
      switch source {
      case .table(let table):
        keys.formUnion(Self.keys(of: table))
      case .store(let store, let diagnosis, let plan):
        keys.formUnion(Self.keys(of: store, in: diagnosis.state(plan.state)))
      }
    }
    return sources.map { source in
      switch source {
      case .table(let table): .table(self.table(table, keys))
      case .store(let store, let diagnosis, let plan):
        .store(judged(store, in: diagnosis.state(plan.state), schema, keys), diagnosis, plan)
      }
    }
  }

  private func judged(
    _ store: some Store, in state: StoreState?, _ schema: TypeSchema, _ keys: Set<Int>
  ) -> any Store {
    RedactedStore(store, StoreTyping(of: store, by: state, schema: schema), self, keys: keys)
  }

  /// Returns `event` without what it says of keys and values, except those of a store or a table, which
  /// has to be hidden as a whole.
  package func event(_ event: ReportEvent) -> ReportEvent {
    switch event {
    case .findings(let findings, let files):
      .findings(findings.map(\.general), in: files.map(file))
    case .hit(let hit, let outcome): .hit(self.hit(hit), outcome)
    default: event
    }
  }

  /// Returns `hit` without what it says of the value, and of a key that is to be hidden, or may be a
  /// part of a value.
  private func hit(_ hit: SearchHit) -> SearchHit {
    let isSure = hit.isOfSureKey && hit.state != .residual
    return hit.hidden(as: hit.key.map { hidesKeys || !isSure ? hidden($0) : $0 })
  }

  /// Returns `file` without its digest; a file with one value is often named by a digest of the key.
  func file(_ file: StoreFile) -> StoreFile {
    guard hidesKeys, file.role == .external else { return file.redacted(at: file.path) }
    return file.redacted(
      at: file.path.parent.appending(hidden(name: file.path.lastComponent?.string ?? "")))
  }

  private func hidden(name: String) -> String { tag(of: Array(name.utf8)) }

  /// Returns `region` without the checksum that it has, and without the name of a file with one value
  /// if keys are hidden.
  func region(_ region: Region) -> Region {
    let meaning =
      region.isChecksum
      ? "redacted"
      : hidesKeys && region.kind == .file ? hidden(name: region.meaning) : region.meaning
    return Region(
      region.extent, region.kind, region.name, meaning, isChecksum: region.isChecksum)
  }

  /// Returns `table` with its keys and values hidden.
  package func table(_ table: EntryTable) -> EntryTable { self.table(table, Self.keys(of: table)) }

  /// Returns the hashes of the keys that are surely keys in one of the versions of `table`.
  ///
  /// A key is shown or hidden in all of them: they are compared by their keys.
  private static func keys(of table: EntryTable) -> Set<Int> {
    let entries = table.entries + table.versions.flatMap(\.entries)
    return Set(entries.filter(\.origin.isOfSureKey).map(\.key.hashValue))
  }

  private func table(_ table: EntryTable, _ keys: Set<Int>) -> EntryTable {
    func entry(_ entry: TypedEntry) -> TypedEntry { self.entry(entry, keys) }
    return EntryTable(
      formatName: table.formatName, files: table.files.map(file), entries: table.entries.map(entry),
      findings: table.findings.map(\.general), strayCount: table.strayCount,
      versions: table.versions.map { $0.map(entry) },
      past: past(of: table, keys), isRefused: table.isRefused,
      loads: table.loads.map { $0.map(entry) }, obstacle: table.obstacle)
  }

  private func past(
    of table: EntryTable, _ keys: Set<Int>
  ) -> (@Sendable () -> [PastRecord])? {
    guard let past = table.past else { return nil }
    return { past().map { record($0, keys) } }
  }

  private func record(_ record: PastRecord, _ keys: Set<Int>) -> PastRecord {
    let origin = record.origin
    return PastRecord(
      key: key(record.key, among: keys), value: record.value.map { value($0, storedAs: nil) },
      state: record.state,
      origin: EntryOrigin(
        origin.evidence, cautions: origin.cautions, at: origin.place, in: origin.store),
      page: record.page, area: record.area)
  }

  private func entry(_ entry: TypedEntry, _ keys: Set<Int>) -> TypedEntry {
    let origin = entry.origin
    return TypedEntry(
      key: key(entry.key, among: keys), value: value(entry.value, storedAs: origin.raw),
      expiry: entry.expiry,
      origin: EntryOrigin(
        origin.evidence, cautions: origin.cautions, at: origin.place, in: origin.store))
  }
}

extension Finding {
  /// The same finding in the words that all findings of its kind have: its own may quote the file.
  fileprivate var general: Finding { saying(kind.meaning) }
}

extension Value {
  /// The length, in words; `nil` for a value of a fixed size.
  fileprivate var length: String? {
    switch self {
    case .bool, .int32, .uint32, .int64, .uint64, .float, .double, .date, .null: nil
    case .string(let text), .json(let text): Plural.count(text.utf8.count, "byte", "bytes")
    case .bytes(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes), .raw(let bytes):
      Plural.count(bytes.count, "byte", "bytes")
    case .list(let list): Plural.count(list.count, "element", "elements")
    case .set(let set): Plural.count(set.count, "element", "elements")
    case .array(let values): Plural.count(values.count, "element", "elements")
    case .dictionary(let members): Plural.count(members.count, "member", "members")
    }
  }
}
