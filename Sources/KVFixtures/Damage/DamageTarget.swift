import KVBytes
import KVCryptography
package import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A healthy store to damage, with the information needed for an answer key.
public struct DamageTarget: Sendable {
  /// The format.
  let format: FixtureFormat
  /// The files.
  package let image: DiskImage
  /// The key with which the files are encrypted.
  package let key: StoreKey?
  /// The current time when entries are checked for expiry, in seconds since 1970.
  package let now: UInt32
  /// The entries of the store, including expired ones.
  ///
  /// Each value is as a record stores it.
  package let truth: [Key: [UInt8]]
  /// The values that each key has had: those still in the log, or all of them after a simulation.
  package internal(set) var history: [Key: Set<[UInt8]>]
  /// The files as they were some operations earlier.
  public var earlier: DiskImage? {
    didSet {
      earlierEnd = TargetReader.end(of: earlier, in: image, format.storeFormat(key: key, now: now))
    }
  }
  /// The files of another store of the same format.
  public var foreign: DiskImage?

  /// The logs.
  ///
  /// The one that the engine relies on comes first.
  package let logs: [TargetLog]
  /// The fields of headers and side files.
  let fields: [TargetField]
  let chain: TargetChain?
  /// The end of the first log in the earlier state, if the current log starts with the same bytes.
  private(set) var earlierEnd: Int?
  /// The keys whose entries have expired.
  let expired: Set<Key>

  /// Creates a target from the store that `simulation` has made so far.
  ///
  /// - Throws: `.unsuitable` if the store is not healthy.
  public init(_ simulation: Simulation) throws(FixtureError) {
    guard !simulation.isTable else {
      throw .unsuitable("the store has no log")
    }
    try self.init(
      simulation.image, as: simulation.format.format, key: simulation.key, now: simulation.now)
  }

  /// Creates a target from these files.
  ///
  /// - Throws: `.unsuitable` if the store is already damaged, or cannot be read with the key.
  package init(
    _ image: DiskImage, as format: FixtureFormat, key: StoreKey?, now: UInt32,
    earlier: DiskImage? = nil, foreign: DiskImage? = nil
  ) throws(FixtureError) {
    try self.init(
      image, as: format, format.storeFormat(key: key, now: now), key: key, now: now,
      earlier: earlier, foreign: foreign)
  }

  private init(
    _ image: DiskImage, as format: FixtureFormat, _ opener: some StoreFormat,
    key: StoreKey?, now: UInt32, earlier: DiskImage?, foreign: DiskImage?
  ) throws(FixtureError) {
    let (store, diagnosis) = opener.open(image.storeFiles()).examined(now: now)
    guard case .readable = store.access, diagnosis.verdict == .clean else {
      let finding = diagnosis.findings.first.map { ": \($0.message)" } ?? ""
      throw .unsuitable(
        "the store is not healthy, so the effect of further damage cannot be judged\(finding)")
    }
    self.format = format
    self.image = image
    self.key = key
    self.now = now
    self.earlier = earlier
    self.foreign = foreign
    let names = TargetReader.names(of: image)
    logs = TargetReader.logs(of: store, names, image)
    fields = TargetReader.fields(of: store, names)
    chain = TargetReader.chain(of: store, names)
    earlierEnd = TargetReader.end(of: earlier, in: image, opener)
    var history: [Key: Set<[UInt8]>] = [:]
    for log in logs {
      for record in log.records where record.operation != .remove {
        history[record.key, default: []].insert(record.value)
      }
    }
    let live = logs.first?.live ?? []
    truth = Dictionary(live.map { ($0.key, $0.value) }) { _, last in last }
    expired = Set(live.filter { $0.expiry.map { $0 != 0 && $0 <= now } ?? false }.map(\.key))
    self.history = history
    guard truth.count == diagnosis.best?.snapshot.live.count else {
      throw .unsuitable("the entries of the store do not follow from its log alone")
    }
  }

  /// Creates a target from the final store of a simulation, with its complete history.
  package init(_ run: SimulationRun, foreign: DiskImage?) throws(FixtureError) {
    try self.init(
      run.image, as: run.format.format, key: run.key, now: run.now, earlier: run.earlier,
      foreign: foreign)
    for (key, values) in run.history { history[key, default: []].formUnion(values) }
  }
}
