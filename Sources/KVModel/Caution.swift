/// What no checksum can exclude about an entry.
public enum Caution: String, Hashable, Sendable, CaseIterable {
  /// The value lies in a range in which bytes are known to have changed.
  case mayBeDamaged = "may-be-damaged"
  /// A newer record of the key may have been among bytes that could not be read.
  case mayBeStale = "may-be-stale"
}
