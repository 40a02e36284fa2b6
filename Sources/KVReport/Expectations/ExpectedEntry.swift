import KVModel

/// An expected entry.
struct ExpectedEntry: Sendable {
  /// The key.
  let key: Key
  /// The value's bytes; `nil` if the line does not state them.
  let raw: [UInt8]?
  /// The value; `nil` if the line does not state it.
  let value: Value?
  /// The value for people to read; `nil` if the line does not state one.
  let shown: Value?
  let evidence: String?
  /// The cautions; `nil` if the line does not state them.
  let cautions: [String]?
  /// The expiry, in seconds since 1970, or 0 for never; `nil` if the line does not state it.
  let expiry: Int?

  /// Creates the entry of a line.
  ///
  /// A line with evidence was written by kvfsck, so what it omits is absent.
  init(_ line: ExpectedLine) throws(LineFault) {
    let text = try line.text("key").map { Key(Array($0.utf8)) }
    let hex = try line.bytes("key_hex").map { Key($0) }
    guard let key = hex ?? text else {
      throw LineFault(reason: "an entry needs \"key\" or \"key_hex\"")
    }
    if let text, let hex, text != hex {
      throw LineFault(
        reason: "\"key\" and \"key_hex\" are different keys: "
          + "\(DisplayText.key(text)) and \(DisplayText.key(hex))")
    }
    self.key = key
    raw = try line.bytes("raw_hex")
    value = line.member("value")
    if let value {
      guard case .string = value.member("kind") else {
        throw LineFault(
          reason: "value must be an object with \"kind\", as in a JSON report, not "
            + value.jsonKind)
      }
    }
    var shown = value
    if shown == nil, case .array(let likely) = line.member("likely") { shown = likely.first }
    if shown == nil, case .array(let readings) = line.member("readings") {
      shown = readings.first?.member("value")
    }
    self.shown = shown
    evidence = try line.text("evidence")
    let isWhole = evidence != nil
    cautions = try line.texts("cautions") ?? (isWhole ? [] : nil)
    expiry = try line.integer("expires_at") ?? (isWhole ? 0 : nil)
  }
}
