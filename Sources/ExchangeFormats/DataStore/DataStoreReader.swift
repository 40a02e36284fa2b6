import KVBytes
import KVModel

/// Reads the map of preferences, entry by entry.
struct DataStoreReader {
  private typealias Member = DataStoreField.Member

  /// The entries read so far.
  private(set) var entries = LatestEntries()
  /// The findings so far.
  var findings = FindingList()
  /// What was read since the last entry in the form that libraries write.
  private var awaiting = Awaiting()
  private let file: StoreFile
  private var role: FileRole { file.role }
  /// The zeros in the texts of the entry that is being read, where an app writes none.
  private var lost: [Range<Int>] = []
  /// The zeros in its texts and data that an app may have written.
  private var unclear: [Range<Int>] = []
  /// Its texts that are not UTF-8.
  private var malformed: [Range<Int>] = []
  /// Whether that entry has a field that DataStore does not have.
  private var hasUnknownField = false
  /// Whether the library cannot parse the file; a finding then says what the app does.
  private(set) var isRefused = false
  /// The strings of the set that is being read, which may be split into any number of fields.
  private var texts: [String] = []

  private struct Awaiting {
    var entries: [TypedEntry] = []
    var findings = FindingList()
    /// Whether there is a field that DataStore does not have: a length may be wrong.
    var hasUnknownField = false

    var isEmpty: Bool { entries.isEmpty && findings.isEmpty }
  }

  /// Creates a reader of `file`.
  init(_ file: StoreFile) { self.file = file }

  /// Reads all of the file; after an error, from the next entry on.
  ///
  /// A wrong length leads into the middle of an entry, where bytes can look like fields for a while. So
  /// an unknown field, and all after it up to an entry in the form that libraries write, counts only if
  /// no error follows before such an entry. What has only bytes that are no text is cautioned anyway.
  mutating func read() {
    let image = file.image
    let bytes = image.storageSpan
    var search = DataStoreEntrySearch(count: bytes.count)
    var certain = 0
    var start = 0
    while start < bytes.count {
      let isUsual = search.isEntry(at: start, in: bytes)
      if isUsual { accept() }
      if isUsual || awaiting.isEmpty { certain = start }
      var end: Int?
      do throws(WireError) {
        var input = ByteCursor(bytes, in: start..<bytes.count)
        let field = try WireField(parsing: &input)
        end = field.range.upperBound
        if field.number == DataStoreField.entry, case .bytes(let content) = field.content {
          try entry(field.range, content, bytes)
        } else {
          unknown(field, in: "the map")
        }
        start = field.range.upperBound
        if isUsual { accept() }
      } catch {
        let reached = error.cause == .empty ? end ?? start : error.offset
        search.count(inVain: certain..<max(certain, reached))
        // The length of the entry can be right, though what is in it is not.
        let whole = end.flatMap { end in
          certain == start && (end == bytes.count || search.isEntry(at: end, in: bytes)) ? end : nil
        }
        let next = whole ?? search.next(after: certain, in: bytes)
        if accept(before: start, goingOnAt: next) { certain = start }
        // Behind the length of the damaged entry, nothing is a part of its value.
        if whole == nil { entries.keepAll() }
        add(error, certain..<(next ?? bytes.count), bytes, Self.rest(next, isWhole: whole != nil))
        start = next ?? bytes.count
      }
    }
    accept()
  }

  /// Returns what becomes of the rest of the file after an error, if the next entry is at `next`.
  private static func rest(_ next: Int?, isWhole: Bool) -> String {
    if isWhole { return "the entry is not read" }
    return next.map { "reading goes on at \(Hexadecimal.text($0, digits: 2))" }
      ?? "the rest of the file is not read"
  }

  /// Takes over what awaits the next entry in the usual form.
  private mutating func accept() {
    guard !awaiting.isEmpty else { return }
    for entry in awaiting.entries {
      guard let (earlier, isKept) = entries.add(entry) else { continue }
      awaiting.findings.add(
        Finding(
          DataStoreFindings.duplicateKey, at: entry.origin.extent,
          "\"\(entry.key.text ?? "")\" already appeared at "
            + "\(Hexadecimal.text(earlier.origin.extent?.offset ?? 0, digits: 2)); the \(isKept ? "first" : "last") one is used",
          losesContent: true))
    }
    findings.add(awaiting.findings)
    awaiting = Awaiting()
  }

  /// Takes over what awaits the next entry although the one at `start` cannot be read, or drops it if a
  /// length in it may be wrong, or if the entry at `next`, where reading goes on, begins in it.
  ///
  /// - Returns: Whether it is taken over.
  private mutating func accept(before start: Int, goingOnAt next: Int?) -> Bool {
    let isMisread = awaiting.hasUnknownField || next.map { $0 < start } == true
    if isMisread { awaiting = Awaiting() } else { accept() }
    return !isMisread
  }

  private mutating func entry(
    _ range: Range<Int>, _ content: Range<Int>, _ bytes: Span<UInt8>
  ) throws(WireError) {
    (lost, unclear, malformed, hasUnknownField) = ([], [], [], false)
    var (key, keyCount) = ("", 0)
    var (value, valueCount): (Value?, Int) = (nil, 0)
    var input = ByteCursor(bytes, in: content)
    while !input.isAtEnd {
      let field = try WireField(parsing: &input)
      switch (field.number, field.content) {
      case (DataStoreField.key, .bytes(let text)):
        key = try self.key(text, bytes)
        keyCount += 1
      // As CodedInputStreamReader.readMap: another value replaces the one before, and is not merged
      // with it.
      case (DataStoreField.value, .bytes(let member)):
        value = try self.value(member, bytes)
        valueCount += 1
      default: unknown(field, in: "an entry")
      }
    }
    guard let value else {
      throw WireError(.empty, at: range.lowerBound, "\"\(key)\" has no value")
    }
    // A length that takes in the next entry makes it another key and another value.
    for (count, name) in [(keyCount, "keys"), (valueCount, "values")] where count > 1 {
      note(range, "an entry has \(count.grouped) \(name); the last one is used")
    }
    let cautions: [Caution] = isDoubtful(key) ? [.mayBeDamaged] : []
    awaiting.entries.append(
      TypedEntry(
        key: Key(Array(key.utf8)), value: value,
        origin: EntryOrigin(.structure, cautions: cautions, at: file.place(range))))
  }

  /// Returns whether the entry that was read, of `key`, shows signs of damage, and adds findings.
  private mutating func isDoubtful(_ key: String) -> Bool {
    for zeros in lost { awaiting.findings.add(ZeroRuns.finding(of: zeros, in: file, "\"\(key)\"")) }
    for text in malformed {
      awaiting.findings.add(
        Finding(
          DataStoreFindings.malformed, at: Extent(role, text),
          "\(text.count.inBytes) of text in \"\(key)\" are not UTF-8; the app reads U+FFFD"
        ))
    }
    for zeros in unclear {
      awaiting.findings.add(TrailingZeros.finding(of: zeros, in: file, "\"\(key)\""))
    }
    return !lost.isEmpty || !unclear.isEmpty || !malformed.isEmpty || hasUnknownField
  }

  /// Returns the value whose message is at `range`, or `nil` if it has no member.
  private mutating func value(
    _ range: Range<Int>, _ bytes: Span<UInt8>
  ) throws(WireError) -> Value? {
    var value: Value?
    var input = ByteCursor(bytes, in: range)
    while !input.isAtEnd {
      let field = try WireField(parsing: &input)
      switch (field.number, field.content) {
      case (Member.bool, .varint(let bits)): value = .bool(bits != 0)
      case (Member.float, .fixed32(let bits)): value = .float(Float(bitPattern: bits))
      case (Member.int32, .varint(let bits)): value = .int32(Int32(truncatingIfNeeded: bits))
      case (Member.int64, .varint(let bits)): value = .int64(Int64(bitPattern: bits))
      case (Member.string, .bytes(let range)): value = .string(text(range, bytes))
      case (Member.double, .fixed64(let bits)): value = .double(Double(bitPattern: bits))
      case (Member.bytes, .bytes(let range)):
        value = Fitting.data(bytes.copy(of: range))
        unclear += [TrailingZeros.ofData(at: range, in: bytes)].compactMap(\.self)
      case (Member.set, .bytes(let range)):
        if case .set = value {} else { texts = [] }
        value = .set([])
        try readTexts(range, bytes)
      default: unknown(field, in: "a value")
      }
    }
    if case .set = value { return .set(Fitting.unique(texts)) }
    return value
  }

  private mutating func readTexts(
    _ range: Range<Int>, _ bytes: Span<UInt8>
  ) throws(WireError) {
    var input = ByteCursor(bytes, in: range)
    while !input.isAtEnd {
      let field = try WireField(parsing: &input)
      if field.number == DataStoreField.text, case .bytes(let range) = field.content {
        texts.append(text(range, bytes))
      } else {
        unknown(field, in: "a set")
      }
    }
  }

  /// Returns the text of a key, which the library checks.
  private mutating func key(
    _ range: Range<Int>, _ bytes: Span<UInt8>
  ) throws(WireError) -> String {
    guard bytes.text(in: range) != nil else {
      throw WireError(
        .malformed, at: range.lowerBound,
        "\(range.count.inBytes) of a key are not UTF-8")
    }
    return text(range, bytes)
  }

  /// Returns a text; the library, too, reads U+FFFD in place of what is not UTF-8.
  private mutating func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
    let runs = ZeroRuns(in: bytes, range).ranges
    lost += runs
    if runs.isEmpty {
      unclear += [TrailingZeros.ofText(at: range, in: bytes)].compactMap(\.self)
    }
    guard let text = bytes.text(in: range) else {
      malformed.append(range)
      return String(decoding: bytes.copy(of: range), as: UTF8.self)
    }
    return text
  }

  /// Reports that the bytes at `range` are not read because of `error`, and marks the entry before
  /// them.
  private mutating func add(
    _ error: WireError, _ range: Range<Int>, _ bytes: Span<UInt8>, _ rest: String
  ) {
    entries.cautionLast()
    if error.offset < bytes.count, bytes[error.offset] == 0 {
      let zeros = bytes.zeros(around: error.offset)
      if zeros.count >= ZeroRuns.leastCount {
        findings.add(lostBytes(zeros, rest))
        return
      }
    }
    let code: FindingCode
    switch error.cause {
    case .truncated: code = DataStoreFindings.truncated
    case .malformed: code = DataStoreFindings.malformed
    case .empty: code = DataStoreFindings.emptyValue
    }
    findings.add(
      Finding(
        code, .damage, at: Extent(role, range),
        "\(error.message) (at \(Hexadecimal.text(error.offset, digits: 2))); \(rest)"
          + consequence()))
  }

  /// Returns the finding of `zeros` where an entry or a field should be.
  private mutating func lostBytes(_ zeros: Range<Int>, _ rest: String) -> Finding {
    guard zeros == file.image.range else {
      return ZeroRuns.finding(of: zeros, in: file, "the entries")
        .adding("; \(rest)" + consequence())
    }
    return Finding(
      ZeroFindings.zeros, at: Extent(role, zeros),
      "only zeros: the contents of \(zeros.count.inBytes) never reached the disk"
        + consequence())
  }

  /// Returns what the app does with a file that the library does not parse, once.
  private mutating func consequence() -> String {
    defer { isRefused = true }
    return isRefused
      ? ""
      : ". The app will throw CorruptionException at its next launch; it crashes, or starts with no "
        + "preferences if it has a handler for that"
  }

  private mutating func unknown(_ field: WireField, in message: String) {
    note(field.range, "\(message) has no field \(field.number) of this type; it is ignored")
  }

  private mutating func note(_ range: Range<Int>, _ message: String) {
    hasUnknownField = true
    awaiting.hasUnknownField = true
    awaiting.findings.add(
      Finding(
        DataStoreFindings.unknownField, at: Extent(role, range), message, losesContent: true))
  }
}
