import KVBytes
import KVModel
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An entry as an object of JSON: its key, the fields of its value, and where it comes from.
///
///     field       content
///     key         the key's text
///     key_base64  its bytes in its place, where they are not UTF-8
///     …           the fields of ``ValueEnvelope``
///     expires_at  seconds since 1970; absent for never
///     evidence    what verifies it
///     cautions    what no checksum can exclude; absent where nothing
///     file, offset, length
///                 the record that it comes from; absent where the format does not tell
///     store       the data file of its store; absent where the entries are of one store
struct EntryEnvelope: Codable {
  /// The fields beside those of the value.
  private enum Field: String, CodingKey {
    case key, evidence, cautions, file, offset, length, store
    case keyBase64 = "key_base64"
    case expiry = "expires_at"
  }

  /// The entry.
  let entry: TypedEntry

  /// The envelope of `entry`.
  init(_ entry: TypedEntry) { self.entry = entry }

  private static func expiry(in container: KeyedDecodingContainer<Field>) throws -> UInt32 {
    guard container.contains(.expiry) else { return 0 }
    if let seconds = try? container.decode(UInt32.self, forKey: .expiry) { return seconds }
    throw DecodingError.dataCorruptedError(
      forKey: .expiry, in: container,
      debugDescription: "it has to be a whole number of seconds from 0 to \(UInt32.max)")
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Field.self)
    if let text = entry.key.text {
      try container.encode(text, forKey: .key)
    } else {
      try container.encode(Base64.text(entry.key.bytes), forKey: .keyBase64)
    }
    if entry.expiry != 0 { try container.encode(entry.expiry, forKey: .expiry) }
    try container.encode(entry.origin.evidence.rawValue, forKey: .evidence)
    if !entry.origin.cautions.isEmpty {
      try container.encode(entry.origin.cautions.map(\.rawValue), forKey: .cautions)
    }
    if let place = entry.origin.place {
      try container.encode(place.roleName, forKey: .file)
      try container.encode(place.extent.offset, forKey: .offset)
      try container.encode(place.extent.count, forKey: .length)
    }
    try container.encodeIfPresent(entry.origin.store?.string, forKey: .store)
    var fields = encoder.container(keyedBy: ValueEnvelope.Field.self)
    try ValueEnvelope(entry.value).encode(into: &fields)
  }

  /// Why a line or an object is no entry, for people.
  static func explanation(of error: any Error) -> String {
    (error as? DecodingError)?.explanation ?? "it is not JSON"
  }

  /// The entry with its evidence; the place is that in the store before, and not
  /// taken over.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Field.self)
    let key: [UInt8]
    if container.contains(.key) || !container.contains(.keyBase64) {
      key = Array(try container.decode(String.self, forKey: .key).utf8)
    } else {
      let base64 = try container.decode(String.self, forKey: .keyBase64)
      guard let data = Data(base64Encoded: base64) else {
        throw DecodingError.dataCorruptedError(
          forKey: .keyBase64, in: container, debugDescription: "it is no base64")
      }
      key = [UInt8](data)
    }
    let evidence = try container.decodeIfPresent(String.self, forKey: .evidence)
    let cautions = try container.decodeIfPresent([String].self, forKey: .cautions) ?? []
    entry = TypedEntry(
      key: Key(key), value: try ValueEnvelope(from: decoder).value,
      expiry: try EntryEnvelope.expiry(in: container),
      // No checksum verifies what stands in a text, whatever it says about where it was.
      origin: EntryOrigin(
        min(.structure, evidence.flatMap(Evidence.init(rawValue:)) ?? .structure),
        cautions: cautions.compactMap(Caution.init(rawValue:))))
  }
}
