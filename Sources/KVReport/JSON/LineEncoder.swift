#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes an object as a line of JSON with its fields sorted by name.
package struct LineEncoder {
  private let encoder: JSONEncoder

  /// Creates an encoder.
  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
  }

  /// Returns `value` as JSON.
  package func text(_ value: some Encodable) -> String {
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      // Lines consist of strings, integers, and floats that the strategy above covers.
      preconditionFailure("a line of a report cannot be encoded: \(error)")
    }
  }
}
