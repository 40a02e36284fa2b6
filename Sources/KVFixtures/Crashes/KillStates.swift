/// What an operation leaves when the process is killed within it.
///
/// Memory that is mapped belongs to the kernel: whatever was stored stays. A word is there whole or
/// not at all; of other bytes, any number can be there, and the first, half and all but the last are
/// looked at.
package struct KillStates: Sequence, Sendable {
  private let step: SimulationStep

  /// The states of one operation.
  package init(of step: SimulationStep) { self.step = step }

  /// The states, in the order of time; the last is that after the operation.
  package func makeIterator() -> Iterator { Iterator(step) }

  /// Goes through the states.
  package struct Iterator: IteratorProtocol {
    private let events: [DiskEvent]
    private var image: DiskImage
    private var position = 0
    private var cuts: [Int] = []

    init(_ step: SimulationStep) {
      events = step.events
      image = step.before
      cuts = Self.cuts(of: events.first)
    }

    /// The next state; `nil` at the end.
    package mutating func next() -> CrashState? {
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

    /// The numbers of bytes at which a store is cut, the largest first.
    private static func cuts(of event: DiskEvent?) -> [Int] {
      guard case .store(_, _, let bytes, false) = event else { return [] }
      return Set([1, bytes.count / 2, bytes.count - 1])
        .filter { $0 > 0 && $0 < bytes.count }.sorted(by: >)
    }
  }
}
