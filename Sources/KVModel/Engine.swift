/// A question that an engine asks the app about a damaged log.
package enum LogQuestion: Hashable, Sendable {
  /// A checksum does not match, or records do not decode.
  case checksum
  /// The stated length of the log is beyond the file.
  case length
}

/// What to keep of a damaged log.
public enum RecoveryDecision: String, Hashable, Sendable, CaseIterable {
  /// Keep only what a checksum verifies.
  case discard
  /// Keep everything that can be read.
  case recover
}

/// The app's answers when its engine asks about damage.
package struct EngineAnswers: Hashable, Sendable {
  /// The answer to `onMMKVCRCCheckFail`, or to its counterpart in other engines.
  package var onChecksumMismatch: RecoveryDecision
  /// The answer to `onMMKVFileLengthError`, or to its counterpart in other engines.
  package var onLengthError: RecoveryDecision

  /// One answer to each question.
  package init(onChecksumMismatch: RecoveryDecision, onLengthError: RecoveryDecision) {
    self.onChecksumMismatch = onChecksumMismatch
    self.onLengthError = onLengthError
  }

  /// Creates answers that are the same for both questions.
  package init(always decision: RecoveryDecision) {
    self.init(onChecksumMismatch: decision, onLengthError: decision)
  }
}

/// What the app's own engine does with a store at its next launch, as data.
package struct EngineLoad: Hashable, Sendable {
  /// How the opening ends.
  package enum Outcome: String, Hashable, Sendable {
    /// The log is taken as it is.
    case loaded
    /// An older state is used, and no handler is called.
    case rolledBack = "rolled-back"
    /// The log is read in spite of damage, because the app said so.
    case recovered
    /// The log is dropped.
    case discarded
  }

  /// What the engine does at a record that it cannot decode.
  package enum DamagePolicy: Hashable, Sendable {
    /// It drops the whole map, and calls no handler.
    case dropAll
    /// It keeps the records before it.
    case keepPrefix
    /// It skips only that record.
    case skip
  }

  /// The handlers it calls, by the names that the app knows, in order.
  package let callbacks: [String]
  /// The damage that it calls its handler for; `nil` if it calls none, or for another reason.
  package let question: LogQuestion?
  /// How the opening ends.
  package let outcome: Outcome
  /// The log that it decodes, in the file as the engine extends it; `nil` if it decodes none.
  package let log: Extent?
  /// What it does at a record that it cannot decode.
  package let onDamage: DamagePolicy
  /// The clock by which expired entries are dropped; `nil` if none is dropped.
  package let dropsExpiredAt: UInt32?
  /// What it writes to the files while it opens them, in order, for people.
  package let writes: [String]
  /// The condition under which the engine does this, for people; `nil` if it always does.
  package var premise: String?

  /// An opening.
  package init(
    callbacks: [String], about question: LogQuestion? = nil, outcome: Outcome, log: Extent?,
    onDamage: DamagePolicy, dropsExpiredAt: UInt32?, writes: [String]
  ) {
    self.callbacks = callbacks
    self.question = question
    self.outcome = outcome
    self.log = log
    self.onDamage = onDamage
    self.dropsExpiredAt = dropsExpiredAt
    self.writes = writes
  }
}

/// The questions that an engine asks about a damaged log, under the names that app developers know.
package struct EngineQuestions: Hashable, Sendable {
  /// What people call the engine.
  package let engine: String
  /// The handler for a checksum that does not match or records that do not decode; a description if
  /// the engine asks nothing.
  package let checksum: String
  /// The handler for a log that is claimed to be longer than its file.
  package let length: String
  /// Whether the engine asks the app what to do about damage, rather than at most informing it.
  package let isAppAsked: Bool

  /// Questions under these names.
  package init(
    engine: String = "the engine", checksum: String, length: String, isAppAsked: Bool = false
  ) {
    self.engine = engine
    self.checksum = checksum
    self.length = length
    self.isAppAsked = isAppAsked
  }

  /// Returns the name of the handler that is called with `question`.
  package func handlerName(for question: LogQuestion) -> String {
    switch question {
    case .checksum: checksum
    case .length: length
    }
  }
}
