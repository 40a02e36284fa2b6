import KVBytes
import KVModel

/// Compares the expected entries with those that a store holds.
struct EntryComparison {
  private let expected: [ExpectedEntry]
  private let found: [StoreFacts.Entry]

  init(_ expected: [ExpectedEntry], _ found: [StoreFacts.Entry]) {
    self.expected = expected
    self.found = found
  }

  /// Adds the differences: first those of expected entries, in their order, then the unexpected
  /// entries.
  ///
  /// If a key occurs several times, its occurrences are compared in order.
  func add(to differences: inout Comparer) {
    var left: [Key: [Int]] = [:]
    for (index, entry) in found.enumerated().reversed() {
      left[entry.key, default: []].append(index)
    }
    for entry in expected {
      guard let index = left[entry.key]?.popLast() else {
        differences.add(
          Difference(
            "entry", .missing, DisplayText.key(entry.key), keyHex: Self.hex(entry.key),
            expected: Self.text(entry)))
        continue
      }
      compare(entry, found[index], &differences)
    }
    for index in left.values.joined().sorted() {
      let entry = found[index]
      differences.add(
        Difference(
          "entry", .unexpected, DisplayText.key(entry.key), keyHex: Self.hex(entry.key),
          found: Self.text(entry)))
    }
  }

  private func compare(
    _ expected: ExpectedEntry, _ found: StoreFacts.Entry, _ differences: inout Comparer
  ) {
    let key = DisplayText.key(found.key)
    let keyHex = Self.hex(found.key)
    if !isSameValue(expected, found) {
      var texts: (expected: String?, found: String) = (Self.text(expected), Self.text(found))
      if texts.expected == texts.found, let raw = expected.raw {
        // The difference is not in the part that is shown.
        let bytes = found.raw ?? []
        let start = zip(raw, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let offset = start ?? min(raw.count, bytes.count)
        texts.expected = (texts.expected ?? "") + Self.place(raw, offset)
        texts.found += Self.place(bytes, offset)
      }
      differences.add(
        Difference(
          "entry", .changed, key, keyHex: keyHex, expected: texts.expected, found: texts.found))
    }
    differences.compare(
      "entry", key, "evidence", keyHex: keyHex, expected.evidence, found.evidence.rawValue)
    differences.compare(
      "entry", key, "cautions", keyHex: keyHex, expected.cautions, found.cautions.map(\.rawValue))
    differences.compare(
      "entry", key, "expires_at", keyHex: keyHex, expected.expiry, Int(found.expiry))
  }

  /// Returns whether the value is as expected: its bytes if they are stated, otherwise one of its
  /// readings.
  private func isSameValue(_ expected: ExpectedEntry, _ found: StoreFacts.Entry) -> Bool {
    if let raw = expected.raw, found.raw != nil || expected.value == nil {
      return raw == found.raw
    }
    guard let value = expected.value else { return true }
    return found.readings().contains { Self.tree($0) == value }
  }

  // MARK: For people

  private static func hex(_ key: Key) -> String { Hexadecimal.text(key.bytes) }

  private static func place(_ bytes: [UInt8], _ offset: Int) -> String {
    offset < bytes.count
      ? " with \(Hexadecimal.text(bytes[offset], digits: 2)) at byte \(offset) of the value"
      : " of \(bytes.count.inBytes)"
  }

  private static func text(_ entry: ExpectedEntry) -> String? {
    if let shown = entry.shown { return text(shown) }
    return entry.raw.map { text(of: $0) }
  }

  private static func text(_ entry: StoreFacts.Entry) -> String {
    if let tree = entry.readings().first.flatMap({ tree($0) }) { return text(tree) }
    return text(of: entry.raw ?? [])
  }

  private static func text(of raw: [UInt8]) -> String { DisplayText.value(.raw(raw)) }

  private static func text(_ value: Value) -> String {
    let kind = if case .string(let name) = value.member("kind") { name + " " } else { "" }
    return DisplayText.escaped(kind + content(value), limit: 80, quotes: false)
  }

  /// Returns the text of a value without the names of types.
  private static func content(_ value: Value) -> String {
    switch value {
    case .array(let elements):
      return "[" + elements.map { content($0) }.joined(separator: ", ") + "]"
    case .dictionary:
      if let content = value.member("value") { return self.content(content) }
      if case .string(let hex) = value.member("hex") { return "0x" + hex }
      return "{}"
    default: return value.plainJSON ?? "null"
    }
  }

  /// Returns a value in the form that report lines have.
  private static func tree(_ value: Value) -> Value? {
    // A value nested too deeply to be read cannot be in a file of expectations either.
    try? Value(reportJSON: Array(JSONLine.text(of: value).utf8))
  }
}
