import KVModel

extension Verdict {
  /// The exit status of a command that only reads.
  var exitStatus: ExitStatus {
    switch self {
    case .clean: []
    case .repairable, .damaged: .damaged
    case .unreadable: .failed
    }
  }
}
