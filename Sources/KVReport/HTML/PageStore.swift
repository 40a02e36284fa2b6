import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// What a page shows of the store that is being reported.
struct PageStore {
  /// The most characters shown of a value, and of each value of a large store.
  private static let valueLimits = (usual: 300, many: 48)
  /// The most characters shown of the text in a gap.
  private static let gapTextLimit = 4096
  /// The most characters shown of the content of a value.
  private static let contentLimit = 1 << 13
  private static let detail = ValueDetail(opening: true)
  /// The number of records above which a store is large.
  private static let manyCount = 50_000

  /// The store's index in the overview.
  let number: Int
  private(set) var data: PageStoreData
  private let store: (any Store)?
  private let files: [StoreFile]
  /// The roles of the files.
  private let roles: [FileRole]
  private var typing = StoreTyping() { didSet { weighed = WeighedValues() } }
  /// The values weighed so far.
  private var weighed = WeighedValues()
  private var memberships = StateMembership()
  private var rows: PageRows
  private var ruleNumbers: [[RuleID]: Int] = [:]
  /// The rules of the record before, which are usually those of the next one.
  private var lastRules: (rules: [RuleID], number: Int)?
  private var findings: [Finding] = []
  /// The rules that the states follow from.
  private var stateRules: [RuleID] = []
  private var keyNumbers: [Key: Int] = [:]

  init(_ number: Int, _ store: any Store) {
    self.init(number, .store(store), store.files, store)
  }

  init(_ number: Int, _ table: EntryTable) {
    self.init(number, .store(table), table.files, nil)
  }

  private init(
    _ number: Int, _ line: JSONObject, _ files: [StoreFile], _ store: (any Store)?
  ) {
    self.number = number
    self.store = store
    self.files = files
    roles = files.map(\.role)
    rows = PageRows("r\(number)")
    data = PageStoreData(store: line)
    data.files = files.map(PageFile.init)
  }

  /// The names that need an explanation: codes and rules.
  var names: Set<String> {
    Set(findings.flatMap { [$0.code] + $0.rules.map(\.text) })
      .union(stateRules.map(\.text))
      .union(data.rules.flatMap { $0.split(separator: " ").map(String.init) })
  }

  // MARK: Events

  /// Adds an event about the store.
  mutating func add(_ event: ReportEvent) {
    switch event {
    case .typed(let typing): self.typing = typing
    case .findings(let findings, let files):
      let names = files.roleNames
      self.findings = findings
      data.findings = findings.map {
        .finding($0, of: names, path: files.path(of: $0).map { ReportedPath($0) })
      }
    case .states(let states): add(states)
    case .versions(let versions): data.states = versions.map(JSONObject.version)
    case .predictions(let predictions, let isAppAsked):
      data.predictions = predictions.map { .page($0, isAppAsked: isAppAsked) }
    case .coverage(let tally): data.coverage = .coverage(tally)
    case .history(let events): for event in events { add(event) }
    case .typedEntry(let entry): add(entry)
    case .pastRecord(let record):
      if let entry = record.entry { add(entry, state: record.state.rawValue) }
    case .map(let map): add(map)
    case .summary(let summary): data.summary = .summary(summary)
    default: break
    }
  }

  private mutating func add(_ states: [StoreState]) {
    memberships = store.map { StateMembership(states, of: $0) } ?? StateMembership()
    data.states = states.map(JSONObject.state)
    stateRules = states.flatMap(\.rules)
  }

  private mutating func add(_ map: ByteMap) {
    for (index, file) in files.enumerated() {
      data.files[index].add(map.regions.lazy.filter { $0.extent.index == file.index })
    }
    for correction in store?.corrections ?? [] {
      for change in correction.changes {
        guard let index = roles.firstIndex(of: change.file) else { continue }
        data.files[index].corrected.append(change.offset)
      }
    }
  }

  // MARK: Records

  /// Whether there is no room for more records, so that they are only counted.
  var isFull = false

  private mutating func add(_ event: HistoryEvent) {
    switch event {
    case .record(let record, let state, let assessment): add(record, state.rawValue, assessment)
    case .gap(let gap): add(gap)
    }
  }

  private mutating func add(_ record: Record, _ state: String, _ assessment: Assessment) {
    guard let store else { return }
    guard !isFull else {
      _ = (memberships.take(record), ruleNumber(assessment.rules))
      count(state)
      return data.omittedCount += 1
    }
    add(row(of: record, in: store, state, assessment))
  }

  /// The state that the page shows for bytes without a record.
  private static let gapState = "gap"

  /// Adds the bytes of `gap`, unless they are zeros, so that a search finds the text among them.
  private mutating func add(_ gap: Gap) {
    guard let store, !isFull, let remains = Remains(at: gap.extent, of: store) else { return }
    var row = PageRow()
    row.file = roles.firstIndex(of: gap.extent.file) ?? 0
    row.range = gap.extent.range
    // No key has this number.
    row.keyNumber = -1
    row.state = Self.gapState
    let text = remains.text
    row.text =
      text.isEmpty
      ? DisplayText.content(.bytes(remains.bytes), limit: Self.valueLimits.usual)
      : DisplayText.escaped(text, limit: Self.gapTextLimit, quotes: false)
    add(row)
  }

  private mutating func add(_ row: PageRow) {
    count(row.state)
    if !row.kind.isEmpty, !data.kinds.contains(row.kind) { data.kinds.append(row.kind) }
    rows.add(row)
  }

  private mutating func count(_ state: String) {
    data.rowCount += 1
    if let index = data.tally.firstIndex(where: { $0.key == state }) {
      data.tally[index].value += 1
    } else {
      data.tally.append((state, 1))
    }
  }

  private mutating func row(
    of record: Record, in store: some Store, _ state: String, _ assessment: Assessment
  ) -> PageRow {
    let isMany = data.rowCount > Self.manyCount
    let limit = isMany ? Self.valueLimits.many : Self.valueLimits.usual
    var row = PageRow()
    row.file = roles.firstIndex(of: record.file) ?? 0
    row.range = record.extent.range
    row.key = record.key
    row.value = record.value
    add(store.key(of: record), to: &row)
    row.operation = record.operation == .put ? "" : record.operation.name
    row.state = state
    row.evidence = assessment.evidence.rawValue
    row.cautions = assessment.cautions.map(\.rawValue).joined(separator: " ")
    row.probability = assessment.probability?.tenThousandths ?? 0
    row.rules = ruleNumber(assessment.rules)
    row.states = memberships.take(record)
    guard record.operation != .remove else { return row }
    row.expiry = store.expiry(of: record).map { Int($0) } ?? 0
    if let reason = store.reasonForNoValue(of: record) {
      row.text = "(\(reason))"
      return row
    }
    let readings = DisplayText.readings(of: record, in: store, by: typing, &weighed)
    guard let best = readings.first else { return row }
    row.kind = best.value.kind.rawValue
    row.text = DisplayText.content(best, limit: limit)
    guard !isMany else { return row }
    if readings.count > 1 { row.others = DisplayText.value(readings[1]) }
    row.content = Self.text(of: Self.detail.document(of: best, in: record, of: store))
    return row
  }

  /// Returns the content of a document in words; empty if there is none.
  private static func text(of document: ValueContent?) -> String {
    guard let document else { return "" }
    let lines =
      [DisplayText.title(of: document)]
      + (document.media == nil ? DisplayText.outline(of: document) : [])
    let text = lines.joined(separator: "\n")
    let shown = text.unicodeScalars.prefix(contentLimit)
    return String(shown) + (shown.endIndex < text.endIndex ? "…" : "")
  }

  /// The most characters shown of a key.
  private static let keyLimit = 200

  private mutating func add(_ key: Key, to row: inout PageRow) {
    let next = keyNumbers.count
    row.keyNumber = Self.taken(&keyNumbers[key, default: next])
    guard let text = key.text else {
      return row.keyText = DisplayText.key(key, limit: Self.keyLimit)
    }
    if key.bytes.count <= Self.keyLimit { return row.keyText = text }
    let shown = text.unicodeScalars.prefix(Self.keyLimit)
    row.keyText = String(shown) + (shown.endIndex < text.endIndex ? "…" : "")
  }

  private mutating func add(
    _ entry: TypedEntry, state: String = HistoryEvent.RecordState.live.rawValue
  ) {
    var row = PageRow()
    if let extent = entry.origin.extent {
      row.file = files.firstIndex { $0.index == extent.index } ?? 0
      row.range = extent.range
    }
    add(entry.key, to: &row)
    row.state = state
    row.evidence = entry.origin.evidence.rawValue
    row.cautions = entry.origin.cautions.map(\.rawValue).joined(separator: " ")
    row.expiry = Int(entry.expiry)
    row.kind = entry.value.kind.rawValue
    row.text = DisplayText.content(entry.value, limit: Self.valueLimits.usual)
    if data.rowCount <= Self.manyCount {
      row.content = Self.text(of: Self.detail.content(entry.value))
    }
    add(row)
  }

  /// Returns `number`, which a dictionary that it is passed from then has: finding its place once
  /// takes half as long as finding it twice.
  private static func taken(_ number: inout Int) -> Int { number }

  /// Returns the index of `rules` in the page's list.
  private mutating func ruleNumber(_ rules: [RuleID]) -> Int {
    if let lastRules, lastRules.rules == rules { return lastRules.number }
    let number = ruleNumbers[rules] ?? data.rules.count
    if number == data.rules.count {
      ruleNumbers[rules] = number
      data.rules.append(rules.map(\.text).joined(separator: " "))
    }
    lastRules = (rules, number)
    return number
  }

  /// Ends the records by adding those that are only in a state and not in the reported history.
  mutating func finish() {
    for (record, assessment) in memberships.rest {
      add(record, StateMembership.otherLog, assessment)
    }
    rows.close()
  }

  /// Returns the blocks of records that have been ended.
  mutating func takeChunks() -> [PageRows.Chunk] { rows.take() }

  /// Records where a block is, or that there was no room for it.
  mutating func note(_ chunk: PageRows.Chunk, isWritten: Bool) {
    if isWritten {
      data.chunks.append(chunk.index)
    } else {
      data.omittedCount += chunk.index.count
    }
  }

  // MARK: Bytes

  /// The size, in bytes, up to which a file is shown whole.
  private static let wholeCount = 1 << 18
  /// The number of bytes shown from the start of a longer file.
  ///
  /// Around each place of a finding, ``marginCount`` bytes are shown on either side.
  private static let startCount = 1 << 15
  private static let marginCount = 1 << 10
  private static let placeLimit = 64

  /// Passes the bytes that the page can show to `write`, which returns whether there was room for
  /// them.
  ///
  /// Without a map of a file, a page shows none of its bytes, and none of those of a redacted store.
  mutating func writeWindows(_ write: (_ id: String, _ bytes: [UInt8]) -> Bool) {
    if store?.isRedacted == true { return }
    let found = store?.applying([])
    for (index, file) in files.enumerated() where !data.files[index].runs.isEmpty {
      let isLog = file.index.ordinal == 0
      let image = isLog ? found?.decoded(file.role) ?? file.image : file.image
      data.files[index].decrypted = isLog && file.role == .data && store?.isEncrypted ?? false
      var omittedCount = image.count
      for range in ranges(of: image, in: file) {
        let id = "b\(number)-\(index)-\(range.lowerBound)"
        guard write(id, image.bytes(in: range)) else { continue }
        data.files[index].windows.append(
          ["offset": range.lowerBound, "count": range.count, "id": id])
        omittedCount -= range.count
      }
      data.omittedBytes += omittedCount
    }
  }

  /// Returns the ranges of `image` that are shown, in order and without overlap.
  private func ranges(of image: FileImage, in file: StoreFile) -> [Range<Int>] {
    guard image.count > Self.wholeCount else { return image.count == 0 ? [] : [image.range] }
    var wanted = [0..<Self.startCount]
    let findings = findings.filter { $0.file?.role == file.role }.prefix(Self.placeLimit)
    for place in findings.compactMap(\.extent) {
      for spot in [place.offset, place.end] where spot <= image.count {
        wanted.append(
          max(0, spot - Self.marginCount)..<min(image.count, spot + Self.marginCount))
      }
    }
    var merged: [Range<Int>] = []
    for range in wanted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}
