import KVBytes
import KVModel
import SystemPackage

/// The lines of JSON files that contain entries.
enum EntryLines {
  /// The version of the schema.
  private static let schema = 1

  /// Returns a finding at `place` if the file states an unknown schema version, or `nil` if not.
  static func finding(schema: Value?, at place: Extent) -> Finding? {
    guard let schema, schema != .int64(1) else { return nil }
    return Finding(
      JSONFindings.unknownSchema, at: place,
      "the file says \"schema\": \(schema.plainJSON ?? "null"), but only 1 is known. It is read as schema 1, "
        + "and newer fields are ignored",
      losesContent: true)
  }

  /// Writes the members of the first line, of a store called `name`.
  static func header(_ line: inout JSONLine, _ source: EntrySource) {
    line.member("format", source.formatName)
    line.member("kvfsck", "entries")
    line.member("name", source.name)
    line.member("schema", schema)
  }
}

extension JSONLine {
  /// Writes `entry` as the object that ``EntryEnvelope`` describes.
  mutating func entry(_ entry: TypedEntry) {
    let origin = entry.origin
    object { line in
      line.data(of: entry.value)
      if !origin.cautions.isEmpty {
        line.member("cautions") { $0.array(origin.cautions) { $0.text($1.rawValue) } }
      }
      line.className(of: entry.value)
      line.member("evidence", origin.evidence.rawValue)
      if entry.expiry != 0 { line.member("expires_at", Int(entry.expiry)) }
      if let place = origin.place { line.member("file", place.roleName) }
      if let key = entry.key.text {
        line.member("key", key)
      } else {
        line.member("key_base64", Base64.text(entry.key.bytes))
      }
      if let extent = origin.extent {
        line.member("length", extent.count)
        line.member("offset", extent.offset)
      }
      if let store = origin.store { line.member("store", store.string) }
      line.typeAndContent(of: entry.value)
    }
  }
}
