/// What tells one run of a database's log from the next.
struct WALSalt: Hashable, Sendable {
  /// The first number, which each restart of the log increases.
  let first: UInt32
  /// The second number, which each restart of the log draws anew.
  let second: UInt32
}
