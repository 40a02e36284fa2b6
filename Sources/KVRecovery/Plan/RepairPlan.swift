package import KVModel

/// What a repair keeps and drops, and why; executing the plan needs no further decision.
package struct RepairPlan: Sendable {
  /// An entry that is kept, or set aside.
  package struct KeptEntry: Sendable {
    /// The record that it comes from.
    package let record: Record
    /// Its evidence and cautions, and the rules that decided them.
    package let assessment: Assessment
    /// Why the engine cannot hold the entry, for people; `nil` if it can.
    ///
    /// Such an entry is set aside.
    package var refusal: String?
    /// The evidence for it.
    package var evidence: Evidence { assessment.evidence }
    /// The faults that no checksum rules out.
    package var cautions: [Caution] { assessment.cautions }
  }

  /// An entry that was found but is not kept.
  package struct DroppedEntry: Sendable {
    /// The record that it comes from.
    package let record: Record
    /// The reason, for people.
    package let reason: String
    /// Whether the user asked to leave it out.
    package let isRequested: Bool
  }

  /// A question that the damage raises, and the answer to it.
  package struct Decision: Sendable {
    /// The handler of the engine that would be called, by the name that apps know.
    package let question: String
    /// The answer.
    package let answer: RecoveryDecision
    /// The damage, for people.
    package let reason: String
  }

  /// The state that the entries come from.
  package let state: StateName
  /// The origin of that state, for people.
  package let origin: String
  /// The questions that were asked.
  package let decisions: [Decision]
  /// The entries that are kept, in file order.
  package let kept: [KeptEntry]
  /// The entries that are set aside from the store, because they are only guesses or because the
  /// engine cannot hold them.
  package let aside: [KeptEntry]
  /// The entries that are set aside because they are only guesses.
  package var guesses: [KeptEntry] { aside.filter { $0.refusal == nil } }
  /// The entries that are set aside because the engine cannot hold them.
  package var refused: [KeptEntry] { aside.filter { $0.refusal != nil } }
  /// The entries that are dropped, in file order.
  package let dropped: [DroppedEntry]
  /// The bytes from which nothing is kept because no record could be read.
  package let gaps: [Gap]
  /// Whether the store was damaged at all.
  package let isNeeded: Bool

  /// Whether the state that the entries come from is known to lack some.
  package let isCutOff: Bool

  /// The number of entries that the files hold but an answer leaves out.
  package let leftOut: Int

  /// Whether the store is known to have held something that is missing, other than what was
  /// explicitly left out.
  package var isLossy: Bool {
    isCutOff || leftOut > 0 || !gaps.isEmpty || !aside.isEmpty
      || dropped.contains { !$0.isRequested }
  }

  /// Returns the entries as bytes, for the format to encode.
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
