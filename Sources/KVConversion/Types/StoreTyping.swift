import KVBytes
package import KVModel
package import KVRecovery

/// A judge of the types of a store's values, for a format that stores no types.
///
/// Each kind of evidence is a factor for each type that the value's bytes can have:
///
/// - The bytes themselves, by the ``Likelihood`` of each reading.
/// - The other values of the key, in the log and after it. A type that does not fit one of them is
///   unlikely to be that of the key.
/// - The values of keys whose names have the same pattern, the same first or the same last word.
/// - The words that programmers use: `is…`, `…_count`, `…Name`.
/// - For `00` and `01`, which can be Booleans, numbers or empty, a vote: the number of keys that
///   have only these values, compared with the number of such integers and empty values to expect,
///   given the store's other values.
///
/// A type that is only likelier than others is never certain. It is decided if it is likelier than
/// all others together. `Docs/CONVERSION.md` § Types has the measured rates of right decisions.
package final class StoreTyping: Sendable {
  // A class, because it holds several tables, and is handed on for each record.

  /// The judgment of the type of one value, whose candidates are those of the ``WeighedValues``.
  struct Judgement: Sendable {
    /// The group that is likeliest in the store.
    fileprivate let best: TypeGroup
    /// Whether it is likelier than all others together.
    let isDecided: Bool
    /// The number of other values of the key that agree with it.
    fileprivate let otherCount: Int
    /// Whether one of them needs 64 bits, as an integer or as a list of integers.
    fileprivate let isWide: Bool
    fileprivate let isWideList: Bool

    /// The reason for the first candidate, if it is not the only one; for people.
    var reason: String {
      otherCount == 0
        ? "the likeliest type judging by its bytes, its name and the store's other keys"
        : "the likeliest type for all \((otherCount + 1).counted("value", "values")) of the key"
    }
  }

  /// The number of bytes at the beginning of a long value that are enough to judge its type.
  static var sampleCount: Int { 1 << 12 }

  private let survey: TypeSurvey
  private let priors: TypePriors
  private let schema: TypeSchema

  /// Creates a typing without a survey, which judges a value by its bytes and the name of its key.
  package convenience init() { self.init(TypeSurvey()) }

  /// Surveys `store`, with its log read as in `state`.
  ///
  /// A type that `schema` gives to a key takes precedence over the survey. A store whose records
  /// have types is not surveyed. If `key` is given, only its values will be judged, and the survey
  /// takes no longer than reading the log.
  ///
  /// - Complexity: O(size of the file). Values are read for only some of the keys of each pattern.
  ///   Only the offsets of some records other than the live ones are kept.
  package convenience init<S: Store>(
    of store: S, by state: StoreState?, schema: TypeSchema = .empty, for key: Key? = nil
  ) {
    self.init(TypeSurvey(of: state.map { [(store, $0)] } ?? [], for: key), schema)
  }

  /// Surveys all `stores` as if they were one: the values of a key that several stores have are
  /// judged together.
  convenience init(of stores: [(store: any Store, state: StoreState)]) {
    self.init(TypeSurvey(of: stores))
  }

  private init(_ survey: TypeSurvey, _ schema: TypeSchema = .empty) {
    self.survey = survey
    self.schema = schema
    priors = TypePriors(clear: survey.all.prior(of: nil), common: survey.all.prior(of: .zero))
  }

  // MARK: Readings

  /// Weighs what the value of `record`, a record of `store`, can be: leaves its types in `weighed`,
  /// the likeliest in this store first.
  ///
  /// Of a value whose type is stored, about the first `limit` bytes are read.
  package func weigh<S: Store>(
    _ record: Record, in store: S, keeping limit: Int = .max, _ weighed: inout WeighedValues
  ) {
    if store.storesTypes {
      weighed.take(store.readings(of: record, keeping: limit))
    } else if let reading = schema.reading(of: record, in: store) {
      weighed.take([reading])
    } else {
      judge(record, in: store, &weighed)
    }
  }

  /// Returns the readings of the value of `record`, a record of `store`; the likeliest in this
  /// store first.
  ///
  /// Lists, text and data have only what is in about the first `limit` bytes.
  package func readings<S: Store>(
    of record: Record, in store: S, keeping limit: Int = .max
  ) -> [Reading] {
    var weighed = WeighedValues()
    return readings(of: record, in: store, keeping: limit, &weighed)
  }

  /// Returns the readings of one of many records; `weighed` is what they share.
  package func readings<S: Store>(
    of record: Record, in store: S, keeping limit: Int, _ weighed: inout WeighedValues
  ) -> [Reading] {
    weigh(record, in: store, keeping: limit, &weighed)
    return weighed.candidates.indices.map {
      weighed.reading(at: $0, of: record, in: store, keeping: limit)
    }
  }

  /// Returns the types of the readings, without reading the values of untyped ones.
  func kinds<S: Store>(
    of record: Record, in store: S, _ weighed: inout WeighedValues
  ) -> [Value.Kind] {
    weigh(record, in: store, keeping: 0, &weighed)
    return weighed.candidates.map(\.kind)
  }

  /// Returns the first of `readings`, which is the likeliest, and those that interpret the same
  /// stored type more closely, such as a time in a number or JSON in text.
  package static func likeliest(of readings: [Reading]) -> [Reading] {
    let kinds = readings.storedKinds
    return kinds.indices.filter { interprets(kinds[$0], kinds[0]) }.map { readings[$0] }
  }

  /// Returns whether `kind` is the same stored type as `first`, or one that reads it more closely.
  fileprivate static func interprets(_ kind: Value.Kind, _ first: Value.Kind) -> Bool {
    switch (TypeGroup(of: first), TypeGroup(of: kind)) {
    case (.double, .date): true
    case (let one, let other): one == other
    }
  }

  /// Returns the types in `readings` that are not in `shown`, each once.
  package static func otherKinds(in readings: [Reading], than shown: [Reading]) -> [Value.Kind] {
    let known = shown.map(\.value.kind)
    var others: [Value.Kind] = []
    for kind in readings.lazy.map(\.value.kind) where !known.contains(kind) {
      if !others.contains(kind) { others.append(kind) }
    }
    return others
  }

  // MARK: Judging

  /// Judges the type of the value of `record`, a record of `store`, whose format stores no types:
  /// leaves its candidates in `weighed`, the likeliest in this store first.
  ///
  /// A schema is not asked.
  @discardableResult
  func judge<S: Store>(
    _ record: Record, in store: S, _ weighed: inout WeighedValues
  ) -> Judgement {
    weighed.readings = []
    store.rank(record, &weighed.ranking)
    // The only type that fits is not weighed; it may only be wider in other values of the key.
    if weighed.ranking.candidates.count == 1 { return only(record, in: store, &weighed) }
    let value = WeighedValues.Case(
      pattern: weighed.pattern.take(record, in: store), signs: ValueSigns(of: weighed.ranking),
      others: survey.otherValues(than: record, in: store))
    let judgement: Judgement
    if let known = weighed[value] {
      judgement = known
    } else {
      judgement = self.judgement(of: value, pattern: weighed.pattern.bytes)
      weighed[value] = judgement
    }
    weighed.ranking.order(by: judgement)
    return judgement
  }

  /// Returns the judgment of a value that only one type fits.
  private func only<S: Store>(
    _ record: Record, in store: S, _ weighed: inout WeighedValues
  ) -> Judgement {
    let candidate = weighed.ranking.candidates[0]
    var others: [ValueSigns] = []
    if candidate.kind == .int32 || candidate.kind == .int32List {
      others = survey.otherValues(than: record, in: store).values
      if !others.contains(where: { $0.isWide || $0.isWideList }) { others = [] }
    }
    if !others.isEmpty {
      others = TypeSurvey.agreeing(others, with: ValueSigns(of: weighed.ranking))
    }
    let judgement = Judgement(
      best: TypeGroup(of: candidate.stored), isDecided: true, otherCount: others.count,
      isWide: others.contains(where: \.isWide), isWideList: others.contains(where: \.isWideList))
    weighed.ranking.order(by: judgement)
    return judgement
  }

  /// Returns the judgment of the values of a case; `pattern` has the bytes of its pattern.
  private func judgement(of value: WeighedValues.Case, pattern: [UInt8]) -> Judgement {
    let others = TypeSurvey.agreeing(value.others.values, with: value.signs)
    let name = survey.name(of: value.pattern) ?? KeyName(pattern: pattern)
    let weights = weights(of: name, value, others)
    let best = weights.best
    return Judgement(
      best: best, isDecided: weights[best] > 0.5, otherCount: others.count,
      isWide: others.contains(where: \.isWide), isWideList: others.contains(where: \.isWideList))
  }

  /// Returns each group's share of the evidence; 0 for the groups that the value cannot have.
  private func weights(
    of name: KeyName, _ value: WeighedValues.Case, _ others: [ValueSigns]
  ) -> GroupWeights {
    let signs = value.signs
    let values = [signs] + others
    let own = TypeSurvey.weights(of: values)
    let prior = signs.common == nil ? priors.clear : priors.common
    // Clear bytes say more than a name does, so its factors are limited.
    let full = name.custom
    let custom = signs.common == nil ? full.least(Self.mostOfName).most(Self.leastOfName) : full
    let weights = survey.weighed(
      own * prior * custom, by: name, value.pattern, besides: TypeSurvey.finding(values, own),
      priors, CommonShares(priors: priors, custom: custom))
    return (weights * signs.groups).shares
  }

  /// The largest and the smallest factor of a name if the bytes are clear.
  private static let mostOfName = GroupWeights(8)
  private static let leastOfName = GroupWeights(0.125)
}

extension TypeRanking {
  /// Puts the likeliest candidate in front: as wide as other values of the key need it, and for an
  /// empty list, of the type that is likeliest.
  fileprivate mutating func order(by judgement: StoreTyping.Judgement) {
    if candidates.count > 1, !prefer({ TypeGroup(of: $0.stored) == judgement.best }),
      let kind = judgement.best.emptyListKind
    {
      replace(.stringList, with: kind)
    }
    switch candidates[0].kind {
    case .int32 where judgement.isWide: widenFirst(to: .int64)
    case .int32List where judgement.isWideList: widenFirst(to: .int64List)
    default: break
    }
  }
}

/// What judging many values of a store shares: the memory for the candidates of each, and the
/// judgements that were made.
///
/// In one store, values are judged alike if their keys have the same pattern, and their bytes and
/// the other values of their keys show the same about their type. Use it with only one
/// ``StoreTyping``.
package struct WeighedValues {
  /// The largest number of cached judgements; a full cache is emptied.
  private static let limit = 1 << 12

  /// What values have in common that are judged alike.
  fileprivate struct Case: Hashable {
    /// The hash of the pattern of the key.
    let pattern: UInt64
    let signs: ValueSigns
    let others: OtherValues
  }

  fileprivate var ranking = TypeRanking()
  /// The losses of types that were taken.
  var taken = TakenLosses()
  /// The readings of the value that was weighed last, if they did not have to be weighed.
  fileprivate var readings: [Reading] = []
  /// The pattern of its key.
  fileprivate var pattern = KeyPattern()
  private var last: (value: Case, judgement: StoreTyping.Judgement)?
  private var known: [Case: StoreTyping.Judgement] = [:]

  /// Creates an empty cache.
  package init() {}

  /// The types of the value that was weighed last, the likeliest first; at least one.
  package var candidates: [TypeCandidate] { ranking.candidates }

  /// Whether the likeliest candidate is the only one of ``likeliest``.
  package var hasOneLikeliest: Bool {
    let first = candidates[0].stored
    return !candidates.dropFirst().contains { StoreTyping.interprets($0.stored, first) }
  }

  /// The indices of the likeliest candidate and of those that interpret the same stored type more
  /// closely, such as a time in a number or JSON in text.
  package var likeliest: [Int] {
    let first = candidates[0].stored
    return candidates.indices.filter { StoreTyping.interprets(candidates[$0].stored, first) }
  }

  /// The type that the value that was weighed last most likely has, if it was weighed by its bytes.
  package var weighedKind: Value.Kind? { readings.isEmpty ? candidates[0].kind : nil }

  /// Returns the reading of the candidate at `index` of the value that was weighed last, that of
  /// `record`, with no more than about the first `limit` bytes.
  package func reading<S: Store>(
    at index: Int, of record: Record, in store: S, keeping limit: Int
  ) -> Reading {
    if readings.isEmpty { return store.reading(of: record, as: candidates[index], keeping: limit) }
    return limit == .max ? store.whole(readings[index], of: record) : readings[index]
  }

  /// Takes the readings of a value whose types need not be weighed.
  fileprivate mutating func take(_ readings: [Reading]) {
    self.readings = readings
    ranking.rank(readings)
  }

  /// The judgement of the values of a case; `nil` if it is not cached.
  fileprivate subscript(_ value: Case) -> StoreTyping.Judgement? {
    mutating get {
      // Most values are judged like the one before.
      if let last, last.value == value { return last.judgement }
      let judgement = known[value]
      if let judgement { last = (value, judgement) }
      return judgement
    }
    set {
      if known.count >= Self.limit { known = [:] }
      known[value] = newValue
      last = newValue.map { (value, $0) }
    }
  }
}
