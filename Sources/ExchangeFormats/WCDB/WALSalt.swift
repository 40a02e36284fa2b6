/// What tells one run of a database's log from the next.
package struct WALSalt: Hashable, Sendable {
  /// The first number, which each restart of the log increases.
  package let first: UInt32
  /// The second number, which each restart of the log draws anew.
  package let second: UInt32

  /// The salt of these numbers.
  package init(first: UInt32, second: UInt32) {
    self.first = first
    self.second = second
  }
}
