import KVBytes
import KVModel
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lines of JSON files that contain entries.
struct EntryLines {
  /// The content of the first line.
  struct Header: Codable {
    /// The kind of content, `entries`.
    var kvfsck = "entries"
    /// The version of the schema.
    var schema = 1
    /// The name of the store.
    var name: String
    /// The name of the store's format.
    var format: String
  }

  /// Returns a finding at `place` if the file states an unknown schema version, or `nil` if not.
  static func finding(schema: Value?, at place: Extent) -> Finding? {
    guard let schema, schema != .int64(1) else { return nil }
    return Finding(
      JSONFindings.unknownSchema, at: place,
      "the file says \"schema\": \(schema.plainJSON ?? "null"), but only 1 is known. It is read as schema 1, "
        + "and newer fields are ignored",
      losesContent: true)
  }

  private let encoder: JSONEncoder

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Returns `value` as one line of JSON.
  func line(_ value: some Encodable) throws(ConversionError) -> String {
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .library("a value cannot be written as JSON: \(error)")
    }
  }

  /// Appends the object of `entry`, without a line end.
  func append(_ entry: TypedEntry, to bytes: inout [UInt8]) throws(ConversionError) {
    let envelope = EntryEnvelope(entry)
    if !envelope.append(to: &bytes) { bytes.append(contentsOf: try line(envelope).utf8) }
  }
}

extension EntryEnvelope {
  /// Appends the object, byte for byte as `JSONEncoder` encodes it, in a sixth of the time.
  ///
  /// - Returns: `false` if nothing was appended. The encoder must then encode the value. This
  ///   applies to lists, containers, archives, and numbers that may have a fraction.
  fileprivate func append(to bytes: inout [UInt8]) -> Bool {
    guard let value = SimpleValue(entry.value) else { return false }
    let origin = entry.origin
    bytes.append(UInt8(ascii: "{"))
    // The fields are sorted by name.
    if case .base64(let data) = value {
      bytes.append(contentsOf: Name.base64)
      JSONBytes.append(quoted: Base64.text(data), to: &bytes)
      bytes.append(UInt8(ascii: ","))
    }
    append(origin.cautions, to: &bytes)
    bytes.append(contentsOf: Name.evidence)
    JSONBytes.append(quoted: origin.evidence.rawValue, to: &bytes)
    if entry.expiry != 0 { append(Name.expiry, bare: String(entry.expiry), to: &bytes) }
    if let place = origin.place { append(Name.file, quoted: place.roleName, to: &bytes) }
    if let key = entry.key.text {
      append(Name.key, quoted: key, to: &bytes)
    } else {
      append(Name.keyBase64, quoted: Base64.text(entry.key.bytes), to: &bytes)
    }
    if let extent = origin.extent {
      append(Name.length, bare: String(extent.count), to: &bytes)
      append(Name.offset, bare: String(extent.offset), to: &bytes)
    }
    if let store = origin.store { append(Name.store, quoted: store.string, to: &bytes) }
    append(Name.type, quoted: entry.value.kind.rawValue, to: &bytes)
    switch value {
    case .base64: break
    case .text(let text): append(Name.value, quoted: text, to: &bytes)
    case .bare(let text): append(Name.value, bare: text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return true
  }

  private func append(_ cautions: [Caution], to bytes: inout [UInt8]) {
    guard !cautions.isEmpty else { return }
    bytes.append(contentsOf: Name.cautions)
    for (index, caution) in cautions.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONBytes.append(quoted: caution.rawValue, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    bytes.append(UInt8(ascii: ","))
  }

  private func append(_ name: [UInt8], bare text: String, to bytes: inout [UInt8]) {
    bytes += name
    JSONBytes.append(text, to: &bytes)
  }

  private func append(_ name: [UInt8], quoted text: String, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: name)
    JSONBytes.append(quoted: text, to: &bytes)
  }
}

/// The names of fields, as they are written.
///
/// After the evidence, which is always present, a name includes the comma before it.
private enum Name {
  static let base64 = Array("\"base64\":".utf8)
  static let cautions = Array("\"cautions\":[".utf8)
  static let evidence = Array("\"evidence\":".utf8)
  static let expiry = Array(",\"expires_at\":".utf8)
  static let file = Array(",\"file\":".utf8)
  static let key = Array(",\"key\":".utf8)
  static let keyBase64 = Array(",\"key_base64\":".utf8)
  static let length = Array(",\"length\":".utf8)
  static let offset = Array(",\"offset\":".utf8)
  static let store = Array(",\"store\":".utf8)
  static let type = Array(",\"type\":".utf8)
  static let value = Array(",\"value\":".utf8)
}

/// The fields of ``ValueEnvelope`` for a value that is a single string, integer or data.
private enum SimpleValue {
  /// A string in `value`.
  case text(String)
  /// Any other content of `value`, as JSON.
  case bare(String)
  /// Data in `base64`.
  case base64([UInt8])

  init?(_ value: Value) {
    switch value {
    case .bool(let bool): self = .bare(bool ? "true" : "false")
    case .int32(let number): self = .bare(String(number))
    case .uint32(let number): self = .bare(String(number))
    case .int64(let number):
      self = ScalarEnvelope.isExact(number) ? .bare(String(number)) : .text(String(number))
    case .uint64(let number):
      self = ScalarEnvelope.isExact(number) ? .bare(String(number)) : .text(String(number))
    case .string(let text), .json(let text): self = .text(text)
    case .bytes(let bytes), .raw(let bytes): self = .base64(bytes)
    case .null: self = .bare("null")
    case .float, .double, .date, .keyedArchive, .object, .list, .set, .array, .dictionary:
      return nil
    }
  }
}
