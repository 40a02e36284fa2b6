import KVBytes
package import KVModel
package import KVRecovery

/// What the values of a store without types are likely to be, judged over the whole store.
///
/// The evidence, each a factor for each type that a value's bytes can be:
///
/// - the bytes themselves, by the ``Likelihood`` of each reading;
/// - the other values of the key, in the log and after it: a type that one of them is not is hardly that
///   of the key;
/// - the keys whose names have the same pattern, the same first or the same last word: what their values
///   are;
/// - the words that programmers use: `is…`, `…_count`, `…Name`;
/// - of `00` and `01`, which are truth values, numbers or empty, a vote: how many keys have no more than
///   these, and how many such numbers and empty values there should be beside the store's others.
///
/// It never is certain. A value is decided where one type is likelier than all others together; how often
/// that is right was measured: `Docs/CONVERSION.md` § Types.
package struct StoreTyping: Sendable {
  /// What a value is taken for.
  package struct Judgement: Sendable {
    /// What it can be: first the likeliest of the store, then the others by the value's own bytes.
    package let readings: [Reading]
    /// Whether nothing else fits, or one type is likelier than all others together.
    package let isDecided: Bool
    /// Whether nothing else fits.
    package let isOnly: Bool
    /// What decided, for people.
    package let reason: String
  }

  /// Of values longer than this, readings have so many bytes.
  package static var sampleCount: Int { 1 << 12 }

  private let survey: TypeSurvey
  private let priors: TypePriors
  private let schema: TypeSchema

  /// The typing of a store of which nothing more is known than each value.
  package init() { self.init(TypeSurvey()) }

  /// The typing of `store`, whose log is read as in `state`; nothing is surveyed where records say their
  /// types, and what `schema` states for a key goes before all that.
  ///
  /// - Complexity: O(size of the file). Of the keys of one pattern, the values of some are read; what is
  ///   kept are offsets of records whose key has other values.
  package init<S: Store>(of store: S, by state: StoreState?, schema: TypeSchema = .empty) {
    self.init(TypeSurvey(of: state.map { [(store, $0)] } ?? []), schema)
  }

  /// The typing of all `stores`, as if they were one: the values of a key that several have are judged
  /// together.
  init(of stores: [(store: any Store, state: StoreState)]) { self.init(TypeSurvey(of: stores)) }

  private init(_ survey: TypeSurvey, _ schema: TypeSchema = .empty) {
    self.survey = survey
    self.schema = schema
    priors = TypePriors(clear: survey.all.prior(of: nil), common: survey.all.prior(of: .zero))
  }

  /// The readings of `record`, a record of `store`, the likeliest of the store first; of lists, texts and
  /// data no more than what lies in about the first `limit` bytes.
  package func readings<S: Store>(
    of record: Record, in store: S, keeping limit: Int = .max
  ) -> [Reading] {
    judgement(of: record, in: store, keeping: limit).readings
  }

  /// The same, for one of many records: `weighed` is what was weighed for those before.
  package func readings<S: Store>(
    of record: Record, in store: S, keeping limit: Int, _ weighed: inout WeighedValues
  ) -> [Reading] {
    judgement(of: record, in: store, keeping: limit, &weighed).readings
  }

  /// Returns those of `readings`, the likeliest first, that are of its type: itself, and closer looks at
  /// it, such as a time in a number and JSON in a text.
  package static func likeliest(of readings: [Reading]) -> [Reading] {
    let groups = TypeEvidence.groups(of: readings)
    return readings.indices.filter { index in
      switch (groups[0], groups[index]) {
      case (.double, .date): true
      case (let one, let other): one == other
      }
    }.map { readings[$0] }
  }

  /// Returns the types of `readings` that none of `shown` has, each once.
  package static func otherKinds(in readings: [Reading], than shown: [Reading]) -> [Value.Kind] {
    let known = shown.map(\.value.kind)
    var others: [Value.Kind] = []
    for kind in readings.lazy.map(\.value.kind) where !known.contains(kind) {
      if !others.contains(kind) { others.append(kind) }
    }
    return others
  }

  /// What `record`, a record of `store`, is taken for.
  package func judgement<S: Store>(
    of record: Record, in store: S, keeping limit: Int = .max
  ) -> Judgement {
    var weighed = WeighedValues()
    return judgement(of: record, in: store, keeping: limit, &weighed)
  }

  /// The same, for one of many records: `weighed` is what was weighed for those before.
  func judgement<S: Store>(
    of record: Record, in store: S, keeping limit: Int, _ weighed: inout WeighedValues
  ) -> Judgement {
    if let reading = schema.reading(of: record, in: store) {
      return Judgement(
        readings: [reading], isDecided: true, isOnly: true, reason: reading.reason)
    }
    let readings =
      limit == .max ? store.readings(of: record) : store.readings(of: record, keeping: limit)
    let isOnly = readings.count == 1
    guard !store.storesTypes else {
      return Judgement(readings: readings, isDecided: true, isOnly: isOnly, reason: "")
    }
    let key = store.key(of: record)
    let evidence = TypeEvidence(readings)
    let others = survey.otherValues(of: key, than: record, evidence.signs, in: store)
    if isOnly {
      return Judgement(
        readings: widened(readings, by: others), isDecided: true, isOnly: true,
        reason: readings[0].reason)
    }
    let pattern = KeyName.pattern(of: key)
    let weights =
      others.isEmpty
      ? weighed.weights(of: pattern, evidence) { self.weights(of: pattern, evidence, []) }
      : self.weights(of: pattern, evidence, others)
    let best = weights.best
    return Judgement(
      readings: widened(ordered(evidence, best, record, in: store), by: others),
      isDecided: weights[best] > 0.5, isOnly: false,
      reason: others.isEmpty
        ? "the likeliest type judging by its bytes, its name and the store's other keys"
        : "the likeliest type for all \((others.count + 1).grouped) values of the key")
  }

  /// The share of the evidence for each group that the value can be of.
  private func weights(
    of pattern: Key, _ evidence: TypeEvidence, _ others: [ValueSigns]
  ) -> GroupWeights {
    let values = [evidence.signs] + others
    let own = TypeSurvey.weights(of: values)
    let name = survey.name(of: pattern)
    let prior = evidence.common == nil ? priors.clear : priors.common
    // Bytes that are clear say more than a name.
    let full = name.custom
    let custom = evidence.common == nil ? full.least(Self.mostOfName).most(Self.leastOfName) : full
    let weights = survey.weighed(
      own * prior * custom, by: name, besides: TypeSurvey.finding(values, own),
      priors, CommonShares(priors: priors, custom: custom))
    var candidates = evidence.common == .zero ? Self.groupsOfZero : GroupWeights(0)
    for group in evidence.groups { candidates[group] = 1 }
    return (weights * candidates).shares
  }

  /// What a name makes a type likelier by, at most, and at least, where the bytes are clear.
  private static let mostOfName = GroupWeights(8)
  private static let leastOfName = GroupWeights(0.125)
  /// 1 for each group that has values of the byte `00`.
  private static let groupsOfZero = GroupWeights { $0.shareOfZero > 0 ? 1 : 0 }

  /// The readings, those of `best` first, the rest as they were.
  private func ordered<S: Store>(
    _ evidence: TypeEvidence, _ best: TypeGroup, _ record: Record, in store: S
  ) -> [Reading] {
    var readings = evidence.readings
    if let index = evidence.groups.firstIndex(of: best) {
      readings.insert(readings.remove(at: index), at: 0)
    } else if let kind = best.emptyListKind, let value = store.value(of: record, as: kind) {
      readings.removeAll { $0.value.kind == .stringList }
      readings.insert(Reading(value, because: "an empty list"), at: 0)
    }
    return readings
  }

  /// The readings, with the first as an integer of 64 bits where other values of the key are.
  private func widened(_ readings: [Reading], by others: [ValueSigns]) -> [Reading] {
    let wide: Value
    switch readings[0].value {
    case .int32(let number) where others.contains(where: \.isWide): wide = .int64(Int64(number))
    case .list(.int32(let numbers)) where others.contains(where: \.isWideList):
      wide = .list(.int64(numbers.map(Int64.init)))
    default: return readings
    }
    return [readings[0].with(wide, count: readings[0].count)] + readings.dropFirst()
  }
}

/// What was weighed for some values whose keys have no others: all that have names of the same pattern, and
/// show the same of their type, weigh the same in a store.
///
/// It is for values that one ``StoreTyping`` weighs.
package struct WeighedValues {
  /// So many are kept; then it begins anew.
  private static let limit = 1 << 12

  private struct Case: Hashable {
    let pattern: Key
    let signs: ValueSigns
    /// The groups that it can be of, a bit for each.
    let groups: UInt16
  }

  private var known: [Case: GroupWeights] = [:]

  /// Nothing was weighed.
  package init() {}

  /// The weights for a value with `evidence`, whose key has `pattern`; as `weigh` says, where none was like it.
  mutating func weights(
    of pattern: Key, _ evidence: TypeEvidence, _ weigh: () -> GroupWeights
  ) -> GroupWeights {
    let groups = evidence.groups.reduce(UInt16(0)) { $0 | 1 << UInt16($1.rawValue) }
    let value = Case(pattern: pattern, signs: evidence.signs, groups: groups)
    if let weights = known[value] { return weights }
    if known.count >= Self.limit { known = [:] }
    let weights = weigh()
    known[value] = weights
    return weights
  }
}

extension TypeGroup {
  /// The kind of an empty list of the group, if it is one of lists but those of texts, which stand for
  /// all.
  fileprivate var emptyListKind: Value.Kind? {
    switch self {
    case .integers: .int32List
    case .truthValues: .boolList
    case .floats: .floatList
    case .doubles: .doubleList
    case .blobs: .bytesList
    default: nil
    }
  }
}
