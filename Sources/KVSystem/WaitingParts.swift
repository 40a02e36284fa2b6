/// Parts of work that no thread has begun, by number; each is begun once.
///
/// The thread that waits for the results does the work itself if no other thread begins it: the system
/// may give none.
final class WaitingParts<Part: Sendable>: Sendable {
  private let parts = Guarded<[Int: Part]>([:])

  /// Adds `part` under `number`.
  func add(_ part: Part, _ number: Int) { parts.use { $0[number] = part } }

  /// Removes and returns the part under `number`; `nil` if a thread has begun it.
  func take(_ number: Int) -> Part? { parts.use { $0.removeValue(forKey: number) } }

  /// Removes and returns the part with the least number; `nil` if there is none.
  func takeFirst() -> (number: Int, part: Part)? {
    parts.use { parts in
      guard let number = parts.keys.min(), let part = parts.removeValue(forKey: number) else {
        return nil
      }
      return (number, part)
    }
  }
}
