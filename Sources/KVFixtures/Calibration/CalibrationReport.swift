/// What was counted over damaged stores.
package struct CalibrationReport: Hashable, Sendable {
  /// Corrections that are counted together.
  package struct Correction: Hashable, Sendable {
    /// How much a correction changes.
    package enum Size: String, Hashable, Sendable {
      /// One bit.
      case bit = "one bit"
      /// One byte.
      case byte = "one byte"
      /// Several bytes.
      case bytes = "several bytes"
      /// Bytes are put in or left out, so that others move.
      case shifted
      /// No stored byte: how they are decrypted.
      case decoding
    }

    /// The format.
    package let format: SimulatedFormat
    /// The code of the finding that names it.
    package let code: String
    /// How much it changes.
    package let size: Size
  }

  /// Stores that are counted together.
  package struct Group: Hashable, Sendable {
    /// The format.
    package let format: SimulatedFormat
    /// The cipher: `none`, `aes128`, `aes256`, or `demo` for that of FastKV's demo app.
    package let cipher: String
    /// An operator that had a part in the damage; `none` for healthy stores, `all` for the others.
    package let damage: String
  }

  /// How many stores were drawn.
  package internal(set) var stores = 0
  /// How many of them could not be made or damaged, so that they are in no count.
  package internal(set) var omitted = 0
  /// How many bytes of files were read.
  package internal(set) var byteCount = 0
  /// All stores, by format and cipher; the damage is `all`.
  package internal(set) var totals: [Group: SoundnessTally] = [:]
  /// The stores by each operator that had a part in their damage.
  package internal(set) var tallies: [Group: SoundnessTally] = [:]
  /// The claims of the corrections.
  package internal(set) var corrections: [Correction: CalibrationTable] = [:]
  /// What should not have been, the worst first, at most ``problemLimit`` of each kind.
  package internal(set) var problems: [CalibrationProblem] = []

  /// How many problems of one kind are listed.
  package static let problemLimit = 20

  /// A report of nothing.
  package init() {}

  /// Whether nothing is presented as sound that is not, and every claim of a correction holds.
  package var isSound: Bool {
    problems.isEmpty && !corrections.values.contains { $0.bins.contains(where: \.isOverconfident) }
  }

  mutating func add(_ problem: CalibrationProblem) {
    let own = problems.filter { $0.kind == problem.kind }
    guard own.count >= Self.problemLimit else { return problems.append(problem) }
    guard let least = own.map(\.weight).min(), least < problem.weight,
      let index = problems.lastIndex(where: { $0.kind == problem.kind && $0.weight == least })
    else { return }
    problems[index] = problem
  }

  /// The problems in the order in which they are shown.
  mutating func sort() {
    let order = CalibrationProblem.Kind.allCases
    // Equal ones stay in the order of the stores.
    problems = problems.enumerated().sorted { one, two in
      let kinds = (
        order.firstIndex(of: one.element.kind) ?? 0, order.firstIndex(of: two.element.kind) ?? 0
      )
      return (kinds.0, -one.element.weight, one.offset)
        < (kinds.1, -two.element.weight, two.offset)
    }.map(\.element)
  }
}

/// What should not have been in one store.
package struct CalibrationProblem: Hashable, Sendable {
  /// What it is; the worst first.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Entries that are wrong, stale or invented are presented as sound.
    case asSound = "as-sound"
    /// A healthy store is not called clean, or not read as it is.
    case healthy
    /// The verdict is `clean` or `repairable` although entries were lost.
    case verdict
    /// A correction with odds for the evidence `corrected` is false.
    case correction
  }

  /// What it is.
  package let kind: Kind
  /// The seed that makes the store again.
  package let seed: UInt64
  /// The format.
  package let format: SimulatedFormat
  /// The cipher.
  package let cipher: String
  /// The operators, in the order in which they were drawn.
  package let damages: [String]
  /// How bad it is: the count of entries, or the bits of the claim.
  package let weight: Int
  /// What it is in this store, for people.
  package let message: String
}

/// How entries were read, counted.
package struct SoundnessTally: Hashable, Sendable {
  /// How many stores.
  package internal(set) var stores = 0
  /// Entries that the healthy stores held.
  package internal(set) var entries = 0
  /// Those that were read with their value.
  package internal(set) var right = 0
  /// Those that were not read at all.
  package internal(set) var missing = 0
  /// Entries that were read with an older value, removed ones included.
  package internal(set) var stale = 0
  /// Entries that were read with a value that they never had.
  package internal(set) var wrong = 0
  /// Entries whose key was never stored.
  package internal(set) var invented = 0
  /// Stale, wrong and invented entries that were presented as sound.
  package internal(set) var asSound = 0
  /// Stores with such entries.
  package internal(set) var storesAsSound = 0
  /// Entries with the evidence `corrected`.
  package internal(set) var corrected = 0
  /// Those of them that are not right.
  package internal(set) var correctedWrong = 0
  /// Stores that are called clean or repairable although entries were lost.
  package internal(set) var storesLostUnsaid = 0
  /// Stores that damage made those of an earlier state, without a trace of the newer one; their entries
  /// are neither among ``asSound`` nor among ``correctedWrong``.
  package internal(set) var storesOlder = 0
  /// Healthy stores that are not called clean, or are read with other entries than they have.
  package internal(set) var storesMisread = 0

  /// A tally of nothing.
  package init() {}

  /// Adds what `other` counted.
  package static func += (tally: inout SoundnessTally, other: SoundnessTally) {
    tally.stores += other.stores
    tally.entries += other.entries
    tally.right += other.right
    tally.missing += other.missing
    tally.stale += other.stale
    tally.wrong += other.wrong
    tally.invented += other.invented
    tally.asSound += other.asSound
    tally.storesAsSound += other.storesAsSound
    tally.corrected += other.corrected
    tally.correctedWrong += other.correctedWrong
    tally.storesLostUnsaid += other.storesLostUnsaid
    tally.storesOlder += other.storesOlder
    tally.storesMisread += other.storesMisread
  }
}
