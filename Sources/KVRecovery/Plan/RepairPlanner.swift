import KVBytes
package import KVModel

/// Decides what a repair keeps.
package struct RepairPlanner: Sendable {
  /// The strategy that answers the questions that damage raises.
  let strategy: any RecoveryStrategy
  /// The state to keep; `nil` to choose it by the damage and the answers.
  package var state: StateName?
  /// The weakest evidence that an entry may have to be kept.
  package var minimumEvidence: Evidence = .guess
  /// The probability from which an entry is kept; less likely ones are set aside.
  package var leastProbability: Probability?
  /// Whether a sound state is kept whole, however unlikely its entries are.
  package var keepsSoundStates = true
  /// Whether entries come with what their probability results from.
  package var explainsProbabilities = false
  /// The clock by which expired entries are dropped; `nil` to keep them.
  package var dropsExpiredAt: UInt32?
  /// Whether to set aside entries that the engine cannot hold; some of these would make the store
  /// unreadable to the engine.
  package var appliesEngineLimits = false
  /// Whether to keep exactly what the app's engine keeps, given the answers.
  ///
  /// The engine corrects nothing, so the plan must be made for a store as found.
  package var isLikeEngine = false

  /// Creates a planner that gets its answers from `strategy`.
  package init(strategy: any RecoveryStrategy) { self.strategy = strategy }

  /// Returns the plan for `store`, or `nil` if its records cannot be read or it does not have the
  /// requested state.
  package func plan<S: Store>(_ store: S, given diagnosis: Diagnosis) -> RepairPlan? {
    if isLikeEngine { return engineLikePlan(store, diagnosis) }
    guard let best = diagnosis.best else { return nil }
    let isNeeded = diagnosis.verdict != .clean
    if let state {
      guard let chosen = diagnosis.state(state) else { return nil }
      return plan(store, from: chosen, decisions: [], isNeeded: isNeeded)
    }
    guard !best.isSound || best.name != .current else {
      return plan(store, from: best, decisions: [], isNeeded: isNeeded)
    }
    let decision = decide(store, diagnosis, best)
    let chosen = decision.answer == .recover ? best : diagnosis.verified
    return plan(
      store, from: chosen, decisions: [decision], isNeeded: isNeeded,
      leftOut: leftOut(
        of: best, by: chosen?.snapshot.live ?? [], store,
        because: "the answer to \(decision.question), \(decision.answer.rawValue), leaves it out"))
  }

  /// Returns the entries in `best` that are not among those of `live`, or have another value there.
  private func leftOut<S: Store>(
    of best: StoreState, by live: [Record], _ store: S, because reason: String
  ) -> [RepairPlan.DroppedEntry] {
    if best.snapshot.live == live { return [] }
    let others = Dictionary(live.map { (store.key(of: $0), $0) }) { $1 }
    return best.snapshot.live.filter { record in
      others[store.key(of: record)].map { !store.hasSameValue(record, as: $0, in: store) } ?? true
    }.map { .init(record: $0, reason: reason, isRequested: false) }
  }

  // MARK: What is asked

  private func decide<S: Store>(
    _ store: S, _ diagnosis: Diagnosis, _ best: StoreState
  ) -> RepairPlan.Decision {
    let choices = RepairChoices(
      recovered: best.snapshot.live.count,
      verified: diagnosis.verified?.snapshot.live.count ?? 0)
    let lengthClaim = store.lengthClaims.first
    if let lengthClaim, asks(.length, store, lengthClaim) {
      let available = store.logArea.count
      return RepairPlan.Decision(
        question: store.questions.handlerName(for: .length),
        answer: strategy.onLengthError(
          LengthDamage(stated: lengthClaim.count, available: available, choices: choices)),
        reason:
          "the \(lengthClaim.origin) is \(lengthClaim.count.inBytes), but only \(available.grouped) are present"
      )
    }
    let claim = lengthClaim?.checksum
    let reason =
      if let claim, !claim.isSatisfied {
        "the checksum over \(claim.covered.count.inBytes) does not match"
      } else if lengthClaim?.log == nil {
        "the recorded length of the log is \((lengthClaim?.count ?? 0).inBytes), but only "
          + "\(store.logArea.count.grouped) are present"
      } else if claim == nil {
        "no checksum is stored that could verify the log"
      } else {
        "the checksum matches, but not every record decodes"
      }
    return RepairPlan.Decision(
      question: store.questions.handlerName(for: .checksum),
      answer: strategy.onChecksumMismatch(ChecksumDamage(claim: claim, choices: choices)),
      reason: reason)
  }

  /// Returns whether the damage raises `question`.
  ///
  /// The engine's own question counts. If the engine asks nothing, the files determine the
  /// question.
  private func asks<S: Store>(
    _ question: LogQuestion, _ store: S, _ lengthClaim: LengthClaim
  ) -> Bool {
    let load = store.engineLoad(answering: EngineAnswers(always: .discard))
    return load.callbacks.isEmpty
      ? question == .length && lengthClaim.log == nil : load.question == question
  }

  /// The probability from which an entry counts as proven, whatever its evidence.
  private static let proven = Probability(0.999)

  // MARK: What is kept

  private func plan<S: Store>(
    _ store: S, from state: StoreState?, decisions: [RepairPlan.Decision], isNeeded: Bool,
    leftOut: [RepairPlan.DroppedEntry] = []
  ) -> RepairPlan {
    guard let state else {
      return RepairPlan(
        state: .current, origin: "no stored checksum verifies any entry",
        decisions: decisions, kept: [], aside: [], dropped: [], gaps: [], isNeeded: isNeeded,
        isCutOff: false, isSound: false, leftOut: leftOut)
    }
    let sorted = sorted(of: state, in: store)
    return RepairPlan(
      state: state.name, origin: state.message, decisions: decisions, kept: sorted.kept,
      aside: sorted.aside, dropped: sorted.dropped, gaps: state.snapshot.gaps, isNeeded: isNeeded,
      isCutOff: state.isIncomplete, isSound: state.isFreeOfDoubt, leftOut: leftOut)
  }

  /// The entries of a state, by what becomes of them.
  private struct SortedEntries {
    var kept: [RepairPlan.KeptEntry] = []
    var aside: [RepairPlan.KeptEntry] = []
    var dropped: [RepairPlan.DroppedEntry] = []
  }

  private func sorted<S: Store>(of state: StoreState, in store: S) -> SortedEntries {
    let judgement = Judgement(of: store, state)
    var sorted = SortedEntries()
    sorted.kept.reserveCapacity(state.snapshot.live.count)
    for record in state.snapshot.live {
      let assessment = judgement.assessment(of: record)
      if let entry = dropping(record, of: store, state, assessment) {
        sorted.dropped.append(entry)
        continue
      }
      let entry = RepairPlan.KeptEntry(
        record: record, assessment: assessment,
        refusal: appliesEngineLimits ? store.obstacle(to: record, scan: .engine) : nil,
        weighing: explainsProbabilities ? judgement.weighing(of: record) : nil,
        like: sorted.kept.last)
      if entry.refusal != nil || isUnlikely(entry, in: state) {
        sorted.aside.append(entry)
      } else {
        sorted.kept.append(entry)
      }
    }
    return sorted
  }

  /// Returns whether `entry` of `state` is less likely to be right than was asked for.
  private func isUnlikely(_ entry: RepairPlan.KeptEntry, in state: StoreState) -> Bool {
    guard let leastProbability, let probability = entry.probability else { return false }
    return probability < leastProbability && !(keepsSoundStates && state.isFreeOfDoubt)
  }

  private func dropping<S: Store>(
    _ record: Record, of store: S, _ state: StoreState, _ assessment: Assessment
  ) -> RepairPlan.DroppedEntry? {
    func dropped(_ reason: String, isRequested: Bool = false) -> RepairPlan.DroppedEntry {
      .init(record: record, reason: reason, isRequested: isRequested)
    }
    if let loss = store.reasonForNoValue(of: record) { return dropped(loss) }
    // In a sound state, an entry is kept unless something indicates that it is damaged.
    if assessment.evidence < minimumEvidence, state.isDoubted(record),
      assessment.probability ?? Probability(0) < Self.proven
    {
      return dropped("its evidence is only \(assessment.evidence.rawValue)")
    }
    if let now = dropsExpiredAt, let time = store.expiry(of: record), time != 0, time <= now {
      return dropped("it expired at \(time)", isRequested: true)
    }
    return nil
  }

  private func engineLikePlan<S: Store>(_ store: S, _ diagnosis: Diagnosis) -> RepairPlan {
    let choices = RepairChoices(recovered: 0, verified: 0)
    let answers = EngineAnswers(
      onChecksumMismatch: strategy.onChecksumMismatch(
        ChecksumDamage(claim: store.lengthClaims.first?.checksum, choices: choices)),
      onLengthError: strategy.onLengthError(
        LengthDamage(
          stated: store.lengthClaims.first?.count ?? 0, available: store.logArea.count,
          choices: choices)))
    let load = store.engineLoad(answering: answers)
    let snapshot = EnginePredictor(store).snapshot(load)
    let isProven = load.outcome != .recovered && load.outcome != .discarded
    let doubts = isProven ? store.conclusions(about: snapshot.live, in: load.log) : []
    return RepairPlan(
      state: load.outcome == .rolledBack ? .confirmed : .current,
      origin: "as loaded by the app's engine (\(load.outcome.rawValue))",
      decisions: load.callbacks.map {
        RepairPlan.Decision(
          question: $0,
          answer: load.outcome == .recovered ? .recover : .discard,
          reason: store.questions.isAppAsked
            ? "the engine asks" : "the engine reports this without asking")
      },
      kept: snapshot.live.map { record in
        // The engine has the key, but its value is not the one that is stored.
        guard store.readsValuesAsStored || store.loadedValue(of: record) == .asStored else {
          return .init(record: record, assessment: Assessment(.guess, [.mayBeDamaged]))
        }
        var assessment = Assessment(
          isProven ? .checksum : .structure, isProven ? [] : [.mayBeDamaged])
        assessment.limit(record, by: doubts)
        return .init(record: record, assessment: assessment)
      },
      aside: [], dropped: [], gaps: snapshot.gaps, isNeeded: diagnosis.verdict != .clean,
      isCutOff: false, isSound: false,
      leftOut: diagnosis.best.map {
        leftOut(
          of: $0, by: snapshot.live, store, because: "the app's engine does not keep this value")
      } ?? [])
  }
}
