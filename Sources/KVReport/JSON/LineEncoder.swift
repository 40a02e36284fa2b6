#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes one object as a line of JSON, its fields sorted by name.
package struct LineEncoder {
  private let encoder: JSONEncoder

  /// An encoder.
  package init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
  }

  /// `value` as JSON.
  package func text(_ value: some Encodable) -> String {
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      // The lines are made of strings, integers and floats that the strategy above covers.
      preconditionFailure("a line of a report cannot be encoded: \(error)")
    }
  }
}
