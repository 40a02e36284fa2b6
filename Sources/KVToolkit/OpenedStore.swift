import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// The files of a store with their format, read but not yet examined.
struct StoreFiles: Sendable {
  private let found: any FoundStore
  private let clock: UInt32

  /// The total number of bytes of the files.
  var byteCount: Int { found.files.reduce(0) { $0 + $1.image.count } }

  /// Finds and reads the files of the store at `path`.
  init(at path: String, _ options: OpeningOptions) throws(StoreError) {
    let known = FormatCatalog.standard.stores(options.formatOptions, named: options.format)
    let formats = Formats(known)
    let isNamed = options.format != nil
    if let name = options.format, known.isEmpty {
      throw StoreError(.notRecognized, "there is no format called \(name) with a log")
    }
    // It would be the current folder.
    if path.isEmpty { throw StoreError(.notFound, "the path is empty; name a store") }
    do throws(DiscoveryError) {
      let place = try NamedPlace(named: FilePath(path), isFormatNamed: isNamed)
      let files = try Recognizer(formats, Readers([])).files(
        at: place.path, isNamed ? .namedWithFormat : .named, in: place.source)
      guard case .store(let best, _) = files,
        isNamed || !best.isGuess || StoreNames.hasLogSuffix(place.path)
      else {
        throw files.notRecognized(at: FilePath(path))
      }
      found = best.found
    } catch {
      throw StoreError(error)
    }
    clock = options.clock
  }

  /// Returns the store with its diagnosis.
  func diagnosed() -> any OpenedStore {
    func diagnose(_ found: some FoundStore) -> any OpenedStore {
      let (store, diagnosis) = found.open().examined(now: clock)
      return DiagnosedStore(
        format: found.format, store: store, diagnosis: diagnosis,
        typing: StoreTyping(of: store, by: diagnosis.best))
    }
    return diagnose(found)
  }
}

/// The destination of a repair.
enum RepairTarget {
  /// A folder, in which nothing is overwritten.
  case folder(FilePath)
  /// The place of the old files, which are kept in a backup.
  case place
}

/// A store of any format, with its diagnosis.
protocol OpenedStore: Sendable {
  var formatName: String { get }
  var verdict: Verdict { get }
  var findings: [Finding] { get }
  var entries: [StoredEntry] { get }

  /// Returns the value of `record` as one of type `kind`; `nil` if its bytes are not such a value.
  func value(of record: Record, as kind: Value.Kind) -> Value?
  /// Returns the value of `record` as its likeliest type.
  func likeliestValue(of record: Record) -> Value
  /// Returns the value bytes of `record` as it stores them, decrypted.
  func bytes(of record: Record) -> [UInt8]
  func expiry(of record: Record) -> UInt32?

  func repair(
    _ decision: RecoveryDecision, into target: RepairTarget,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(StoreError) -> StoreRepair
}

extension OpenedStore {
  func repair(
    _ decision: RecoveryDecision, into target: RepairTarget
  ) throws(StoreError) -> StoreRepair {
    try repair(decision, into: target) { false }
  }
}

private struct DiagnosedStore<F: StoreFormat>: OpenedStore {
  let format: F
  let store: F.StoreType
  let diagnosis: Diagnosis
  let typing: StoreTyping

  var formatName: String { F.name }
  var verdict: Verdict { diagnosis.verdict }
  var findings: [Finding] { diagnosis.findings }

  var entries: [StoredEntry] {
    guard let best = diagnosis.best else { return [] }
    // An entry whose value is missing has nothing to return.
    let live = best.snapshot.live.filter { store.reasonForNoValue(of: $0) == nil }
    let judgement = Judgement(of: store, best)
    return live.map { record in
      StoredEntry(
        key: store.key(of: record), judgement.assessment(of: record), record, in: self)
    }
  }

  func value(of record: Record, as kind: Value.Kind) -> Value? { store.value(of: record, as: kind) }
  func likeliestValue(of record: Record) -> Value {
    typing.readings(of: record, in: store)[0].value
  }
  func bytes(of record: Record) -> [UInt8] { store.value(of: record) }
  func expiry(of record: Record) -> UInt32? { store.expiry(of: record) }

  func repair(
    _ decision: RecoveryDecision, into target: RepairTarget,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(StoreError) -> StoreRepair {
    var planner = RepairPlanner(strategy: FixedStrategy(EngineAnswers(always: decision)))
    planner.appliesEngineLimits = true
    planner.leastProbability = .evenOdds
    guard let plan = planner.plan(store, given: diagnosis) else {
      throw StoreError(
        .unreadable, findings.first?.message ?? "the records of the store cannot be read")
    }
    let files: [EncodedFile]
    do throws(EncodingError) {
      files = try format.encode(plan.contents(of: store), like: store, cipher: .keep)
    } catch {
      throw StoreError(.cannotWrite, error.message)
    }
    let writer = StoreWriter(originals: store.files, isCancelled: isCancelled)
    switch target {
    case .folder(let folder): return try write(files, into: folder, plan, writer)
    case .place: return try replace(by: files, plan, writer)
    }
  }

  private func write(
    _ files: [EncodedFile], into folder: FilePath, _ plan: RepairPlan, _ writer: StoreWriter
  ) throws(StoreError) -> StoreRepair {
    if let home = store.files.first?.path.parent, Folder.isSame(home, folder) {
      throw StoreError(
        .cannotWrite, "\(folder.text) is the folder of the store itself; name another one")
    }
    do throws(FileError) {
      return outcome(of: plan, files: try writer.write(files, into: folder), backup: nil)
    } catch {
      throw StoreError(error)
    }
  }

  private func replace(
    by files: [EncodedFile], _ plan: RepairPlan, _ writer: StoreWriter
  ) throws(StoreError) -> StoreRepair {
    let home = store.files.first?.path.parent ?? FilePath(".")
    if let file = store.files.first, store.files.areUndone {
      throw StoreError(.irreplaceable(file.path, reason: DiscoveryError.copyReason))
    }
    do throws(BackupError) {
      let backup = try Backup.replace(store.files, by: files, writer: writer)
      return outcome(
        of: plan, files: files.map { home.appending($0.name) }, backup: backup.folder)
    } catch {
      throw StoreError(error)
    }
  }

  private func outcome(
    of plan: RepairPlan, files: [FilePath], backup: FilePath?
  ) -> StoreRepair {
    StoreRepair(
      keptCount: plan.kept.count,
      leftOut: plan.aside.map {
        .init(
          key: store.key(of: $0.record),
          reason: $0.refusal ?? "where the record begins is only a guess")
      }
        + (plan.dropped + plan.leftOut).map {
          .init(key: store.key(of: $0.record), reason: $0.reason)
        },
      isComplete: !plan.isLossy, files: files.map(\.text), backup: backup?.text)
  }
}
