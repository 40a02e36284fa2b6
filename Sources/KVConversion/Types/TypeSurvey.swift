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
  private var patterns: [[UInt8]: TypeTally] = [:]
  private var firstWords: [ByteText: TypeTally] = [:]
  private var lastWords: [ByteText: TypeTally] = [:]
  /// The records of keys that are not the only live one, in the order of the files, of the keys that have
  /// some.
  private var earlier: [Key: [Source]] = [:]
  /// The stores that they are of.
  private var stores: [any Store] = []

  /// A record, and the index of its store.
  private struct Source {
    let record: Record
    let store: Int
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
    var sampled: [[UInt8]: Int] = [:]
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
        earlier[store.key(of: record), default: []].append(Source(record: record, store: index))
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
        if shared.insert(key).inserted { earlier[key, default: []].append(other) }
        earlier[key, default: []].append(source)
      }
    }
    return shared
  }

  private mutating func sample<S: Store>(
    _ live: [Record], of store: S, besides shared: Set<Key>, _ sampled: inout [[UInt8]: Int]
  ) {
    for record in live {
      let key = store.key(of: record)
      if shared.contains(key) { continue }
      let name = KeyName(key)
      let count = sampled[name.pattern, default: 0]
      guard count < Self.sampleLimit, count > 0 || sampled.count < Self.nameLimit else { continue }
      sampled[name.pattern] = count + 1
      let evidence = TypeEvidence(store.readings(of: record, keeping: Self.byteLimit))
      add(name, Self.finding([evidence] + otherValues(of: key, than: record, evidence, in: store)))
    }
  }

  private mutating func add(_ name: KeyName, _ finding: TypeFinding) {
    all.add(finding)
    patterns[name.pattern, default: TypeTally()].add(finding)
    guard let (first, last) = name.ends else { return }
    firstWords[first, default: TypeTally()].add(finding)
    lastWords[last, default: TypeTally()].add(finding)
  }

  /// The newest values of `key` whose bytes are others than those of `record`, which `evidence` is of, and
  /// of each other; none if no type has all of them, for then they say nothing of one another.
  func otherValues<S: Store>(
    of key: Key, than record: Record, _ evidence: TypeEvidence, in store: S
  ) -> [TypeEvidence] {
    guard let sources = earlier[key] else { return [] }
    var seen: Set<[UInt8]> = [store.value(of: record)]
    var others: [TypeEvidence] = []
    for source in sources.reversed() {
      guard others.count < Self.valueLimit else { break }
      let store = stores[source.store]
      guard seen.insert(store.value(of: source.record)).inserted else { continue }
      others.append(TypeEvidence(store.readings(of: source.record, keeping: Self.byteLimit)))
    }
    return Self.agree([evidence] + others) ? others : []
  }

  /// Whether there is a type that has all of `values`.
  private static func agree(_ values: [TypeEvidence]) -> Bool {
    let weights = values.map(\.weights)
    return TypeGroup.allCases.contains { group in
      weights.allSatisfy { $0[group] > TypeEvidence.misfit }
    }
  }

  // MARK: Judging

  /// How likely the values of one key are if it has a type of each group, in proportion.
  static func weights(of values: [TypeEvidence]) -> GroupWeights {
    var weights = GroupWeights(1)
    for value in values {
      weights = weights * value.weights
    }
    // A number that counts goes from 0 to 1 as often as a truth value changes.
    if values.count > 1, values.allSatisfy({ $0.common != nil }) { weights[.integer] *= 4 }
    return weights
  }

  /// What the values of one key show of its type.
  static func finding(_ values: [TypeEvidence]) -> TypeFinding {
    if values.count == 1, let common = values[0].common { return common == .zero ? .zero : .one }
    let shares = weights(of: values).shares
    guard shares[shares.best] >= TypeEvidence.decisive else { return .open }
    return shares.best == .integer && values[0].isSmall ? .smallInteger : .group(shares.best)
  }

  /// What the keys with names like `name` say, `finding` being what the key was counted as, and `custom`
  /// what its name makes likelier.
  func factors(
    for name: KeyName, besides finding: TypeFinding, priors: TypePriors, custom: GroupWeights
  ) -> [GroupWeights] {
    var factors: [GroupWeights] = []
    func add(_ tally: TypeTally?, _ caution: Double) {
      guard let tally else { return }
      factors.append(
        tally.factors(besides: finding, priors: priors, custom: custom, caution: caution))
    }
    add(patterns[name.pattern], 0.5)
    if let (first, last) = name.ends {
      add(lastWords[last], 1)
      add(firstWords[first], 2)
    }
    return factors
  }
}
