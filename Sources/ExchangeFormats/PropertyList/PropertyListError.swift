/// Why a value of a property list could not be read, and where.
struct PropertyListError: Error {
  /// The bytes of what is wrong.
  let range: Range<Int>
  /// What is wrong, for people.
  let message: String
  /// Whether there is no point in reading on.
  let isFinal: Bool

  /// An error in `range`.
  init(_ range: Range<Int>, _ message: String, isFinal: Bool = false) {
    self.range = range
    self.message = message
    self.isFinal = isFinal
  }
}
