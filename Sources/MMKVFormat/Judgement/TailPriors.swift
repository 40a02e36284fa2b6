/// What is known beforehand about records that follow a log whose checksum matches, in bits: the
/// base-2 logarithm of how much likelier each finding is if the data file is newer than the meta
/// file than if the records are leftovers of older logs.
///
/// The sum includes a prior of −5 bits for files of two times. It orders the explanations, and is
/// not a probability: among stores of other apps, the same sum may be right more or less often.
///
/// Chosen by logistic regression over 251,000 healthy stores and 56,000 with a newer data file, in
/// six shapes, of a simulator of MMKV 2.4, and rounded. With other seeds and with other scripts
/// (151,000 and 34,000 stores; 28,000 and 19,000): 1 and 0 healthy stores have ``newer``, and 0.19
/// and 0.19% have ``undecided``; of the newer ones, 44 and 34%, and 79 and 75%.
enum TailPriors {
  /// The sum from which the records make a state of their own.
  static let newer = 5.0
  /// The sum from which the values before them may be stale.
  static let undecided = 1.0

  /// Returns the bits for how the log began, with the prior.
  static func began(_ origin: LogFacts.Origin) -> Double {
    switch origin {
    case .firstLog: 2.5
    case .cleared, .rewrittenOnce: -1.5
    case .overridden, .rewrittenOften: -2.5
    }
  }

  /// Returns the bits for the number of places at which an older log could be in sync with the end of
  /// the log: the mean size of a record, divided by what all sizes are multiples of.
  static func placeCount(_ count: Int) -> Double { count < 16 ? -1 : 1 }

  /// Returns the bits for the number of live entries: with one, the engine begins logs that it does
  /// not count.
  static func liveCount(_ count: Int) -> Double { count < 2 ? -1 : count == 2 ? 0 : 1 }

  /// Returns the bits for the number of records since the log was rewritten: what a short log left
  /// of a longer one is more.
  static func recordCount(_ count: Int) -> Double { count < 2 ? -1 : count < 7 ? 0 : 1 }

  /// Returns the bits for whether the records remove a key, as is needed before the engine begins a
  /// log that it does not count.
  static func removes(_ removes: Bool, _ origin: LogFacts.Origin) -> Double {
    if origin == .firstLog { return removes ? -2 : 3 }
    return removes ? -1 : 1
  }

  /// Returns the bits for whether the records of a first log can be the end of one log that was
  /// overwritten, uncounted, because it had at most one live entry.
  static func isOneLog(_ isOne: Bool) -> Double { isOne ? -2 : 2 }

  /// Returns the bits for the number of keys whose last record among these is what the rewrite
  /// copied, and of those of which the rewrite has another value.
  ///
  /// The only older log under one that was rewritten once ends with what the rewrite copied. If most
  /// keys differ all the same, the data file of all 2,813 such stores was newer in which no key is
  /// removed, and of all 1,004 in which one is and three keys differ or more.
  static func copies(agreeing: Int, differing: Int, _ origin: LogFacts.Origin) -> Double {
    if agreeing + differing == 0 { return 0 }
    if differing == 0 { return -2.5 }
    guard differing > 2 * agreeing else { return -1 }
    return origin != .rewrittenOnce ? 2 : differing < 3 ? 4 : 5
  }

  /// The bits if the log was rewritten once, when the file grew to where the records are; no older
  /// log reached there.
  static let beyondOlderLogs = 6.0

  /// The bits if the header states the size that the meta file does: engines before 2.4 stored both,
  /// one after the other.
  static let sameHeader = -8.0

  /// The bits if the header of a first log with several records states an end that these records lead
  /// to.
  ///
  /// A log of one record can have been overwritten by an engine since 2.4, which leaves the header.
  static let laterHeader = 12.0
}
