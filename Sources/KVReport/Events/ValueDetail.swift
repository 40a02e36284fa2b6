import ExchangeFormats
import KVModel

/// How much of the values a report shows.
package struct ValueDetail: Sendable {
  /// The readings that are shown of a value without a stored type.
  package enum Readings: String, Sendable, CaseIterable {
    /// The likeliest reading, and more detailed forms of it.
    case best
    /// All readings that fit the bytes.
    case all
  }

  /// The readings that are shown; `nil` for the form's default.
  let readings: Readings?
  /// Whether a text report shows long values in full.
  let isWhole: Bool
  /// Whether documents within values are opened at any depth.
  let isDeep: Bool
  /// Returns the content of a value that is a document itself.
  let content: @Sendable (Value) -> ValueContent?

  /// Creates a detail that shows these `readings` and long values in full if `isWhole`, and opens no
  /// documents.
  package init(readings: Readings? = nil, isWhole: Bool = false) {
    self.readings = readings
    self.isWhole = isWhole
    isDeep = false
    content = { _ in nil }
  }

  /// Creates a detail that shows these `readings`, long values in full if `isWhole`, and the content
  /// of documents, at any depth if `isDeep`.
  package init(readings: Readings? = nil, isWhole: Bool = false, opening isDeep: Bool) {
    self.readings = readings
    self.isWhole = isWhole
    self.isDeep = isDeep
    content = isDeep ? NestedContent.opened : NestedContent.of
  }
}
