/// The cause of a crash.
package enum CrashCause: Hashable, Sendable {
  /// The process was killed after `events` events of the operation, and `bytes` bytes of the next
  /// event.
  ///
  /// Everything it stored survives, because the kernel has the pages.
  case kill(events: Int, bytes: Int)
  /// The power failed after `events` events of the operation.
  ///
  /// For each page and each length of a file, the disk has what was last synced, or, if the part is
  /// among `reached`, what was stored since.
  case powerLoss(events: Int, reached: [DirtyPart])

  /// A description of the cause.
  package var text: String {
    switch self {
    case .kill(let events, 0): "killed after store \(events)"
    case .kill(let events, let bytes): "killed after store \(events) and \(bytes) bytes of the next"
    case .powerLoss(let events, let reached):
      "power lost after store \(events); on the disk: "
        + (reached.isEmpty ? "nothing new" : reached.map(\.text).joined(separator: ", "))
    }
  }
}
