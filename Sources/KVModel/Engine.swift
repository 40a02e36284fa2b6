/// A question that an engine asks the app about a damaged log.
package enum LogQuestion: Hashable, Sendable {
  /// A checksum does not match, or records do not decode.
  case checksum
  /// The length that is stated for the log exceeds the file.
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

  /// Creates one answer to each question.
  package init(onChecksumMismatch: RecoveryDecision, onLengthError: RecoveryDecision) {
    self.onChecksumMismatch = onChecksumMismatch
    self.onLengthError = onLengthError
  }

  /// Creates answers that are the same for both questions.
  package init(always decision: RecoveryDecision) {
    self.init(onChecksumMismatch: decision, onLengthError: decision)
  }
}

/// What the app's engine does with a store at its next launch.
package struct EngineLoad: Hashable, Sendable {
  /// How the opening ends.
  package enum Outcome: String, Hashable, Sendable {
    /// The engine uses the log as it is.
    case loaded
    /// The engine uses an older state and calls no handler.
    case rolledBack = "rolled-back"
    /// The engine reads the log in spite of damage, because the app said so.
    case recovered
    /// The engine drops the log.
    case discarded
    /// The library throws an error each time, and the app has no values until the file is replaced.
    case crashed
  }

  /// What the engine does at a record that it cannot decode.
  package enum DamagePolicy: Hashable, Sendable {
    /// It drops the whole map and calls no handler.
    case dropAll
    /// It keeps the records before it.
    case keepPrefix
    /// It skips only that record.
    case skip
  }

  /// The handlers that the engine calls, in order, by the names that the app knows.
  package let callbacks: [String]
  /// The damage that the engine calls its handler for; `nil` if it calls none, or for another
  /// reason.
  package let question: LogQuestion?
  /// How the opening ends.
  package let outcome: Outcome
  /// The log that the engine decodes, in the file as the engine extends it; `nil` if it decodes
  /// none.
  package let log: Extent?
  /// What the engine does at a record that it cannot decode.
  package let onDamage: DamagePolicy
  /// The clock by which expired entries are dropped; `nil` if none is dropped.
  package let dropsExpiredAt: UInt32?
  /// What the engine writes to the files while it opens them, in order, for people.
  package let writes: [String]
  /// The condition under which the engine does this, for people; `nil` if it always does.
  package var premise: String?

  /// Creates a description of what the engine does.
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

/// What an engine makes of the value of a record that it reads.
package enum LoadedValue: Hashable, Sendable {
  /// It reads the value as it is stored.
  case asStored
  /// It has no value, although it reads the record.
  case missing
  /// It has the key, but reads something else, or nil.
  case other
}

/// The questions that an engine asks about a damaged log, under the names that app developers know.
package struct EngineQuestions: Hashable, Sendable {
  /// The engine's name, for people.
  package let engine: String
  /// The handler that is called when a checksum does not match or records do not decode; a
  /// description if the engine asks nothing.
  package let checksum: String
  /// The handler that is called when the stated length of the log exceeds the file.
  let length: String
  /// Whether the engine asks the app how to handle damage, rather than at most informing it.
  package let isAppAsked: Bool

  /// Creates questions with these names.
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
