/// The exit status: bits that add up over all stores, as fsck(8) has them.
struct ExitStatus: OptionSet, Error {
  let rawValue: Int32

  /// Damage was found and repaired.
  static let repaired = ExitStatus(rawValue: 1)
  /// Damage is left.
  static let damaged = ExitStatus(rawValue: 4)
  /// The work could not be done.
  static let failed = ExitStatus(rawValue: 8)
  /// The arguments make no sense.
  static let usage = ExitStatus(rawValue: 16)
  /// The user asked to stop.
  static let cancelled = ExitStatus(rawValue: 32)
}
