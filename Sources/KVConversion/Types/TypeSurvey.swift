import KVBytes
import KVModel
import KVRecovery

/// What the values of a store, or of several that are judged together, show of the types that keys have.
struct TypeSurvey: Sendable {
  /// Of the keys of one pattern, the values of so many are looked at.
  private static let sampleLimit = 64
  /// So many patterns, and words, are counted.
  private static let nameLimit = 1 << 14
  /// Of the values of one key, so many are looked at, the newest.
  private static let valueLimit = 6
  /// Of a value, what it can be is known from so many bytes.
  private static let byteLimit = 64

  /// All keys.
  private(set) var all = TypeTally()
  private var patterns: [Key: TypeTally] = [:]
  /// What the names of each pattern tell, which is the same for all keys of it.
  private var names: [Key: KeyName] = [:]
  private var firstWords: [ByteText: TypeTally] = [:]
  private var lastWords: [ByteText: TypeTally] = [:]
  /// The newest values of each key that has others than the only live one.
  private var earlier: [Key: [Source]] = [:]
  /// The stores that they are of.
  private var stores: [any Store] = []

  /// A value of a key: a record, the index of its store, and what is weighed of it.
  private struct Source {
    let record: Record
    let store: Int
    var signs: ValueSigns?
  }

  /// A survey of nothing.
  init() {}

  /// The survey of `stores`, the log of each read as in its state.
  ///
  /// The values of a key that several of them have are those of one key.
  init(of stores: [(store: any Store, state: StoreState)]) {
    let stores = stores.filter { !$0.store.storesTypes }
    self.stores = stores.map(\.store)
    var live: [[Record]] = []
    for (index, (store, state)) in stores.enumerated() {
      live.append(collect(store, by: state, at: index))
    }
    let shared = addShared(live)
    weighSeveral()
    var sampled: [Key: Int] = [:]
    for (index, store) in self.stores.enumerated() {
      // A key of several stores is counted with the last.
      let isLast = index == live.count - 1
      sample(live[index], of: store, besides: isLast ? [] : shared, &sampled)
    }
  }

  /// Returns the live records of `store`, and takes in the others.
  private mutating func collect<S: Store>(
    _ store: S, by state: StoreState, at index: Int
  ) -> [Record] {
    var live: [Record] = []
    History(of: store, by: state).forEach { event in
      guard case .record(let record, let fate, let assessment) = event, record.operation == .put
      else { return }
      if fate == .live {
        if assessment.evidence > .guess { live.append(record) }
      } else {
        // What has the key of a live record is one of it, however little else verifies it.
        add(Source(record: record, store: index), to: store.key(of: record))
      }
    }
    return live
  }

  /// Takes in the records of `live`, those of each store, whose keys several stores have, and returns
  /// these keys.
  private mutating func addShared(_ live: [[Record]]) -> Set<Key> {
    guard live.count > 1 else { return [] }
    var seen: [Key: Source] = [:]
    var shared: Set<Key> = []
    for (index, records) in live.enumerated() {
      for record in records {
        let key = stores[index].key(of: record)
        let source = Source(record: record, store: index)
        guard let other = seen.updateValue(source, forKey: key) else { continue }
        if shared.insert(key).inserted { add(other, to: key) }
        add(source, to: key)
      }
    }
    return shared
  }

  /// Adds a value of `key`, newer than those that it has: of these the oldest goes where there are enough,
  /// or the one with the same bytes.
  ///
  /// One more is kept than is looked at, for one may be the value that others are asked for.
  private mutating func add(_ source: Source, to key: Key) {
    Self.add(source, to: &earlier[key, default: []], of: stores)
  }

  private static func add(
    _ source: Source, to sources: inout [Source], of stores: [any Store]
  ) {
    let same = sources.firstIndex { other in
      stores[source.store].withValue(of: source.record) { bytes in
        stores[other.store].withValue(of: other.record) { $0.isEqual(to: bytes) }
      }
    }
    if let index = same ?? (sources.count > valueLimit ? 0 : nil) { sources.remove(at: index) }
    sources.append(source)
  }

  /// Weighs the values of the keys that have several, once and not for each of their records.
  private mutating func weighSeveral() {
    earlier = earlier.mapValues { sources in
      sources.count < 2
        ? sources
        : sources.map { Source(record: $0.record, store: $0.store, signs: signs(of: $0)) }
    }
  }

  private func signs(of source: Source) -> ValueSigns {
    let readings = stores[source.store].readings(of: source.record, keeping: Self.byteLimit)
    return ValueSigns(of: readings, TypeEvidence.groups(of: readings))
  }

  private mutating func sample<S: Store>(
    _ live: [Record], of store: S, besides shared: Set<Key>, _ sampled: inout [Key: Int]
  ) {
    for record in live {
      let key = store.key(of: record)
      if shared.contains(key) { continue }
      let pattern = KeyName.pattern(of: key)
      let count = sampled[pattern, default: 0]
      guard count < Self.sampleLimit, count > 0 || sampled.count < Self.nameLimit else { continue }
      sampled[pattern] = count + 1
      let evidence = TypeEvidence(store.readings(of: record, keeping: Self.byteLimit))
      let others = otherValues(of: key, than: record, evidence.signs, in: store)
      let values = [evidence.signs] + others
      let name = names[pattern] ?? KeyName(pattern: pattern)
      names[pattern] = name
      add(name, Self.finding(values, Self.weights(of: values)))
    }
  }

  /// What the names with `pattern` tell.
  func name(of pattern: Key) -> KeyName { names[pattern] ?? KeyName(pattern: pattern) }

  private mutating func add(_ name: KeyName, _ finding: TypeFinding) {
    all.add(finding)
    patterns[name.pattern, default: TypeTally()].add(finding)
    guard let (first, last) = name.ends else { return }
    firstWords[first, default: TypeTally()].add(finding)
    lastWords[last, default: TypeTally()].add(finding)
  }

  /// The newest values of `key` whose bytes are others than those of `record`, which `signs` are of, and
  /// of each other; none if no type has all of them, for then they say nothing of one another.
  ///
  /// - Complexity: O(size of the value): no more than some values of a key are looked at.
  func otherValues<S: Store>(
    of key: Key, than record: Record, _ signs: ValueSigns, in store: S
  ) -> [ValueSigns] {
    guard !earlier.isEmpty, let sources = earlier[key] else { return [] }
    let others = store.withValue(of: record) { own in
      sources.reversed().filter { source in
        !stores[source.store].withValue(of: source.record) { $0.isEqual(to: own) }
      }
    }.prefix(Self.valueLimit).map { $0.signs ?? self.signs(of: $0) }
    return Self.agree([signs] + others) ? others : []
  }

  /// Whether there is a type that has all of `values`.
  private static func agree(_ values: [ValueSigns]) -> Bool {
    values.dropFirst().reduce(values[0].weights) { $0.least($1.weights) }.most
      > TypeEvidence.misfit
  }

  // MARK: Judging

  /// How likely the values of one key are if it has a type of each group, in proportion.
  static func weights(of values: [ValueSigns]) -> GroupWeights {
    var weights = GroupWeights(1)
    for value in values {
      weights = weights * value.weights
    }
    // A number that counts goes from 0 to 1 as often as a truth value changes.
    if values.count > 1, values.allSatisfy({ $0.common != nil }) { weights[.integer] *= 4 }
    return weights
  }

  /// What the values of one key show of its type; `weights` are theirs.
  static func finding(_ values: [ValueSigns], _ weights: GroupWeights) -> TypeFinding {
    if values.count == 1, let common = values[0].common { return common == .zero ? .zero : .one }
    let shares = weights.shares
    let best = shares.best
    guard shares[best] >= TypeEvidence.decisive else { return .open }
    return best == .integer && values[0].isSmall ? .smallInteger : .group(best)
  }

  /// Returns `weights` by what the keys with names like `name` say, `finding` being what the key was
  /// counted as.
  func weighed(
    _ weights: GroupWeights, by name: KeyName, besides finding: TypeFinding, _ priors: TypePriors,
    _ common: CommonShares
  ) -> GroupWeights {
    var weights = weights
    func weigh(_ tally: TypeTally?, _ caution: Double) {
      guard let tally else { return }
      weights =
        weights * tally.factors(besides: finding, priors: priors, common: common, caution: caution)
    }
    weigh(patterns[name.pattern], 0.5)
    if let (first, last) = name.ends {
      weigh(lastWords[last], 1)
      weigh(firstWords[first], 2)
    }
    return weights
  }
}
