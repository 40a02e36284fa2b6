import KVModel

/// From which severity on findings make the exit status of `check` other than 0.
enum FailureThreshold: String, CaseIterable {
  case warning, damage

  /// The status of the findings that are no damage, which the verdict has none for.
  func status(of findings: [Finding]) -> ExitStatus {
    switch self {
    case .damage: []
    case .warning: findings.contains { $0.severity == .warning } ? .damaged : []
    }
  }
}
