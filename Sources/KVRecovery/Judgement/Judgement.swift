import KVBytes
package import KVModel

/// The probability of each entry of a state, and the reasons for it.
///
/// An entry is right if there was such a record, if its bytes are unchanged, and if no newer record
/// of its key is lost. Witnesses weigh each of these conditions in bits, with the weights of the
/// format's ``EntryWeights``.
package struct Judgement<S: Store>: Sendable {
  private let store: S
  private let state: StoreState
  private let entryWeights: EntryWeights
  /// The survey of the log; `nil` if nothing in it is damaged or doubted.
  private let survey: LogSurvey?
  /// The number of bytes that the log lacks at its end, because the file is too short.
  private let missingBytes: Int
  /// What a copy that changed bytes everywhere left; `nil` without such a copy.
  private let copySign: CopySign?
  /// The assessment for each integrity of a record, if nothing but the state's limits distinguishes
  /// the entries.
  private let plain: [Assessment]

  /// Judges the entries of `state`, a state of `store`.
  ///
  /// - Complexity: O(1) for a sound state, otherwise O(*n*) for a log of *n* bytes.
  package init(of store: S, _ state: StoreState) {
    self.store = store
    self.state = state
    entryWeights = store.entryWeights
    let log = state.log
    missingBytes = store.lengthClaims.first?.missingCount(of: store) ?? 0
    guard let log, !state.isSound || state.hasLimits else {
      survey = nil
      copySign = nil
      plain = Record.Integrity.allCases.map { integrity in
        var assessment = state.assessment(of: integrity)
        let evidence = Self.answer(assessment.evidence)
        assessment.probability =
          Weighing([evidence], assessment.rules, by: store.entryWeights).probability
        return assessment
      }
      return
    }
    let confirmed = store.lengthClaims.first { $0.role == .confirmed && $0.isVerified }?.log
    let rewriteEnd = confirmed.flatMap { $0.file == log.file ? $0.end : nil } ?? log.offset
    survey = LogSurvey(of: state, in: store, log: log, rewriteEnd: rewriteEnd)
    copySign =
      store.files.copySign(mixedCount: store.mixedByteCount, orLineEnds: false)?.sign
    plain = []
  }

  /// Returns the evidence, the cautions, the rules and the probability of the entry of `record`, a
  /// live record of the state.
  package func assessment(of record: Record) -> Assessment {
    let plain = survey == nil ? plain[Int(record.integrity.rawValue)] : nil
    if let plain, !state.hasLimits { return plain }
    var assessment = state.assessment(of: record)
    assessment.probability = plain?.probability ?? weighing(of: record, assessment).probability
    return assessment
  }

  /// Returns those of `records`, live records of the state, whose entries are more likely wrong than
  /// right.
  func unlikely(among records: [Record]) -> [Record] {
    guard survey != nil else {
      let isUnlikely = plain.map { $0.probability.map { $0 < .evenOdds } ?? false }
      return records.filter { isUnlikely[Int($0.integrity.rawValue)] }
    }
    let weights = Condition.allCases.map { entryWeights[$0] }
    // Most entries have the rules of the one before.
    var rules: [RuleID] = []
    var starts = weights.map { $0.bits(of: rules) }
    return records.filter { record in
      let assessment = state.assessment(of: record)
      if assessment.rules != rules {
        rules = assessment.rules
        starts = weights.map { $0.bits(of: rules) }
      }
      let answers = answers(about: record, assessment)
      var product = 1.0
      for (weights, start) in zip(weights, starts) {
        product *= Weighing.share(ofBits: Weighing.bits(weights, start, answers))
      }
      return Probability(product) < .evenOdds
    }
  }

  /// Returns the weighing of the entry of `record`, a live record of the state.
  package func weighing(of record: Record) -> Weighing {
    weighing(of: record, state.assessment(of: record))
  }

  private func weighing(of record: Record, _ assessment: Assessment) -> Weighing {
    Weighing(answers(about: record, assessment), assessment.rules, by: entryWeights)
  }

  // MARK: The answers

  private func answers(
    about record: Record, _ assessment: Assessment
  ) -> [(witness: Witness, answer: Int)] {
    let evidence = Self.answer(assessment.evidence)
    guard let survey, let place = survey.place(of: record) else { return [evidence] }
    let isUnverified = assessment.cautions.contains(.mayBeDamaged)
    func unverified(_ answer: @autoclosure () -> Int) -> Int { isUnverified ? 1 + answer() : 0 }
    func expected(_ bytes: Int) -> Int {
      Cuts.numbers.index(of: survey.records(in: bytes) * survey.rate(of: place))
    }
    let share = Cuts.shares.index(of: Double(record.count) / Double(max(1, survey.newByteCount)))
    let copy = copySign.map { (witness: Witness.copy, answer: isLeft(record, by: $0) ? 0 : 1) }
    let rewrites = Double(survey.recordCount) / Double(max(1, state.snapshot.live.count))
    return [
      evidence,
      (.recordsSinceGap, place.sinceGap.map { 1 + Cuts.records.index(of: Double($0)) } ?? 0),
      (.recordsToGap, place.toGap.map { 1 + Cuts.records.index(of: Double($0)) } ?? 0),
      (.gaps, min(survey.gapCount, 4)), (.chain, place.chain.rawValue),
      (.sectorEdges, min(survey.sectorEdgeCount, 4)),
      (.key, unverified(isText(record.key, of: record.file) ? 0 : 1)),
      (.shape, unverified(place.isLikeOlder.map { $0 ? 2 : 1 } ?? 0)),
      (.content, unverified(content(record.value, of: record.file).rawValue)),
      (.share, unverified(share + (survey.gapCount > 0 ? Cuts.shares.count + 1 : 0))),
      (.valueLength, unverified(Cuts.lengths.index(of: Double(record.value.count)))),
      (.lostInGaps, expected(place.lostBytes)), (.lostAtEnd, expected(missingBytes)),
      (.rewrites, Cuts.rewrites.index(of: rewrites)),
      (.recordsOfKey, Cuts.recordsOfKey.index(of: Double(place.recordsOfKey))),
    ] + [copy].compactMap(\.self)
  }

  /// Returns whether a copy with `sign` leaves the bytes of `record` as they were.
  private func isLeft(_ record: Record, by sign: CopySign) -> Bool {
    let image = store.stored(record.file)
    return sign.leaves(record.key, of: image) && sign.leaves(record.value, of: image)
  }

  private static func answer(_ evidence: Evidence) -> (witness: Witness, answer: Int) {
    (.evidence, Evidence.allCases.firstIndex(of: evidence) ?? 0)
  }

  /// Returns what the value at `range` looks like.
  private func content(_ range: Range<Int>, of file: FileRole) -> ValueContent {
    ValueContent(store.decoded(file).storageSpan, range.prefix(ValueContent.sampleCount))
  }

  /// Returns whether the bytes at `range` are printable text.
  private func isText(_ range: Range<Int>, of file: FileRole) -> Bool {
    let image = store.decoded(file)
    guard let text = String(utf8: image.bytes(in: range)) else { return false }
    return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  }
}

extension LengthClaim {
  /// The number of zeros in which a record at the end of a cut file may end.
  private static let zeroTail = 16

  /// Returns the number of bytes that the log lacks at its end because the file of `store` was cut.
  ///
  /// If the claim is absurd, or nothing is written at the end of the file, the length is what is wrong.
  fileprivate func missingCount(of store: some Store) -> Int {
    let area = store.logArea
    guard log == nil, !isAbsurd(for: area),
      let last = store.lastNonzero(in: area), area.end - last <= Self.zeroTail
    else { return 0 }
    return max(0, count - area.count)
  }
}

/// What a value looks like.
private enum ValueContent: Int {
  case short, text, brokenText, other

  /// The number of bytes that are looked at.
  static let sampleCount = 4096
  /// The least number of bytes that look like anything.
  private static let leastCount = 12
  /// The largest number of bytes of a length before a text.
  private static let lengthCount = 3
  /// The largest number of bytes of an expiry time after a text.
  private static let timeCount = 4
  /// The number of bytes that show whether a text goes on, as in a list.
  private static let nextCount = 16

  /// Looks at the first bytes of a value, those of `bytes` at `range`.
  init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    guard range.count >= Self.leastCount else {
      self = .short
      return
    }
    var start = range.lowerBound
    for offset in range.prefix(Self.lengthCount) where bytes[offset] < 0x20 || bytes[offset] == 0x7f
    {
      start = offset + 1
    }
    var end = start
    while end < range.upperBound {
      let count = Self.textCount(bytes, at: end, before: range.upperBound)
      if count == 0 { break }
      end += count
    }
    let next = (end..<range.upperBound).prefix(Self.nextCount)
    if range.upperBound - end <= Self.timeCount {
      self = .text
    } else if end - start < Self.leastCount - Self.timeCount {
      self = .other
    } else {
      let texts = next.count { (0x20..<0x7f).contains(bytes[$0]) }
      self = texts * 2 < next.count ? .brokenText : .text
    }
  }

  /// Returns the number of bytes of the printable character in UTF-8 at `offset`; 0 if there is none.
  private static func textCount(
    _ bytes: borrowing Span<UInt8>, at offset: Int, before end: Int
  ) -> Int {
    let count =
      switch bytes[offset] {
      case 0x20..<0x7f: 1
      case 0xc2...0xdf: 2
      case 0xe0...0xef: 3
      case 0xf0...0xf4: 4
      default: 0
      }
    guard offset + count <= end else { return 0 }
    for next in offset + min(1, count)..<offset + count where bytes[next] & 0xc0 != 0x80 {
      return 0
    }
    return count
  }
}

/// The limits between the answers that are numbers: an answer is the number of limits below it.
private enum Cuts {
  static let records: [Double] = [0, 1, 3, 8, 20]
  static let shares: [Double] = [0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9999]
  static let lengths: [Double] = [1, 8, 16, 64, 256]
  static let numbers: [Double] = [0, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3]
  static let rewrites: [Double] = [1, 1.2, 1.5, 2, 4]
  static let recordsOfKey: [Double] = [0, 1, 2, 4, 8]
}

extension [Double] {
  /// Returns the number of elements that are less than `value`.
  fileprivate func index(of value: Double) -> Int { count { $0 < value } }
}
