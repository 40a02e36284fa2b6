/// The salts that distinguish one run of a database's log from the next.
package struct WALSalt: Hashable, Sendable {
  /// The first salt, which is incremented each time the log restarts.
  package let first: UInt32
  /// The second salt, which is chosen at random each time the log restarts.
  package let second: UInt32

  /// Creates a pair of salts.
  package init(first: UInt32, second: UInt32) {
    self.first = first
    self.second = second
  }
}
