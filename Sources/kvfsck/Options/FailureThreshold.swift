import KVModel

/// The lowest severity of findings that makes the exit status of `check` nonzero.
enum FailureThreshold: String, CaseIterable {
  case warning, damage

  /// Returns the status for findings that are not damage, which the verdict does not cover.
  func status(of findings: [Finding]) -> ExitStatus {
    switch self {
    case .damage: []
    case .warning: findings.contains { $0.severity == .warning } ? .damaged : []
    }
  }
}
