import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lines that JSON files of entries are made of.
struct EntryLines {
  /// What the first line says.
  struct Header: Codable {
    /// `entries`: what the file holds.
    var kvfsck = "entries"
    /// The version of the form.
    var schema = 1
    /// The name of the store.
    var name: String
    /// The name of the format that it had.
    var format: String
  }

  /// Returns a finding at `place` where the file says that it is of another version of the form, or of none
  /// that is a number.
  static func finding(schema: Value?, at place: Extent) -> Finding? {
    guard let schema, schema != .int64(1) else { return nil }
    return Finding(
      JSONFindings.unknownSchema, at: place,
      "the file says \"schema\": \(schema.plainJSON ?? "null"), and only 1 is known: it is read as that, "
        + "and what is new in it is passed over",
      losesContent: true)
  }

  private let encoder: JSONEncoder

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// `value` on a line.
  func line(_ value: some Encodable) throws(ConversionError) -> String {
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .library("a value cannot be written as JSON: \(error)")
    }
  }
}
