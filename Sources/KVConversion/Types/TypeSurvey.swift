import KVBytes
import KVModel
import KVRecovery

/// What the values of a store, or of several that are judged together, show about the types of
/// keys.
struct TypeSurvey: Sendable {
  /// The number of keys of each pattern whose values are read.
  private static let sampleLimit = 64
  /// The largest number of patterns that are counted, and so of first words and of last words.
  private static let nameLimit = 1 << 14
  /// The smallest share of the evidence with which a surveyed key counts as of a group.
  private static let decisive = 0.9

  /// The tally of all keys.
  private(set) var all = TypeTally()
  /// The name and the tally of the keys of each pattern, by its hash.
  private var patterns: [UInt64: Pattern] = [:]
  private var firstWords: [ByteText: TypeTally] = [:]
  private var lastWords: [ByteText: TypeTally] = [:]
  private var earlier = EarlierValues()

  /// What the keys of one pattern have in common.
  private struct Pattern: Sendable {
    let name: KeyName
    var tally = TypeTally()
  }

  /// A live record whose value is read.
  private struct Sample {
    let record: Record
    let store: Int
    let pattern: UInt64
  }

  /// Creates an empty survey.
  init() {}

  /// Surveys `stores`, with the log of each read as in its state; for `key` alone, if it is given.
  ///
  /// Stores whose records have types are skipped. If several stores have a key, their values are
  /// values of one key.
  init(of stores: [(store: any Store, state: StoreState)], for key: Key? = nil) {
    let stores = stores.filter { !$0.store.storesTypes }
    let shared = stores.count > 1 ? Self.sharedKeys(of: stores) : []
    var samples: [Sample] = []
    var counts: [UInt64: Int] = [:]
    for (index, (store, state)) in stores.enumerated() {
      // A key that several stores have is counted once, in the last store.
      let skipped = index == stores.count - 1 ? [] : shared
      sample(store, state, at: index, besides: skipped, &counts, &samples)
    }
    var needed: Set<UInt64>?
    if let key {
      let bytes = key.bytes.storageSpan
      needed = Set(samples.map { stores[$0.store].store.hashOfKey(of: $0.record) })
      needed?.insert(bytes.hash(in: 0..<bytes.count, seed: 0))
    }
    // The newest values first.
    for (index, (store, state)) in stores.enumerated().reversed() where !shared.isEmpty {
      addLive(store, state, at: index, shared)
    }
    for (index, (store, state)) in stores.enumerated().reversed() {
      addEarlier(store, state, at: index, needed, isAlone: stores.count == 1)
    }
    weigh(samples, of: stores.map(\.store))
  }

  /// Returns the hashes of the keys that several stores have.
  private static func sharedKeys(
    of stores: [(store: any Store, state: StoreState)]
  ) -> Set<UInt64> {
    var seen: Set<UInt64> = []
    var shared: Set<UInt64> = []
    for (store, state) in stores {
      for record in state.snapshot.live where state.isKnown(record) {
        let key = store.hashOfKey(of: record)
        if !seen.insert(key).inserted { shared.insert(key) }
      }
    }
    return shared
  }

  /// Chooses the keys whose values are read: some of each pattern, whose numbers are `counts`.
  private mutating func sample<S: Store>(
    _ store: S, _ state: StoreState, at index: Int, besides skipped: Set<UInt64>,
    _ counts: inout [UInt64: Int], _ samples: inout [Sample]
  ) {
    var last = KeyPattern()
    for record in state.snapshot.live {
      if !skipped.isEmpty, skipped.contains(store.hashOfKey(of: record)) { continue }
      let pattern = last.take(record, in: store)
      let count = counts[pattern] ?? 0
      guard count < Self.sampleLimit, count > 0 || counts.count < Self.nameLimit,
        state.isKnown(record)
      else { continue }
      counts[pattern] = count + 1
      if count == 0 { patterns[pattern] = Pattern(name: KeyName(pattern: last.bytes)) }
      samples.append(Sample(record: record, store: index, pattern: pattern))
    }
  }

  /// Adds the values that are not live to ``earlier``; only those of the keys in `needed`, if there are
  /// some.
  ///
  /// If a live record has the same key, they are values of that key, however weak their evidence.
  private mutating func addEarlier<S: Store>(
    _ store: S, _ state: StoreState, at index: Int, _ needed: Set<UInt64>?, isAlone: Bool
  ) {
    // Where nothing was removed, no record of the log has another key than the live ones.
    let isOfLive = isAlone && state.snapshot.past?.removed == 0
    let keyCount = needed?.count ?? (isOfLive ? state.snapshot.live.count : nil)
    History(of: store, by: state).forEachEarlierPut { record in
      let key = store.hashOfKey(of: record)
      if needed?.contains(key) != false {
        earlier.add(record, of: index, hash: { store.hashOfValue(of: record) }, to: key)
      }
      return keyCount.map { earlier.fullCount < $0 } ?? true
    }
  }

  /// Adds the values of the keys in `shared`.
  private mutating func addLive<S: Store>(
    _ store: S, _ state: StoreState, at index: Int, _ shared: Set<UInt64>
  ) {
    for record in state.snapshot.live where state.isKnown(record) {
      let key = store.hashOfKey(of: record)
      if shared.contains(key) {
        earlier.add(record, of: index, hash: { store.hashOfValue(of: record) }, to: key)
      }
    }
  }

  private mutating func weigh(_ samples: [Sample], of stores: [any Store]) {
    var ranking = TypeRanking()
    func signs(_ record: Record, _ store: Int) -> ValueSigns {
      stores[store].rank(record, &ranking)
      return ValueSigns(of: ranking)
    }
    earlier.weigh(signs)
    for sample in samples {
      let own = signs(sample.record, sample.store)
      let others = otherValues(than: sample.record, in: stores[sample.store])
      let values = [own] + Self.agreeing(others.values, with: own)
      add(Self.finding(values, Self.weights(of: values)), to: sample.pattern)
    }
  }

  private mutating func add(_ finding: TypeFinding, to pattern: UInt64) {
    all.add(finding)
    patterns[pattern]?.tally.add(finding)
    guard let (first, last) = patterns[pattern]?.name.ends else { return }
    firstWords[first, default: TypeTally()].add(finding)
    lastWords[last, default: TypeTally()].add(finding)
  }

  // MARK: Judging

  /// Returns the name of the pattern with this hash; `nil` if it was not surveyed.
  func name(of pattern: UInt64) -> KeyName? { patterns[pattern]?.name }

  /// Returns the newest distinct values of the key of `record` whose bytes differ from those of
  /// `record`.
  func otherValues<S: Store>(than record: Record, in store: S) -> OtherValues {
    if earlier.isEmpty { return OtherValues() }
    return earlier.others(of: store.hashOfKey(of: record)) { store.hashOfValue(of: record) }
  }

  /// Returns `others`; none if no type fits them and `own`, as then they say nothing about one
  /// another.
  static func agreeing(_ others: [ValueSigns], with own: ValueSigns) -> [ValueSigns] {
    let common = others.reduce(own.weights) { $0.least($1.weights) }.most
    return common > ValueSigns.misfit ? others : []
  }

  /// Returns the relative likelihood of the values of one key if it has a type of each group.
  static func weights(of values: [ValueSigns]) -> GroupWeights {
    var weights = GroupWeights(1)
    for value in values {
      weights = weights * value.weights
    }
    // A counter goes from 0 to 1 as often as a Boolean changes.
    if values.count > 1, values.allSatisfy({ $0.common != nil }) { weights[.integer] *= 4 }
    return weights
  }

  /// Returns what the values of one key, whose weights are `weights`, show about its type.
  static func finding(_ values: [ValueSigns], _ weights: GroupWeights) -> TypeFinding {
    if values.count == 1, let common = values[0].common { return common == .zero ? .zero : .one }
    let shares = weights.shares
    let best = shares.best
    guard shares[best] >= Self.decisive else { return .open }
    return best == .integer && values[0].isSmall ? .smallInteger : .group(best)
  }

  /// Returns `weights` multiplied by the factors of the keys whose names resemble `name`, the name of
  /// `pattern`.
  ///
  /// `finding` is what the key itself was counted as; it is left out.
  func weighed(
    _ weights: GroupWeights, by name: KeyName, _ pattern: UInt64, besides finding: TypeFinding,
    _ priors: TypePriors, _ common: CommonShares
  ) -> GroupWeights {
    var weights = weights
    func weigh(_ tally: TypeTally?, _ caution: Double) {
      guard let tally else { return }
      weights =
        weights * tally.factors(besides: finding, priors: priors, common: common, caution: caution)
    }
    weigh(patterns[pattern]?.tally, 0.5)
    if let (first, last) = name.ends {
      weigh(lastWords[last], 1)
      weigh(firstWords[first], 2)
    }
    return weights
  }
}

extension Store {
  /// Returns a hash of the bytes of the key of `record`.
  func hashOfKey(of record: Record) -> UInt64 {
    withDecoded(record.file) { $0.hash(in: record.key, seed: 0) }
  }

  /// Returns a hash of the bytes of the value of `record`.
  fileprivate func hashOfValue(of record: Record) -> UInt64 {
    withValue(of: record) { $0.hash(in: 0..<$0.count, seed: 0) }
  }
}

extension StoreState {
  /// Returns whether `record`, a live record, is more than a guess.
  fileprivate func isKnown(_ record: Record) -> Bool {
    assessment(of: record).evidence > .guess
  }
}
