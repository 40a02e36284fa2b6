import KVBytes
import KVModel

/// A line of type `entry`, `dropped` or `record`.
struct RecordLine: Encodable {
  let type: String
  let key: String?
  let keyHex: String
  let rawHex: String
  let value: ValueField?
  let readings: [ReadingField]
  let file: String
  let offset: Int
  let length: Int
  let evidence: String?
  let cautions: [String]?
  let operation: String?
  let state: String?
  let reason: String?
  let expiresAt: UInt32?
  let expired: Bool?

  enum CodingKeys: String, CodingKey {
    case type, key, value, readings, file, offset, length, evidence, cautions, operation, state
    case reason, expired
    case keyHex = "key_hex"
    case rawHex = "raw_hex"
    case expiresAt = "expires_at"
  }

  init<S: Store>(
    type: String, _ record: Record, of store: S, evidence: Evidence?, cautions: [Caution] = [],
    state: String? = nil, reason: String? = nil, now: UInt32
  ) {
    let key = store.key(of: record)
    let isPut = record.operation != .remove
    let readings = isPut ? store.readings(of: record) : []
    self.type = type
    self.key = key.text
    keyHex = Hexadecimal.text(key.bytes)
    rawHex = Hexadecimal.text(store.value(of: record))
    // A value is stated only where the bytes can be nothing else.
    value = readings.count == 1 ? ValueField(readings[0].value) : nil
    self.readings = readings.map { ReadingField(value: ValueField($0.value), reason: $0.reason) }
    file = record.file.name
    offset = record.offset
    length = record.count
    self.evidence = evidence?.rawValue
    self.cautions = cautions.isEmpty ? nil : cautions.map(\.rawValue)
    operation = state == nil ? nil : record.operation.name
    self.state = state
    self.reason = reason
    let time = isPut ? store.expiry(of: record) : nil
    expiresAt = time.flatMap { $0 == 0 ? nil : $0 }
    expired = expiresAt.map { $0 <= now }
  }

  /// The contract has `key` and `value` on every line, null where there is nothing to say.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(type, forKey: .type)
    try container.encode(key, forKey: .key)
    try container.encode(keyHex, forKey: .keyHex)
    try container.encode(rawHex, forKey: .rawHex)
    try container.encode(value, forKey: .value)
    try container.encode(readings, forKey: .readings)
    try container.encode(file, forKey: .file)
    try container.encode(offset, forKey: .offset)
    try container.encode(length, forKey: .length)
    try container.encodeIfPresent(evidence, forKey: .evidence)
    try container.encodeIfPresent(cautions, forKey: .cautions)
    try container.encodeIfPresent(operation, forKey: .operation)
    try container.encodeIfPresent(state, forKey: .state)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encodeIfPresent(expiresAt, forKey: .expiresAt)
    try container.encodeIfPresent(expired, forKey: .expired)
  }
}

/// A reading: the value and what speaks for it.
struct ReadingField: Encodable {
  let value: ValueField
  let reason: String
}
