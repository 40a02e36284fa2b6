/// What becomes of an entry in a format: what will be read back, and how that differs.
public struct EntryFit: Hashable, Sendable {
  /// The entry as the format holds it; nothing where it cannot.
  public let entry: TypedEntry?
  /// The differences.
  public let losses: [Loss]

  /// An entry that becomes `entry`.
  public init(_ entry: TypedEntry, _ losses: [Loss] = []) {
    self.entry = entry
    self.losses = losses
  }

  /// An entry that cannot be held.
  public init(leftOut reason: String) {
    entry = nil
    losses = [.leftOut(reason)]
  }

  /// The fit with what becomes of the entry's value: `change` sees the value and its losses.
  public func then(_ change: (TypedEntry) -> EntryFit) -> EntryFit {
    guard let entry else { return self }
    let next = change(entry)
    return EntryFit(next.entry, losses + next.losses)
  }

  private init(_ entry: TypedEntry?, _ losses: [Loss]) {
    self.entry = entry
    self.losses = losses
  }
}
