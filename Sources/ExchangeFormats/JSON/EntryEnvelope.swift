import KVBytes
import KVModel
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An entry as a JSON object: its key, the fields of its value, and its origin.
///
///     field       content
///     key         the text of the key
///     key_base64  the bytes of the key instead, if they are not UTF-8
///     …           the fields of ``ValueEnvelope``
///     expires_at  seconds since 1970; absent if the entry does not expire
///     evidence    the evidence for the entry
///     cautions    what no checksum can rule out; absent if empty
///     file, offset, length
///                 the record that the entry comes from; absent if unknown
///     store       the data file of its store; absent if all entries are from one store
struct EntryEnvelope: Decodable {
  /// The fields in addition to those of the value.
  private enum Field: String, CodingKey {
    case key, evidence, cautions
    case keyBase64 = "key_base64"
    case expiry = "expires_at"
  }

  /// The entry.
  let entry: TypedEntry

  private static func expiry(in container: KeyedDecodingContainer<Field>) throws -> UInt32 {
    guard container.contains(.expiry) else { return 0 }
    if let seconds = try? container.decode(UInt32.self, forKey: .expiry) { return seconds }
    throw DecodingError.dataCorruptedError(
      forKey: .expiry, in: container,
      debugDescription: "it must be a whole number of seconds from 0 to \(UInt32.max)")
  }

  /// Returns the reason, for people to read, why a line or an object is not an entry.
  static func explanation(of error: any Error) -> String {
    (error as? DecodingError)?.explanation ?? "it is not JSON"
  }

  /// Decodes an entry with its evidence.
  ///
  /// The place of the entry in its former store is dropped.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Field.self)
    let key: [UInt8]
    if container.contains(.key) || !container.contains(.keyBase64) {
      key = Array(try container.decode(String.self, forKey: .key).utf8)
    } else {
      let base64 = try container.decode(String.self, forKey: .keyBase64)
      guard let data = Data(base64Encoded: base64) else {
        throw DecodingError.dataCorruptedError(
          forKey: .keyBase64, in: container, debugDescription: "it is not base64")
      }
      key = [UInt8](data)
    }
    let evidence = try container.decodeIfPresent(String.self, forKey: .evidence)
    let cautions = try container.decodeIfPresent([String].self, forKey: .cautions) ?? []
    entry = TypedEntry(
      key: Key(key), value: try ValueEnvelope(from: decoder).value,
      expiry: try EntryEnvelope.expiry(in: container),
      // No checksum verifies the content of a text file, whatever the file claims.
      origin: EntryOrigin(
        min(.structure, evidence.flatMap(Evidence.init(rawValue:)) ?? .structure),
        cautions: cautions.compactMap(Caution.init(rawValue:))))
  }
}
