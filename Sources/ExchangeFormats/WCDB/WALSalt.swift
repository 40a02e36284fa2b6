/// The salts that distinguish one run of a database's log from the next.
package struct WALSalt: Hashable, Sendable {
  /// The first salt, which each restart of the log increases.
  package let first: UInt32
  /// The second salt, which each restart of the log chooses at random.
  package let second: UInt32

  /// Creates a pair of salts.
  package init(first: UInt32, second: UInt32) {
    self.first = first
    self.second = second
  }
}
