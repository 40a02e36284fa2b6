import KVBytes
import KVConversion
import KVModel

extension DisplayText {
  /// The size, in bytes, above which readings are made only of the beginning, as a line shows less.
  private static let longCount = 1 << 12

  /// Returns the readings of the value of `record` that a line shows: those that are useful to a
  /// person.
  ///
  /// They take little memory, however long the value is.
  static func readings<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping
  ) -> [Reading] {
    var weighed = WeighedValues()
    return readings(of: record, in: store, by: typing, &weighed)
  }

  /// Returns the same for one of many records; `weighed` are the values weighed for those before.
  static func readings<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping, _ weighed: inout WeighedValues
  ) -> [Reading] {
    typing.weigh(record, in: store, keeping: limit(for: record), &weighed)
    var readings = [reading(0, of: record, in: store, weighed)]
    // A closure would copy all that was weighed.
    for index in tellingIndices(weighed.candidates) {
      readings.append(reading(index, of: record, in: store, weighed))
    }
    return readings
  }

  /// Appends the value of `record` in words to `line`: the likeliest reading, and others according to
  /// `detail`; `weighed` are the values weighed for the records before.
  static func write<S: Store>(
    valueOf record: Record, in store: S, by typing: StoreTyping, _ detail: ValueDetail,
    _ weighed: inout WeighedValues, to line: inout [UInt8]
  ) {
    typing.weigh(record, in: store, keeping: limit(for: record), &weighed)
    if !writeWords(record, in: store, detail, weighed, to: &line) {
      let first =
        detail.isWhole
        ? weighed.reading(at: 0, of: record, in: store, keeping: .max)
        : reading(0, of: record, in: store, weighed)
      write(first, limit: detail.isWhole ? .max : 60, to: &line)
      if let document = detail.document(of: first, in: record, of: store) {
        line.append(utf8Of: contents(document, isWhole: detail.isWhole))
      }
    }
    let others =
      switch detail.readings {
      case .best: [Int]()
      case .all: Array(weighed.candidates.indices.dropFirst())
      case nil: tellingIndices(weighed.candidates)
      }
    let shown = others.prefix(detail.readings == nil ? 1 : .max)
    for index in shown {
      line.append(utf8Of: " | ")
      write(reading(index, of: record, in: store, weighed), to: &line)
    }
    let rest = others.count - shown.count
    if rest > 0 { line.append(utf8Of: " | \(rest.grouped) more") }
  }

  /// Appends the likeliest reading of the value of `record`, which was weighed, without making it, and
  /// returns `true` if it is a short text of characters that are shown as they are.
  private static func writeWords<S: Store>(
    _ record: Record, in store: S, _ detail: ValueDetail, _ weighed: WeighedValues,
    to line: inout [UInt8]
  ) -> Bool {
    guard weighed.weighedKind == .string, !detail.isDeep else { return false }
    return store.withValue(of: record) { value in
      guard let range = store.textRange(in: value), range.count <= 60 else { return false }
      let text = value.extracting(range)
      // A text that begins so may be a document.
      guard isWords(text), text.isEmpty || text[0] != UInt8(ascii: "<") else { return false }
      line.append(utf8Of: "string \"")
      line.append(contentsOf: text)
      line.append(UInt8(ascii: "\""))
      return true
    }
  }

  /// Returns the reading of a candidate of the value that was weighed, as far as a line shows it.
  private static func reading<S: Store>(
    _ index: Int, of record: Record, in store: S, _ weighed: WeighedValues
  ) -> Reading {
    weighed.reading(at: index, of: record, in: store, keeping: limit(for: record))
  }

  private static func limit(for record: Record) -> Int {
    record.value.count > longCount ? longCount : .max
  }

  /// Returns the value of an entry whose format stores types, in words.
  static func value(_ entry: TypedEntry, _ detail: ValueDetail) -> String {
    value(entry.value, limit: detail.isWhole ? .max : 60)
      + contents(detail.content(entry.value), isWhole: detail.isWhole)
  }

  /// Returns the indices of the candidates after the likeliest that are useful to a person.
  ///
  /// These are all, except for the bytes of what can be read as text, its characters as a list of
  /// numbers, and the text of JSON once more.
  private static func tellingIndices(_ candidates: [TypeCandidate]) -> [Int] {
    if candidates.count == 1 { return [] }
    let hasText = candidates.contains { $0.kind == .string || $0.kind == .json }
    return candidates.indices.dropFirst().filter { !hasText || addsToText(candidates[$0].kind) }
  }

  /// Returns whether a type says more of a value than that it is text.
  private static func addsToText(_ kind: Value.Kind) -> Bool {
    switch kind {
    case .bytes, .json: false
    default: kind.element == nil || kind == .stringList
    }
  }
}
