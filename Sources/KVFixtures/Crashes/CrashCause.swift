/// How a crash came.
package enum CrashCause: Hashable, Sendable {
  /// The process ended after so many events of the operation, and so many bytes of the next one.
  ///
  /// What it stored stays: the kernel has the pages.
  case kill(events: Int, bytes: Int)
  /// The power failed after so many events of the operation: of each page of each file, and of each
  /// length, the disk has what was last waited for, or, where it is among these, what was stored since.
  case powerLoss(events: Int, reached: [DirtyPart])

  /// How it came, for people.
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
