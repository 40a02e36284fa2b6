/// The states that an operation leaves if the process is killed during it.
///
/// Mapped memory belongs to the kernel, so everything that was stored survives. A word is stored
/// completely or not at all. Of other bytes, any number can be stored; the states with the first
/// byte, half of the bytes and all but the last byte are examined.
struct KillStates: Sequence, Sendable {
  private let step: SimulationStep

  /// Creates the states of one operation.
  init(of step: SimulationStep) { self.step = step }

  /// Returns an iterator over the states in chronological order.
  ///
  /// The last one is that after the operation.
  func makeIterator() -> Iterator { Iterator(step) }

  /// An iterator over the states.
  struct Iterator: IteratorProtocol {
    private let events: [DiskEvent]
    private var image: DiskImage
    private var position = 0
    private var cuts: [Int] = []

    init(_ step: SimulationStep) {
      events = step.events
      image = step.before
      cuts = Self.cuts(of: events.first)
    }

    /// Returns the next state, or `nil` at the end.
    mutating func next() -> CrashState? {
      guard position < events.count else { return nil }
      if let bytes = cuts.popLast() {
        var part = image
        part.apply(events[position], limit: bytes)
        return CrashState(cause: .kill(events: position, bytes: bytes), image: part)
      }
      image.apply(events[position])
      position += 1
      cuts = Self.cuts(of: position < events.count ? events[position] : nil)
      return CrashState(cause: .kill(events: position, bytes: 0), image: image)
    }

    /// Returns the numbers of bytes at which a store is torn, in descending order.
    private static func cuts(of event: DiskEvent?) -> [Int] {
      let bytes: [UInt8]
      switch event {
      case .store(_, _, let stored, false): bytes = stored
      case .append(_, let written): bytes = written
      default: return []
      }
      return Set([1, bytes.count / 2, bytes.count - 1])
        .filter { $0 > 0 && $0 < bytes.count }.sorted(by: >)
    }
  }
}
