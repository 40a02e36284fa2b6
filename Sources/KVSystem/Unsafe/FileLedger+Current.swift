extension FileLedger {
  private static let own = Guarded<FileLedger?>(nil)
  // A lock would cost each file that is read something, although most runs keep no ledger. It is
  // written before other threads read files, and after.
  nonisolated(unsafe) private static var isKept = false

  /// The ledger of this run; `nil` if none is kept.
  package static var current: FileLedger? { unsafe isKept ? own.use { $0 } : nil }

  /// Makes `ledger` that of what is read and written from now on.
  package static func set(_ ledger: FileLedger?) {
    own.use { $0 = ledger }
    unsafe isKept = ledger != nil
  }
}
