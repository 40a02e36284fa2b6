package import KVModel

/// What a repair keeps and drops, and why.
///
/// Executing the plan requires no further decision.
package struct RepairPlan: Sendable {
  /// An entry that is kept or set aside.
  package struct KeptEntry: Sendable {
    /// What is known about an entry besides its record.
    ///
    /// An object, which entries that are alike share: a store may have millions.
    private final class Judged: Sendable {
      let assessment: Assessment
      let refusal: String?
      let weighing: Weighing?

      init(_ assessment: Assessment, _ refusal: String?, _ weighing: Weighing?) {
        self.assessment = assessment
        self.refusal = refusal
        self.weighing = weighing
      }
    }

    /// The record that the entry comes from.
    package let record: Record
    /// Whether there is nothing to say of the entry but that a checksum verifies it.
    ///
    /// Not computed: all threads would count the references to what is shared.
    package let isPlain: Bool
    private let judged: Judged

    /// Creates an entry; `other` may share what is known about both.
    init(
      record: Record, assessment: Assessment, refusal: String? = nil, weighing: Weighing? = nil,
      like other: KeptEntry? = nil
    ) {
      self.record = record
      isPlain = assessment.isSound && refusal == nil && weighing == nil
      if let other, refusal == nil, weighing == nil, other.judged.refusal == nil,
        other.judged.weighing == nil, other.judged.assessment == assessment
      {
        judged = other.judged
      } else {
        judged = Judged(assessment, refusal, weighing)
      }
    }

    /// The entry's evidence and cautions, and the rules that determined them.
    package var assessment: Assessment { judged.assessment }
    /// Why the engine cannot hold the entry, for people; `nil` if it can.
    ///
    /// Such an entry is set aside.
    package var refusal: String? { judged.refusal }
    /// What the probability results from; `nil` unless it was asked for.
    package var weighing: Weighing? { judged.weighing }
    /// The evidence for the entry.
    package var evidence: Evidence { assessment.evidence }
    /// The faults that no checksum rules out.
    package var cautions: [Caution] { assessment.cautions }
    /// The probability that the entry is right; `nil` for what only the engine would load.
    package var probability: Probability? { assessment.probability }
    /// Whether the entry is more likely wrong than right.
    package var isUnlikely: Bool { assessment.isUnlikely }
  }

  /// An entry that was found but is not kept.
  package struct DroppedEntry: Sendable {
    /// The record that the entry comes from.
    package let record: Record
    /// The reason, for people.
    package let reason: String
    /// Whether the entry is left out because the user asked for it.
    package let isRequested: Bool
  }

  /// A question that the damage raises, and the answer to it.
  package struct Decision: Sendable {
    /// The engine's handler that would be called, by the name that app developers know.
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
  /// The entries that are set aside, because they are not likely enough to be right or because the
  /// engine cannot hold them.
  package let aside: [KeptEntry]
  /// The entries that are set aside because they are less likely to be right than was asked for.
  package var unlikely: [KeptEntry] { aside.filter { $0.refusal == nil } }
  /// The entries that are set aside because the engine cannot hold them.
  package var refused: [KeptEntry] { aside.filter { $0.refusal != nil } }
  /// The entries that are dropped, in file order.
  package let dropped: [DroppedEntry]
  /// The bytes in which no record could be read.
  package let gaps: [Gap]
  /// Whether the store is damaged.
  package let isNeeded: Bool

  /// Whether the state that the entries come from is known to be incomplete.
  let isCutOff: Bool
  /// Whether the state that the entries come from is sound: none of them counts as a guess.
  let isSound: Bool

  /// The entries that are in the files but that an answer leaves out, in file order.
  package let leftOut: [DroppedEntry]

  /// Whether entries of the store are known to be missing, except those that the user asked to
  /// leave out.
  package var isLossy: Bool {
    isCutOff || !leftOut.isEmpty || !gaps.isEmpty || !aside.isEmpty
      || dropped.contains { !$0.isRequested }
  }

  /// The number of entries that are kept, or set aside because they are not likely enough to be right.
  package var entries: EntryCount {
    if isSound { return EntryCount(entries: kept.count + unlikely.count) }
    var count = EntryCount()
    // By index, as an iterator would copy each entry.
    for index in kept.indices { count.add(isGuess: !kept[index].isPlain && kept[index].isUnlikely) }
    for entry in unlikely { count.add(isGuess: entry.isUnlikely) }
    return count
  }

  /// The number of kept entries that have a caution.
  package var cautionedCount: Int {
    kept.indices.count { !kept[$0].isPlain && !kept[$0].cautions.isEmpty }
  }

  /// The number of kept entries that are expected to be right: the sum of their probabilities.
  package var expectedRight: Double {
    kept.reduce(0) { $0 + ($1.probability?.value ?? 0) }
  }

  /// Whether there is nothing to write, neither to the store nor apart from it.
  package var keepsNothing: Bool { kept.isEmpty && aside.isEmpty }

  /// Returns the entries as bytes, for the format to encode.
  ///
  /// - Precondition: `store` is the store that the plan was made for.
  package func contents<S: Store>(of store: S) -> StoreContents {
    StoreContents(
      kept.map {
        .init(
          key: store.key(of: $0.record), value: store.value(of: $0.record), from: $0.record)
      })
  }
}
