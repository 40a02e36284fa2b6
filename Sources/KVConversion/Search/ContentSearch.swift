import KVBytes
package import KVModel
package import KVRecovery

/// A search in all that stores still have: live, superseded, removed and residual records, the
/// documents in their values, and bytes of no record.
package struct ContentSearch: Sendable {
  /// The pattern.
  package let pattern: SearchPattern
  /// Returns the content of a value that is a document, with that of all documents in it.
  private let content: @Sendable (Value) -> ValueContent?

  /// Creates a search for `pattern`; `content` opens documents.
  package init(
    for pattern: SearchPattern, opening content: @escaping @Sendable (Value) -> ValueContent?
  ) {
    self.pattern = pattern
    self.content = content
  }

  // MARK: Stores with a log

  /// Returns what is found in `store`, of which `diagnosis` is.
  ///
  /// - Complexity: O(size of the files), and more for values that may match.
  package func result<S: Store>(in store: S, _ diagnosis: Diagnosis) -> SearchResult {
    var result = SearchResult()
    guard case .readable = store.access, let state = diagnosis.best else {
      result.isUnread = true
      for file in store.files { search(file.image, from: 0, file.place, &result) }
      return result
    }
    var pass = LogPass(search: self, store: store, names: store.files.roleNames, result: result)
    History(of: store, by: state).forEachInAllCopies { event, isInCopy in
      pass.isInCopy = isInCopy
      switch event {
      case .record(let record, let fate, let assessment): pass.add(record, fate, assessment)
      case .gap(let gap): pass.add(gap.extent)
      }
    }
    return pass.result
  }

  /// Adds each place in `image` with bytes that match, which `place` names; `start` is the offset of
  /// its first byte in the file.
  fileprivate func search(
    _ image: FileImage, from start: Int, _ place: (Range<Int>) -> Place,
    _ result: inout SearchResult
  ) {
    let (found, isCut) = pattern.occurrences(in: image.storageSpan, limit: result.room + 1)
    for occurrence in found {
      let range = occurrence.range.lowerBound + start..<occurrence.range.upperBound + start
      let match = SearchMatch(occurrence, in: image)
      result.add(
        SearchHit(match, in: .bytes, of: nil, .residual, at: place(range), range: range, .guess))
    }
    if isCut { result.isCut = true }
  }

  // MARK: Files without a log

  /// Returns what is found in the entries of `table`, in former ones, and in other versions of it.
  package func result(in table: EntryTable) -> SearchResult {
    var result = SearchResult()
    result.isUnread = table.obstacle != nil || table.verdict == .unreadable
    for entry in table.entries { search(entry, .live, &result) }
    for record in table.past?() ?? [] {
      let state = EntryFate(record.state)
      if let entry = record.entry {
        search(entry, state, &result)
      } else if let match = pattern.match(in: record.key) {
        let origin = record.origin
        result.add(
          SearchHit(
            match, in: .key, of: record.key, state, at: origin.place, origin.evidence,
            isOfSureKey: origin.isOfSureKey))
      }
    }
    for version in table.versions {
      for entry in version.entries.entries(notIn: table.entries) {
        search(entry, .residual, &result)
      }
    }
    return result
  }

  private func search(
    _ entry: TypedEntry, _ state: EntryFate, _ result: inout SearchResult
  ) {
    let origin = entry.origin
    func add(_ match: SearchMatch, _ part: SearchHit.Part, _ member: String? = nil) {
      result.add(
        SearchHit(
          match, in: part, of: entry.key, state, at: origin.place, member: member,
          origin.evidence, isOfSureKey: origin.isOfSureKey))
    }
    if let match = pattern.match(in: entry.key) { add(match, .key) }
    if let (match, member) = match(in: entry.value) {
      add(match, member == nil ? .value : .nested, member)
    }
  }

  // MARK: Values

  /// Returns the first match in `value`, and the names that lead there if it is in a document within
  /// the value.
  ///
  /// Text is searched as it is first, and binary data as a document.
  fileprivate func match(in value: Value) -> (match: SearchMatch, member: String?)? {
    func nested() -> (match: SearchMatch, member: String?)? {
      content(value).flatMap { match(in: $0.members, named: []) }
    }
    let isBinary = value.isBinary
    return (isBinary ? nested() : nil) ?? pattern.match(in: value).map { ($0, nil) }
      ?? (isBinary ? nil : nested())
  }

  private func match(
    in members: [ValueContent.Member], named path: [String]
  ) -> (match: SearchMatch, member: String?)? {
    for (index, member) in members.enumerated() {
      // What is packed has no name.
      let isOnly = member.name == nil && members.count == 1
      let path = path + (isOnly ? [] : [member.name ?? "\(index)"])
      if let match = match(in: member, named: path) { return match }
    }
    return nil
  }

  private func match(
    in member: ValueContent.Member, named path: [String]
  ) -> (match: SearchMatch, member: String?)? {
    func own() -> SearchMatch? {
      guard case .value(let reading) = member.content else { return nil }
      return pattern.match(in: reading.value)
        ?? member.others.lazy.compactMap { scalarMatch(in: $0.value) }.first
    }
    if let inner = match(in: member.document?.members ?? member.parts, named: path) { return inner }
    return (member.name.flatMap { pattern.match(in: $0) } ?? own())
      .map { ($0, path.joined(separator: ".")) }
  }

  /// Returns the match in `value` if it is a number.
  ///
  /// Of what a value may be instead of what it likely is, only a number can be looked for: any bytes
  /// are a list of small ones.
  fileprivate func scalarMatch(in value: Value) -> SearchMatch? {
    switch value {
    case .int32, .uint32, .int64, .uint64, .float, .double: pattern.match(in: value)
    default: nil
    }
  }
}

/// The search in the records of a store with a log.
private struct LogPass<S: Store> {
  let search: ContentSearch
  let store: S
  let names: RoleNames
  var result: SearchResult
  /// Whether the records are in a copy, which may have the same ones.
  var isInCopy = false
  /// The records with hits, by the hashes of their keys and values.
  private var known: Set<Int> = []

  init(search: ContentSearch, store: S, names: RoleNames, result: SearchResult) {
    self.search = search
    self.store = store
    self.names = names
    self.result = result
  }

  /// Adds the bytes at `extent`, in which no record can be read.
  mutating func add(_ extent: Extent) {
    guard let last = store.lastNonzero(in: extent) else { return }
    let image = store.decoded(extent.file)
    let range = (extent.offset..<last + 1).clamped(to: image.range)
    let names = names
    search.search(
      FileImage(image.bytes(in: range)), from: range.lowerBound,
      { names.place(Extent(extent.file, $0)) }, &result)
  }

  mutating func add(
    _ record: Record, _ fate: HistoryEvent.RecordState, _ assessment: Assessment
  ) {
    let key = store.key(of: record)
    let inKey = search.pattern.match(in: key)
    let inValue = record.operation == .remove ? nil : valueMatch(in: record)
    guard inKey != nil || inValue != nil, isNew(record, key) else { return }
    let image = store.decoded(record.file)
    func add(_ match: SearchMatch, _ part: SearchHit.Part, _ range: Range<Int>, _ member: String?) {
      result.add(
        SearchHit(
          match, in: part, of: key, .init(fate), at: names.place(record.extent),
          range: match.place(in: image, range.clamped(to: image.range)), member: member,
          assessment.evidence, isOfSureKey: assessment.isOfSureKey, assessment.probability))
    }
    if let inKey { add(inKey, .key, record.key, nil) }
    if let inValue {
      add(inValue.match, inValue.member == nil ? .value : .nested, record.value, inValue.member)
    }
  }

  /// Returns whether no record with the same key and value was found; in a copy, most are the same.
  private mutating func isNew(_ record: Record, _ key: Key) -> Bool {
    guard store.logAreas.count > 1 else { return true }
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(record.operation)
    if record.operation != .remove { hasher.combine(store.value(of: record)) }
    return known.insert(hasher.finalize()).inserted || !isInCopy
  }

  private func valueMatch(in record: Record) -> (match: SearchMatch, member: String?)? {
    guard store.reasonForNoValue(of: record) == nil,
      store.withValue(of: record, { search.pattern.mayOccur(in: $0) })
    else { return nil }
    let readings = store.readings(of: record)
    var found: (SearchMatch, String?)?
    for (index, reading) in readings.enumerated() where found == nil {
      found =
        index == 0 || reading.value.isText
        ? search.match(in: reading.value)
        : search.scalarMatch(in: reading.value).map { ($0, nil) }
    }
    return found
  }
}

extension Value {
  /// Whether the value is binary data.
  fileprivate var isBinary: Bool {
    switch self {
    case .bytes, .raw, .keyedArchive, .object: true
    default: false
    }
  }

  /// Whether the value is text or bytes, and so has what is stored as it is.
  fileprivate var isText: Bool {
    switch self {
    case .string, .bytes: true
    default: false
    }
  }
}
