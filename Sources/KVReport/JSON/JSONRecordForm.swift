import KVBytes
import KVConversion
import KVModel
import KVRecovery

/// How a line of type `entry`, `aside`, `dropped` or `record` states a record.
///
/// The short form, which is the usual one, leaves out what a reader can tell from the rest: a value
/// that is sure, or its likeliest readings, without reasons; and nothing that is the same for every
/// sound entry of a store.
struct JSONRecordForm: RecordForm {
  /// A number of bytes that many short lines usually fit into.
  private static let usualCount = 1 << 18

  let store: any Store
  /// The clock that decides which entries have expired.
  let clock: UInt32
  /// The likely types of the store's values.
  let typing: StoreTyping
  let values: ValueDetail
  /// The names of the roles of the store's files.
  let roleNames: RoleNames
  /// The path of the store, if several were named.
  let path: ReportedPath?
  /// The role of the store's first file, which lines of the short form need not state; not looked up
  /// for each line, which would copy the file's description.
  let main: FileRole?

  var isShort: Bool { values.readings != .all }

  func lines(
    about records: [RecordItems], _ weighed: inout WeighedValues,
    to emit: (([UInt8]) -> Void)?
  ) -> [UInt8] {
    JSONLine.lines(reserving: emit == nil ? Self.usualCount : 0, to: emit) { lines in
      for records in records { write(records, of: store, &weighed, to: &lines) }
    }
  }

  private func write<S: Store>(
    _ records: RecordItems, of store: S, _ weighed: inout WeighedValues, to lines: inout JSONLine
  ) {
    records.forEach(short: isShort) { item in
      let value = StatedValue(of: item.record, in: store, typing, values, &weighed)
      lines.line { write(item, value, of: store, to: &$0) }
    } gap: { gap in
      var line = JSONObject.gap(gap, of: roleNames, Remains(at: gap.extent, of: store))
      if let path { line.add("path", path) }
      lines.line(line.writeMembers)
    }
  }

  private func write<S: Store>(
    _ item: RecordItem, _ value: StatedValue, of store: S, to line: inout JSONLine
  ) {
    let record = item.record
    let isFull = !isShort
    let assessment = isShort && item.assessment?.isSound == true ? nil : item.assessment
    line.member("cautions", assessment?.cautions ?? [])
    line.member("content", value.content)
    if let evidence = item.evidence { line.member("evidence", evidence.rawValue) }
    if let expiry = value.expiry { line.expires(at: expiry, by: clock) }
    if isFull || record.file != main { line.member("file", roleNames[record.file]) }
    store.withKey(of: record) { key in
      line.member("key") { $0.text(utf8: key) }
      line.member("key_hex") { $0.hexadecimal(key) }
    }
    if isFull || item.state != nil { line.member("length", record.count) }
    if !isFull, !value.isOnly, value.reasonForNone == nil {
      write(likely: value, of: record, in: store, to: &line)
    }
    line.member("offset", record.offset)
    if item.state != nil { line.member("operation", record.operation.name) }
    if let path { line.member("path", path) }
    if let probability = assessment?.probability {
      line.member("probability") { $0.number(probability) }
    }
    write(rawOf: record, value, of: store, to: &line)
    if isFull { line.member("readings", value.readings) }
    // That of the store as it is shown, which may hide names of files.
    if let reason = value.reasonForNone ?? item.reason { line.member("reason", reason) }
    line.member("rules", assessment?.rules ?? [])
    if let state = item.state { line.member("state", state.rawValue) }
    line.member("type", item.type)
    // A value is only stated if the bytes have no other reading.
    if value.isOnly {
      line.member("value") { $0.value(of: value.readings[0]) }
    } else if isFull {
      line.member("value") { $0.null() }
    }
    line.weighing(item.weighing)
  }

  private func write<S: Store>(
    likely value: StatedValue, of record: Record, in store: S, to line: inout JSONLine
  ) {
    guard let text = value.text else { return line.likely(value.readings) }
    store.withValue(of: record) { line.likely(text: $0.extracting(text)) }
  }

  /// Writes the bytes of the value; none if it is missing, even where hidden bytes have a substitute.
  private func write<S: Store>(
    rawOf record: Record, _ value: StatedValue, of store: S, to line: inout JSONLine
  ) {
    line.name("raw_hex")
    guard value.reasonForNone == nil else { return line.text("") }
    store.withValue(of: record) { line.hexadecimal($0) }
  }
}

extension JSONLine {
  /// Writes when an entry expires, in seconds since 1970, and whether that is over by `clock`.
  mutating func expires(at time: UInt32, by clock: UInt32) {
    member("expired") { $0.literal(time <= clock) }
    member("expires_at", Int(time))
  }
}

/// What a line states of the value of a record.
private struct StatedValue {
  /// The readings that are stated, the likeliest first; none of a removal.
  private(set) var readings: [Reading] = []
  /// The bytes of the value that are its text, if that is the only likely reading; it is not made.
  private(set) var text: Range<Int>?
  /// Whether the value has no other reading than the first one.
  private(set) var isOnly = false
  /// The content of a value that is a document.
  private(set) var content: ValueContent?
  /// When the entry expires; `nil` for never.
  private(set) var expiry: UInt32?
  /// Why there is no value, although the record sets a key; `nil` if there is one.
  private(set) var reasonForNone: String?

  init<S: Store>(
    of record: Record, in store: S, _ typing: StoreTyping, _ values: ValueDetail,
    _ weighed: inout WeighedValues
  ) {
    guard record.operation != .remove else { return }
    reasonForNone = store.reasonForNoValue(of: record)
    guard reasonForNone == nil else { return }
    let all = values.readings == .all
    typing.weighReported(record, in: store, &weighed)
    if !all, !values.isDeep { text = weighed.plainText(of: record, in: store) }
    if text == nil {
      (readings, isOnly) = weighed.reported(record, in: store, all: all)
    }
    content = readings.first.flatMap { values.document(of: $0, in: record, of: store) }
    if let time = store.expiry(of: record), time != 0 { expiry = time }
  }
}
