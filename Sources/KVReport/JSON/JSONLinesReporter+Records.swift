import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

extension JSONLinesReporter {
  /// What a line of type `entry`, `aside`, `dropped` or `record` states in addition to the record.
  struct Fate {
    /// The evidence for the entry; `nil` for one that is left out.
    var assessment: Assessment?
    /// The state of a record in the history.
    var state: String?
    var reason: String?
  }

  /// Writes a line of type `entry`, `aside`, `dropped` or `record`.
  ///
  /// Every such line has `key` and `value`, which are null if there is nothing to state.
  func record<S: Store>(
    _ type: String, _ record: Record, of store: S, _ fate: Fate, now: UInt32
  ) {
    let key = store.key(of: record)
    let isPut = record.operation != .remove
    let readings = isPut ? typing.reported(record, in: store, &weighed) : []
    let shown = values.readings == .all ? readings : StoreTyping.likeliest(of: readings)
    let others = StoreTyping.otherKinds(in: readings, than: shown)
    let content = readings.first.flatMap { values.document(of: $0, in: record, of: store) }
    let expiry = isPut ? store.expiry(of: record).flatMap { $0 == 0 ? nil : $0 } : nil
    writeLine { line in
      line.member("cautions", fate.assessment?.cautions ?? [])
      line.member("content", content)
      if let evidence = fate.assessment?.evidence { line.member("evidence", evidence.rawValue) }
      if let expiry {
        line.member("expired") { $0.literal(expiry <= now) }
        line.member("expires_at", Int(expiry))
      }
      line.member("file", roleNames[record.file])
      line.member("key", key.text)
      line.member("key_hex") { $0.hexadecimal(key.bytes.storageSpan) }
      line.member("length", record.count)
      line.member("offset", record.offset)
      if fate.state != nil { line.member("operation", record.operation.name) }
      if !others.isEmpty {
        line.member("other_kinds") { $0.array(others) { $0.text($1.rawValue) } }
      }
      if let path = storePath { line.member("path", path) }
      line.member("raw_hex") { line in store.withValue(of: record) { line.hexadecimal($0) } }
      line.member("readings", shown)
      if let reason = fate.reason { line.member("reason", reason) }
      line.member("rules", fate.assessment?.rules ?? [])
      if let state = fate.state { line.member("state", state) }
      line.member("type", type)
      // A value is only stated if the bytes have no other reading.
      line.member("value") { line in
        if readings.count == 1 { line.value(of: readings[0]) } else { line.null() }
      }
    }
  }

  /// Writes a line of type `entry` for an entry of a format without a log.
  func entry(_ entry: TypedEntry) {
    writeLine { line in
      let origin = entry.origin
      line.member("cautions", origin.cautions)
      line.member("content", values.content(entry.value))
      line.member("evidence", origin.evidence.rawValue)
      if entry.expiry != 0 { line.member("expires_at", Int(entry.expiry)) }
      if let place = origin.place { line.member("file", place.roleName) }
      if let key = entry.key.text { line.member("key", key) }
      line.member("key_hex") { $0.hexadecimal(entry.key.bytes.storageSpan) }
      if let extent = origin.extent {
        line.member("length", extent.count)
        line.member("offset", extent.offset)
      }
      let path = storePath ?? origin.extent.flatMap { paths[$0.index] }
      if let path { line.member("path", path) }
      if let raw = origin.raw { line.member("raw_hex") { $0.hexadecimal(raw.storageSpan) } }
      line.member("readings") { $0.array(EmptyCollection<Int>()) { _, _ in } }
      line.member("type", "entry")
      line.member("value") { $0.value(entry.value) }
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
      if let path = note.store?.text ?? storePath { line.member("path", path) }
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

extension JSONLine {
  /// Writes the member called `name` with `cautions`, if there are any.
  fileprivate mutating func member(_ name: String, _ cautions: [Caution]) {
    if !cautions.isEmpty { member(name) { $0.array(cautions) { $0.text($1.rawValue) } } }
  }

  /// Writes the member called `name` with `rules`, if there are any.
  fileprivate mutating func member(_ name: String, _ rules: [RuleID]) {
    if !rules.isEmpty { member(name) { $0.array(rules) { $0.text($1.text) } } }
  }

  /// Writes the member called `name` with the content of a document, if there is one.
  fileprivate mutating func member(_ name: String, _ content: ValueContent?) {
    guard let content else { return }
    member(name) { line in
      line.object { line in
        if content.media == nil { line.member("count", content.count) }
        line.member("form", content.form.rawValue)
        if let media = content.media {
          line.member("type", media.type)
        } else {
          line.member("members") { $0.array(content.members) { $0.part($1) } }
        }
      }
    }
  }

  /// Writes a part of a document.
  private mutating func part(_ member: ValueContent.Member) {
    object { line in
      if let name = member.name { line.member("name", name) }
      line.member("value") { line in
        switch member.content {
        case .value(let reading): line.value(of: reading)
        case .container(let kind, let count):
          line.object { line in
            line.member("count", count)
            line.member("kind", kind)
          }
        }
      }
    }
  }

  /// Writes the member called `name` with `readings`, each with its reason.
  fileprivate mutating func member(_ name: String, _ readings: [Reading]) {
    member(name) { line in
      line.array(readings) { line, reading in
        line.object { line in
          line.member("reason", reading.reason)
          line.member("value") { $0.value(of: reading) }
        }
      }
    }
  }
}
