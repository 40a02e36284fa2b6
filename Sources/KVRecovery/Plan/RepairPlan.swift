public import KVModel

/// What a repair keeps and drops, and why; executing it needs no further decision.
public struct RepairPlan: Sendable {
  /// An entry that is kept.
  public struct KeptEntry: Sendable {
    /// The record that it comes from.
    public let record: Record
    /// What it is worth, and the rules that decided it.
    package let assessment: Assessment
    /// What speaks for it.
    public var evidence: Evidence { assessment.evidence }
    /// What no checksum can exclude.
    public var cautions: [Caution] { assessment.cautions }
  }

  /// An entry that is not kept, though it was found.
  public struct DroppedEntry: Sendable {
    /// The record that it comes from.
    public let record: Record
    /// Why, for people.
    public let reason: String
    /// Whether the user asked to leave it out.
    public let isRequested: Bool
  }

  /// A question that the damage raises, and its answer.
  public struct Decision: Sendable {
    /// The handler of the engine that would be asked, by the name that apps know.
    public let question: String
    /// The answer.
    public let answer: RecoveryDecision
    /// What the damage is, for people.
    public let reason: String
  }

  /// The state that the entries come from.
  public let state: StateName
  /// Where that state comes from, for people.
  public let origin: String
  /// The questions that were asked.
  public let decisions: [Decision]
  /// What is kept, in file order.
  public let kept: [KeptEntry]
  /// What is kept apart from the store, because nothing but a guess says where it begins.
  public let aside: [KeptEntry]
  /// What is dropped, in file order.
  public let dropped: [DroppedEntry]
  /// The bytes of which nothing is kept because no record could be read.
  public let gaps: [Gap]
  /// Whether the store was damaged at all.
  public let isNeeded: Bool

  /// Whether the state that the entries come from is known to lack some.
  public let isCutOff: Bool

  /// How many entries the files hold that an answer leaves out.
  public let leftOut: Int

  /// Whether something is missing that the store is known to have held, other than what was named to
  /// be left out.
  public var isLossy: Bool {
    isCutOff || leftOut > 0 || !gaps.isEmpty || !aside.isEmpty
      || dropped.contains { !$0.isRequested }
  }

  /// The entries by their bytes, for the format to encode.
  ///
  /// - Precondition: `store` is the one that the plan was made for.
  public func contents<S: Store>(of store: S) -> StoreContents {
    StoreContents(
      kept.map {
        .init(
          key: store.key(of: $0.record), value: store.value(of: $0.record), from: $0.record)
      })
  }
}
