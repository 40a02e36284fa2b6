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
  /// The number of other values of a key that are weighed, newest first.
  private static let valueLimit = 6
  /// The number of bytes of a value that are read to find its possible types.
  private static let byteLimit = 64

  /// The tally of all keys.
  private(set) var all = TypeTally()
  private var patterns: [Key: TypeTally] = [:]
  /// The name of each pattern, which all keys of the pattern share.
  private var names: [Key: KeyName] = [:]
  private var firstWords: [ByteText: TypeTally] = [:]
  private var lastWords: [ByteText: TypeTally] = [:]
  /// The newest values of each key, by its hash, oldest first.
  ///
  /// The live value is left out unless several stores have the key. If two keys had one hash, their
  /// values would be judged as those of one key, no more.
  private var earlier: [UInt64: [Source]] = [:]
  /// The stores of these values.
  private var stores: [any Store] = []

  /// A value of a key: its record, the index of its store, the hash of its bytes, and its signs if
  /// they are known.
  private struct Source {
    let record: Record
    let store: Int
    let hash: UInt64
    var signs: ValueSigns?
  }

  /// Creates an empty survey.
  init() {}

  /// Surveys `stores`, with the log of each read as in its state.
  ///
  /// Stores whose records have types are skipped. If several stores have a key, their values are
  /// values of one key.
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
      // A key that several stores have is counted once, in the last store.
      let isLast = index == live.count - 1
      sample(live[index], of: store, besides: isLast ? [] : shared, &sampled)
    }
  }

  /// Returns the live records of `store` that are not guesses, and adds the others to ``earlier``.
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
        // If a live record has the same key, this is a value of that key, however weak its
        // evidence.
        add(
          Source(record: record, store: index, hash: store.hashOfValue(of: record)),
          to: store.hashOfKey(of: record))
      }
    }
    return live
  }

  /// Adds the records whose keys several stores have to ``earlier``, and returns the hashes of these
  /// keys; `live` has the live records of each store.
  private mutating func addShared(_ live: [[Record]]) -> Set<UInt64> {
    guard live.count > 1 else { return [] }
    var seen: [UInt64: Source] = [:]
    var shared: Set<UInt64> = []
    for (index, records) in live.enumerated() {
      for record in records {
        let key = stores[index].hashOfKey(of: record)
        let source = Source(
          record: record, store: index, hash: stores[index].hashOfValue(of: record))
        guard let other = seen.updateValue(source, forKey: key) else { continue }
        if shared.insert(key).inserted { add(other, to: key) }
        add(source, to: key)
      }
    }
    return shared
  }

  /// Adds a value of the key with the hash `key` that is newer than those added before.
  ///
  /// It replaces the value with the same bytes or, if there are enough values, the oldest. One more
  /// value is kept than is weighed, because one of them may be the value that is judged.
  private mutating func add(_ source: Source, to key: UInt64) {
    Self.add(source, to: &earlier[key, default: []])
  }

  private static func add(_ source: Source, to sources: inout [Source]) {
    let same = sources.firstIndex { $0.hash == source.hash }
    if let index = same ?? (sources.count > valueLimit ? 0 : nil) { sources.remove(at: index) }
    sources.append(source)
  }

  /// Weighs the values of keys with several in advance, so that it is not done again for each
  /// record.
  private mutating func weighSeveral() {
    earlier = earlier.mapValues { sources in
      sources.count < 2
        ? sources
        : sources.map { source in
          var weighed = source
          weighed.signs = signs(of: source)
          return weighed
        }
    }
  }

  private func signs(of source: Source) -> ValueSigns {
    let readings = stores[source.store].readings(of: source.record, keeping: Self.byteLimit)
    return ValueSigns(of: readings, TypeEvidence.groups(of: readings))
  }

  private mutating func sample<S: Store>(
    _ live: [Record], of store: S, besides shared: Set<UInt64>, _ sampled: inout [Key: Int]
  ) {
    for record in live {
      if shared.contains(store.hashOfKey(of: record)) { continue }
      let pattern = KeyName.pattern(of: store.key(of: record))
      let count = sampled[pattern, default: 0]
      guard count < Self.sampleLimit, count > 0 || sampled.count < Self.nameLimit else { continue }
      sampled[pattern] = count + 1
      let evidence = TypeEvidence(store.readings(of: record, keeping: Self.byteLimit))
      let others = otherValues(than: record, evidence.signs, in: store)
      let values = [evidence.signs] + others
      let name = names[pattern] ?? KeyName(pattern: pattern)
      names[pattern] = name
      add(name, Self.finding(values, Self.weights(of: values)))
    }
  }

  /// Returns the name that the keys with `pattern` share.
  func name(of pattern: Key) -> KeyName { names[pattern] ?? KeyName(pattern: pattern) }

  private mutating func add(_ name: KeyName, _ finding: TypeFinding) {
    all.add(finding)
    patterns[name.pattern, default: TypeTally()].add(finding)
    guard let (first, last) = name.ends else { return }
    firstWords[first, default: TypeTally()].add(finding)
    lastWords[last, default: TypeTally()].add(finding)
  }

  /// Returns the newest distinct values of the key of `record` whose bytes differ from those of
  /// `record`, which has `signs`.
  ///
  /// The result is empty if no type fits all values, because then they say nothing about one
  /// another.
  ///
  /// - Complexity: O(size of the value); only a few values of a key are compared.
  func otherValues<S: Store>(
    than record: Record, _ signs: ValueSigns, in store: S
  ) -> [ValueSigns] {
    guard !earlier.isEmpty, let sources = earlier[store.hashOfKey(of: record)] else { return [] }
    let own = store.hashOfValue(of: record)
    let others = sources.reversed().filter { $0.hash != own }
      .prefix(Self.valueLimit).map { $0.signs ?? self.signs(of: $0) }
    return Self.agree([signs] + others) ? others : []
  }

  /// Returns whether some type fits all of `values`.
  private static func agree(_ values: [ValueSigns]) -> Bool {
    values.dropFirst().reduce(values[0].weights) { $0.least($1.weights) }.most
      > TypeEvidence.misfit
  }

  // MARK: Judging

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
    guard shares[best] >= TypeEvidence.decisive else { return .open }
    return best == .integer && values[0].isSmall ? .smallInteger : .group(best)
  }

  /// Returns `weights` multiplied by the factors of the keys whose names resemble `name`.
  ///
  /// `finding` is what the key itself was counted as; it is left out.
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

extension Store {
  /// Returns a hash of the bytes of the key of `record`.
  fileprivate func hashOfKey(of record: Record) -> UInt64 {
    decoded(record.file).storageSpan.hash(in: record.key, seed: 0)
  }

  /// Returns a hash of the bytes of the value of `record`.
  fileprivate func hashOfValue(of record: Record) -> UInt64 {
    withValue(of: record) { $0.hash(in: 0..<$0.count, seed: 0) }
  }
}
