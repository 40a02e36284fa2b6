import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

extension JSONLinesReporter {
  /// Writes a line of type `entry` for an entry of a format without a log, or of type `dropped` if a
  /// plan leaves it out for `reason`.
  func entry(_ entry: TypedEntry, droppedBecause reason: String? = nil) {
    writeLine { line in
      let origin = entry.origin
      let isFull = values.readings == .all
      if reason == nil { line.member("cautions", origin.cautions) }
      line.member("content", values.content(entry.value))
      if reason == nil { line.member("evidence", origin.evidence.rawValue) }
      if entry.expiry != 0 { line.expires(at: entry.expiry, by: clock) }
      if let place = origin.place, isFull || place.roleName != mainRole {
        line.member("file", place.roleName)
      }
      line.member("key", entry.key.text)
      line.member("key_hex", hexadecimal: entry.key.bytes)
      if let extent = origin.extent {
        if isFull { line.member("length", extent.count) }
        line.member("offset", extent.offset)
      }
      let path = storePath ?? origin.extent.flatMap { paths[$0.index] }
      if let path { line.member("path", path) }
      if let raw = origin.raw { line.member("raw_hex", hexadecimal: raw) }
      if let reason { line.member("reason", reason) }
      line.member("type", reason == nil ? "entry" : "dropped")
      line.member("value") { $0.value(entry.value) }
    }
  }

  /// Writes a line of type `record` for a former entry of a format without a log.
  func pastRecord(_ record: PastRecord) {
    writeLine { line in
      line.member("area", record.area)
      line.member("cautions", record.origin.cautions)
      if let value = record.value { line.member("content", values.content(value)) }
      line.member("evidence", record.origin.evidence.rawValue)
      if let place = record.origin.place {
        line.member("file", place.roleName)
        line.member("key", record.key.text)
        line.member("key_hex", hexadecimal: record.key.bytes)
        line.member("length", place.extent.count)
        line.member("offset", place.extent.offset)
      }
      line.member("operation", record.historic.operation)
      line.member("page", record.page)
      if let path = storePath ?? record.origin.extent.flatMap({ paths[$0.index] }) {
        line.member("path", path)
      }
      if let raw = record.origin.raw { line.member("raw_hex", hexadecimal: raw) }
      line.member("state", record.state.rawValue)
      line.member("type", "record")
      line.member("value") { line in
        if let value = record.value { line.value(value) } else { line.null() }
      }
    }
  }

  /// Writes a line of type `finding` for a note of a conversion, of which there can be as many as
  /// entries.
  func note(_ note: ConversionNote) {
    writeLine { line in
      line.member("code", note.loss.code)
      if let place = note.place { line.member("file", place.roleName) }
      if let key = note.key.text { line.member("key", key) }
      line.member("key_hex") { $0.hexadecimal(note.key.bytes.storageSpan) }
      if let extent = note.place?.extent { line.member("length", extent.count) }
      line.member("message", note.loss.message)
      if let extent = note.place?.extent { line.member("offset", extent.offset) }
      if let path = note.store.map({ ReportedPath($0) }) ?? storePath { line.member("path", path) }
      line.member("severity", note.loss.severity.rawValue)
      line.member("type", "finding")
    }
  }

  /// Writes a line of type `moment`.
  func moment(_ moment: TimelineMoment) {
    writeLine { line in
      if let place = moment.place { line.member("file", place.roleName) }
      line.member("key", moment.key.text)
      line.member("key_hex") { $0.hexadecimal(moment.key.bytes.storageSpan) }
      if let extent = moment.place?.extent {
        line.member("length", extent.count)
        line.member("offset", extent.offset)
      }
      if let path = storePath { line.member("path", path) }
      line.member("source", moment.source.rawValue)
      if let state = moment.state { line.member("state", state.rawValue) }
      line.member("time", moment.time.text)
      line.member("type", "moment")
      line.member("unit", moment.time.unit.name)
      line.member("value") { line in
        if let value = moment.value { line.value(value) } else { line.null() }
      }
    }
  }
}
