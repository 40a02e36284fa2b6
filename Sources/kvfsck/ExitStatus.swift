/// The exit status: bits that are combined over all stores, as in fsck(8).
struct ExitStatus: OptionSet, Error {
  let rawValue: Int32

  /// Damage was found and repaired.
  static let repaired = ExitStatus(rawValue: 1)
  /// Damage remains.
  static let damaged = ExitStatus(rawValue: 4)
  /// The operation failed.
  static let failed = ExitStatus(rawValue: 8)
  /// The arguments are invalid.
  static let usage = ExitStatus(rawValue: 16)
  /// The user canceled.
  static let cancelled = ExitStatus(rawValue: 32)
}
