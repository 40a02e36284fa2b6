package import KVFixtures

/// The counts over all damaged stores.
package struct CalibrationReport: Hashable, Sendable {
  /// A group of corrections that are counted together.
  package struct Correction: Hashable, Sendable {
    /// The extent of a correction.
    package enum Size: String, Hashable, Sendable {
      /// One bit.
      case bit = "one bit"
      /// One byte.
      case byte = "one byte"
      /// Several bytes.
      case bytes = "several bytes"
      /// Bytes are inserted or deleted, so that others shift.
      case shifted
      /// No stored byte changes, only how the bytes are decrypted.
      case decoding
    }

    /// The format.
    package let format: SimulatedFormat
    /// The code of the finding that reports the correction.
    package let code: String
    /// The extent of the correction.
    package let size: Size
  }

  /// A group of stores that are counted together.
  package struct Group: Hashable, Sendable {
    /// The format.
    package let format: SimulatedFormat
    /// The cipher: `none`, `aes128`, `aes256`, or `demo` for the cipher of FastKV's demo app.
    package let cipher: String
    /// An operator that contributed to the damage, `none` for healthy stores, or `all` for all
    /// damaged ones.
    package let damage: String
  }

  /// The number of stores drawn.
  package internal(set) var stores = 0
  /// The number of stores that could not be made or damaged, and are therefore not counted.
  package internal(set) var omitted = 0
  /// The total size of the damaged files, in bytes.
  package internal(set) var byteCount = 0
  /// The tallies of all damaged stores, by format and cipher.
  ///
  /// The damage of each group is `all`.
  package internal(set) var totals: [Group: SoundnessTally] = [:]
  /// The tallies of the stores by each operator that contributed to their damage.
  package internal(set) var tallies: [Group: SoundnessTally] = [:]
  /// The claims of the corrections.
  package internal(set) var corrections: [Correction: CalibrationTable] = [:]
  /// The problems found, worst first, at most ``problemLimit`` of each kind.
  package internal(set) var problems: [CalibrationProblem] = []

  /// The maximum number of problems listed for each kind.
  package static let problemLimit = 20

  /// Creates an empty report.
  package init() {}

  /// Whether there are no problems, and no correction claims better odds than were measured.
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

  /// Sorts the problems into the order in which they are shown.
  mutating func sort() {
    let order = CalibrationProblem.Kind.allCases
    // Equal problems stay in the order of the stores.
    problems = problems.enumerated().sorted { one, two in
      let kinds = (
        order.firstIndex(of: one.element.kind) ?? 0, order.firstIndex(of: two.element.kind) ?? 0
      )
      return (kinds.0, -one.element.weight, one.offset)
        < (kinds.1, -two.element.weight, two.offset)
    }.map(\.element)
  }
}

/// A problem found in one store.
package struct CalibrationProblem: Hashable, Sendable {
  /// The kind of a problem, worst first.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Entries that are wrong, stale or invented are presented as sound.
    case asSound = "as-sound"
    /// A healthy store is not called clean, or not read as it is.
    case healthy
    /// The verdict is `clean` or `repairable` although entries were lost.
    case verdict
    /// A correction that claims the odds for the evidence `corrected` is false.
    case correction
  }

  /// The kind of the problem.
  package let kind: Kind
  /// The seed from which the store can be made again.
  package let seed: UInt64
  /// The format.
  package let format: SimulatedFormat
  /// The cipher.
  package let cipher: String
  /// The operators, in the order in which they were drawn.
  package let damages: [String]
  /// The severity: the number of entries, or the bits of the claim.
  package let weight: Int
  /// A description of the problem in this store.
  package let message: String
}

/// Counts of how entries were read.
package struct SoundnessTally: Hashable, Sendable {
  /// The number of stores.
  package internal(set) var stores = 0
  /// The number of entries in the healthy stores.
  package internal(set) var entries = 0
  /// The number of those entries that were read with the correct value.
  package internal(set) var right = 0
  /// The number of those entries that were not read at all.
  package internal(set) var missing = 0
  /// The number of entries that were read with a stale value, including removed entries.
  package internal(set) var stale = 0
  /// The number of entries that were read with a value that their key never had.
  package internal(set) var wrong = 0
  /// The number of entries whose key was never stored.
  package internal(set) var invented = 0
  /// The number of stale, wrong and invented entries that were presented as sound.
  package internal(set) var asSound = 0
  /// The number of stores with such entries.
  package internal(set) var storesAsSound = 0
  /// The number of entries with the evidence `corrected`.
  package internal(set) var corrected = 0
  /// The number of those entries that are not right.
  package internal(set) var correctedWrong = 0
  /// The number of stores reported as clean or repairable although entries were lost.
  package internal(set) var storesLostUnsaid = 0
  /// The number of stores that the damage returned to an earlier state, without a trace of the
  /// newer one.
  ///
  /// Their entries count neither as ``asSound`` nor as ``correctedWrong``.
  package internal(set) var storesOlder = 0
  /// The number of healthy stores that are not reported as clean, or are read with the wrong
  /// entries.
  package internal(set) var storesMisread = 0

  /// Creates an empty tally.
  package init() {}

  /// Adds the counts of `other`.
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
