package import KVModel

/// What a repair keeps and drops, and why; executing it needs no further decision.
package struct RepairPlan: Sendable {
  /// An entry that is kept.
  package struct KeptEntry: Sendable {
    /// The record that it comes from.
    package let record: Record
    /// What it is worth, and the rules that decided it.
    package let assessment: Assessment
    /// What speaks for it.
    package var evidence: Evidence { assessment.evidence }
    /// What no checksum can exclude.
    package var cautions: [Caution] { assessment.cautions }
  }

  /// An entry that is not kept, though it was found.
  package struct DroppedEntry: Sendable {
    /// The record that it comes from.
    package let record: Record
    /// Why, for people.
    package let reason: String
    /// Whether the user asked to leave it out.
    package let isRequested: Bool
  }

  /// A question that the damage raises, and its answer.
  package struct Decision: Sendable {
    /// The handler of the engine that would be asked, by the name that apps know.
    package let question: String
    /// The answer.
    package let answer: RecoveryDecision
    /// What the damage is, for people.
    package let reason: String
  }

  /// The state that the entries come from.
  package let state: StateName
  /// Where that state comes from, for people.
  package let origin: String
  /// The questions that were asked.
  package let decisions: [Decision]
  /// What is kept, in file order.
  package let kept: [KeptEntry]
  /// What is kept apart from the store, because nothing but a guess says where it begins.
  package let aside: [KeptEntry]
  /// What is dropped, in file order.
  package let dropped: [DroppedEntry]
  /// The bytes of which nothing is kept because no record could be read.
  package let gaps: [Gap]
  /// Whether the store was damaged at all.
  package let isNeeded: Bool

  /// Whether the state that the entries come from is known to lack some.
  package let isCutOff: Bool

  /// How many entries the files hold that an answer leaves out.
  package let leftOut: Int

  /// Whether something is missing that the store is known to have held, other than what was named to
  /// be left out.
  package var isLossy: Bool {
    isCutOff || leftOut > 0 || !gaps.isEmpty || !aside.isEmpty
      || dropped.contains { !$0.isRequested }
  }

  /// The entries by their bytes, for the format to encode.
  ///
  /// - Precondition: `store` is the one that the plan was made for.
  package func contents<S: Store>(of store: S) -> StoreContents {
    StoreContents(
      kept.map {
        .init(
          key: store.key(of: $0.record), value: store.value(of: $0.record), from: $0.record)
      })
  }
}
