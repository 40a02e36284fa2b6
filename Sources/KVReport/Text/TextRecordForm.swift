import KVBytes
import KVConversion
import KVModel
import KVRecovery

/// How a line of text states a record: its key, its value in words, and how far it can be trusted.
struct TextRecordForm: RecordForm {
  /// A number of bytes that many short lines usually fit into.
  private static let usualCount = 1 << 16

  let store: any Store
  /// The clock that decides which entries have expired.
  let clock: UInt32
  /// The likely types of the store's values.
  let typing: StoreTyping
  let values: ValueDetail
  let colors: Colors
  /// The file with the log, which lines of the history need not name.
  private let main: FileRole
  private let roleNames: RoleNames

  init(
    store: any Store, clock: UInt32, typing: StoreTyping, values: ValueDetail, colors: Colors
  ) {
    self.store = store
    self.clock = clock
    self.typing = typing
    self.values = values
    self.colors = colors
    main = store.logArea.file
    roleNames = store.files.roleNames
  }

  var isShort: Bool { true }

  func lines(
    about records: [RecordItems], _ weighed: inout WeighedValues,
    to emit: (([UInt8]) -> Void)?
  ) -> [UInt8] {
    var lines: [UInt8] = []
    if emit == nil { lines.reserveCapacity(Self.usualCount) }
    for records in records { write(records, of: store, &weighed, to: &lines) }
    return lines
  }

  private func write<S: Store>(
    _ records: RecordItems, of store: S, _ weighed: inout WeighedValues, to lines: inout [UInt8]
  ) {
    records.forEach(short: isShort) { item in
      write(item, of: store, &weighed, to: &lines)
    } gap: { gap in
      write(gap, of: store, to: &lines)
    }
  }

  private func write<S: Store>(
    _ item: RecordItem, of store: S, _ weighed: inout WeighedValues, to lines: inout [UInt8]
  ) {
    entry(item, of: store, &weighed, to: &lines)
    if let evidence = item.evidence {
      lines.append(utf8Of: colors.mark(evidence, item.assessment?.probability))
    }
    // The history states only what the entries are, not what may be wrong with them.
    if item.state == nil, let assessment = item.assessment {
      lines.append(utf8Of: colors.mark(assessment.cautions))
    }
    lines.append(UInt8(ascii: "\n"))
    guard let weighing = item.weighing else { return }
    for line in WeighingText(weighing).lines { lines.append(utf8Of: line + "\n") }
  }

  /// Writes the entry, behind its offset and state if it is one of the history.
  private func entry<S: Store>(
    _ item: RecordItem, of store: S, _ weighed: inout WeighedValues, to lines: inout [UInt8]
  ) {
    guard let state = item.state else { return entry(item.record, of: store, &weighed, to: &lines) }
    let around = state == .live ? ("", "") : colors.aroundPast
    lines.append(utf8Of: around.0)
    let offset = Hexadecimal.text(item.record.offset, digits: 6)
    lines.append(utf8Of: "\(offset)  \(state.rawValue.padded(to: 10))  ")
    entry(item.record, of: store, &weighed, to: &lines)
    if item.record.file != main {
      lines.append(utf8Of: "  in \(roleNames[item.record.file])")
    }
    lines.append(utf8Of: around.1)
  }

  private func entry<S: Store>(
    _ record: Record, of store: S, _ weighed: inout WeighedValues, to lines: inout [UInt8]
  ) {
    DisplayText.write(store.key(of: record), to: &lines)
    guard record.operation != .remove else { return lines.append(utf8Of: "  (removal)") }
    if let reason = store.reasonForNoValue(of: record) {
      return lines.append(utf8Of: "  (\(reason))")
    }
    lines.append(utf8Of: " = ")
    DisplayText.write(valueOf: record, in: store, by: typing, values, &weighed, to: &lines)
    if let time = store.expiry(of: record), time != 0 {
      lines.append(utf8Of: DisplayText.expiry(at: time, by: clock))
    }
  }

  private func write<S: Store>(_ gap: Gap, of store: S, to lines: inout [UInt8]) {
    let remains = Remains(at: gap.extent, of: store)
    lines.append(
      utf8Of: colors.gap(
        "\(Hexadecimal.text(gap.extent.offset, digits: 6))  gap         "
          + "\(Plural.count(gap.extent.count, "byte", "bytes")) [\(gap.cause.code)]"
          + (remains.map { "  " + words(for: $0) } ?? "")) + "\n")
  }

  /// Returns the text among bytes without a record, or the bytes themselves if there is none.
  private func words(for remains: Remains) -> String {
    let text = remains.text
    return text.isEmpty
      ? DisplayText.value(.bytes(remains.bytes), limit: values.isWhole ? .max : 60)
      : "text \"\(DisplayText.escaped(text, limit: values.isWhole ? .max : 60))\""
  }
}
