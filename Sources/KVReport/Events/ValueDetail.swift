package import KVModel

/// How much of values a report shows.
package struct ValueDetail: Sendable {
  /// Which of the readings of a value without a stored type are shown.
  package enum Readings: String, Sendable, CaseIterable {
    /// The likeliest, and closer looks at it.
    case best
    /// All that fit the bytes.
    case all
  }

  /// Which readings are shown; `nil` for what a form shows by itself.
  package let readings: Readings?
  /// Whether a text shows long values to their end.
  package let isWhole: Bool
  /// Returns what is in a value that is a document of its own.
  package let content: @Sendable (Value) -> ValueContent?

  /// Shows these `readings`, long values to their end if `isWhole`, and what `content` says is in them.
  package init(
    readings: Readings? = nil, isWhole: Bool = false,
    content: @escaping @Sendable (Value) -> ValueContent? = { _ in nil }
  ) {
    self.readings = readings
    self.isWhole = isWhole
    self.content = content
  }
}
