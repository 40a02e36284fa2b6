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
package struct StoreTyping: Sendable {
  /// The judgment of the type of one value.
  struct Judgement: Sendable {
    /// The possible readings: first the likeliest in this store, then the others, ordered by the
    /// value's own bytes.
    let readings: [Reading]
    /// Whether the type is stored or given by a schema, is the only one that fits, or is likelier
    /// than all others together.
    let isDecided: Bool
    /// Whether the type is the only one that fits, or is given by a schema.
    let isOnly: Bool
    /// The reason for the first reading, for people; empty if the format stores types.
    let reason: String
  }

  /// The number of bytes at the beginning of a long value that are enough to judge its type.
  static var sampleCount: Int { 1 << 12 }

  private let survey: TypeSurvey
  private let priors: TypePriors
  private let schema: TypeSchema

  /// Creates a typing without a survey, which judges a value by its bytes and the name of its key.
  package init() { self.init(TypeSurvey()) }

  /// Surveys `store`, with its log read as in `state`.
  ///
  /// A type that `schema` gives to a key takes precedence over the survey. A store whose records
  /// have types is not surveyed.
  ///
  /// - Complexity: O(size of the file). Values are read for only some of the keys of each pattern.
  ///   Only the offsets of some records other than the live ones are kept.
  package init<S: Store>(of store: S, by state: StoreState?, schema: TypeSchema = .empty) {
    self.init(TypeSurvey(of: state.map { [(store, $0)] } ?? []), schema)
  }

  /// Surveys all `stores` as if they were one: the values of a key that several stores have are
  /// judged together.
  init(of stores: [(store: any Store, state: StoreState)]) { self.init(TypeSurvey(of: stores)) }

  private init(_ survey: TypeSurvey, _ schema: TypeSchema = .empty) {
    self.survey = survey
    self.schema = schema
    priors = TypePriors(clear: survey.all.prior(of: nil), common: survey.all.prior(of: .zero))
  }

  /// Returns the readings of the value of `record`, a record of `store`; the likeliest in this
  /// store first.
  ///
  /// Lists, text and data have only what is in about the first `limit` bytes.
  package func readings<S: Store>(
    of record: Record, in store: S, keeping limit: Int = .max
  ) -> [Reading] {
    judgement(of: record, in: store, keeping: limit).readings
  }

  /// Returns the readings of one of many records; `weighed` is the cache that they share.
  package func readings<S: Store>(
    of record: Record, in store: S, keeping limit: Int, _ weighed: inout WeighedValues
  ) -> [Reading] {
    judgement(of: record, in: store, keeping: limit, &weighed).readings
  }

  /// Returns the first of `readings`, which is the likeliest, and those that interpret the same
  /// stored type more closely, such as a time in a number or JSON in text.
  package static func likeliest(of readings: [Reading]) -> [Reading] {
    let groups = TypeEvidence.groups(of: readings)
    return readings.indices.filter { index in
      switch (groups[0], groups[index]) {
      case (.double, .date): true
      case (let one, let other): one == other
      }
    }.map { readings[$0] }
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

  /// Returns the judgment of the value of `record`, a record of `store`.
  func judgement<S: Store>(
    of record: Record, in store: S, keeping limit: Int = .max
  ) -> Judgement {
    var weighed = WeighedValues()
    return judgement(of: record, in: store, keeping: limit, &weighed)
  }

  /// Returns the judgment of one of many records; `weighed` is the cache that they share.
  func judgement<S: Store>(
    of record: Record, in store: S, keeping limit: Int, _ weighed: inout WeighedValues
  ) -> Judgement {
    if !store.storesTypes, let reading = schema.reading(of: record, in: store) {
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
    let others = survey.otherValues(than: record, evidence.signs, in: store)
    if isOnly {
      return Judgement(
        readings: widened(readings, by: others), isDecided: true, isOnly: true,
        reason: readings[0].reason)
    }
    let pattern = KeyName.pattern(of: key)
    let weights = weights(of: pattern, evidence, others, &weighed)
    let best = weights.best
    return Judgement(
      readings: widened(ordered(evidence, best, record, in: store), by: others),
      isDecided: weights[best] > 0.5, isOnly: false,
      reason: others.isEmpty
        ? "the likeliest type judging by its bytes, its name and the store's other keys"
        : "the likeliest type for all \((others.count + 1).grouped) values of the key")
  }

  /// Returns the same as the function without a cache; values of keys that have no others are
  /// cached.
  private func weights(
    of pattern: Key, _ evidence: TypeEvidence, _ others: [ValueSigns],
    _ weighed: inout WeighedValues
  ) -> GroupWeights {
    guard others.isEmpty else { return weights(of: pattern, evidence, others) }
    let value = WeighedValues.Case(of: pattern, evidence)
    if let known = weighed[value] { return known }
    let weights = weights(of: pattern, evidence, [])
    weighed[value] = weights
    return weights
  }

  /// Returns each group's share of the evidence; 0 for the groups that the value cannot have.
  private func weights(
    of pattern: Key, _ evidence: TypeEvidence, _ others: [ValueSigns]
  ) -> GroupWeights {
    let values = [evidence.signs] + others
    let own = TypeSurvey.weights(of: values)
    let name = survey.name(of: pattern)
    let prior = evidence.common == nil ? priors.clear : priors.common
    // Clear bytes say more than a name does, so its factors are limited.
    let full = name.custom
    let custom = evidence.common == nil ? full.least(Self.mostOfName).most(Self.leastOfName) : full
    let weights = survey.weighed(
      own * prior * custom, by: name, besides: TypeSurvey.finding(values, own),
      priors, CommonShares(priors: priors, custom: custom))
    var candidates = evidence.common == .zero ? Self.groupsOfZero : GroupWeights(0)
    for group in evidence.groups { candidates[group] = 1 }
    return (weights * candidates).shares
  }

  /// The largest and the smallest factor of a name if the bytes are clear.
  private static let mostOfName = GroupWeights(8)
  private static let leastOfName = GroupWeights(0.125)
  /// 1 for each group whose values can be the byte `00`, otherwise 0.
  private static let groupsOfZero = GroupWeights { $0.shareOfZero > 0 ? 1 : 0 }

  /// Returns the readings with the first one of `best` in front.
  ///
  /// If `best` is a group of lists without a reading, its empty list replaces that of strings.
  private func ordered<S: Store>(
    _ evidence: TypeEvidence, _ best: TypeGroup, _ record: Record, in store: S
  ) -> [Reading] {
    var readings = evidence.readings
    if let index = evidence.groups.firstIndex(of: best) {
      if index > 0 { readings.insert(readings.remove(at: index), at: 0) }
    } else if let kind = best.emptyListKind, let value = store.value(of: record, as: kind) {
      readings.removeAll { $0.value.kind == .stringList }
      readings.insert(Reading(value, because: "an empty list"), at: 0)
    }
    return readings
  }

  /// Returns the readings with the first one widened to 64 bits, if it is an integer or a list of
  /// integers and another value of the key needs 64 bits.
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

/// A cache of the weights of values whose keys have no other values.
///
/// In one store, such values weigh the same if their keys have the same pattern and their bytes
/// show the same about their type. Use a cache with only one ``StoreTyping``.
package struct WeighedValues {
  /// The largest number of cached weights; a full cache is emptied.
  private static let limit = 1 << 12

  /// What two values have in common that weigh the same.
  fileprivate struct Case: Hashable {
    private let pattern: Key
    private let signs: ValueSigns
    /// The groups that the value can have, one bit each.
    private let groups: UInt16

    init(of pattern: Key, _ evidence: TypeEvidence) {
      self.pattern = pattern
      signs = evidence.signs
      groups = evidence.groups.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }
  }

  private var known: [Case: GroupWeights] = [:]

  /// Creates an empty cache.
  package init() {}

  /// The weights of the values of a case; `nil` if they are not cached.
  fileprivate subscript(_ value: Case) -> GroupWeights? {
    get { known[value] }
    set {
      if known.count >= Self.limit { known = [:] }
      known[value] = newValue
    }
  }
}

extension TypeGroup {
  /// The type of an empty list of this group.
  ///
  /// This is `nil` for groups that are not lists, and for lists of strings: their reading
  /// represents empty lists of all types.
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
