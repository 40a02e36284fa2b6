/// What no checksum can exclude about an entry.
public enum Caution: String, Hashable, Sendable, CaseIterable {
  /// The value lies among bytes that are known to have changed, or of which no checksum is left that
  /// could say so.
  case mayBeDamaged = "may-be-damaged"
  /// A newer record of the key may have been among bytes that could not be read.
  case mayBeStale = "may-be-stale"
}
