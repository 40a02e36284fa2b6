/// The reason why a value of a property list could not be read, and where.
struct PropertyListError: Error {
  /// The bytes that are wrong.
  let range: Range<Int>
  /// A description for people to read.
  let message: String
  /// Whether reading cannot continue.
  let isFinal: Bool

  /// Creates an error in `range`.
  init(_ range: Range<Int>, _ message: String, isFinal: Bool = false) {
    self.range = range
    self.message = message
    self.isFinal = isFinal
  }
}
