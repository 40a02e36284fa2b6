import KVInput
import KVSystem
import SystemPackage

/// The steps of a walk, in numbered batches.
struct Batches {
  private var walk: TreeWalk
  private let shard: (index: Int, count: Int)
  private let isKnown: (FilePath) -> Bool
  /// The largest number of steps in a batch.
  private let limit: Int
  /// The time that a step may take; if the user has named a part of an archive, a step lists the
  /// whole archive.
  private let stepLimit: Duration?

  init(
    _ walk: TreeWalk, shard: (index: Int, count: Int), isKnown: @escaping (FilePath) -> Bool,
    limit: Int, stepLimit: Duration?
  ) {
    self.limit = limit
    self.stepLimit = stepLimit
    self.walk = walk
    self.shard = shard
    self.isKnown = isKnown
  }

  /// Whether the next step is available without waiting.
  var isReady: Bool { walk.isReady }
  /// The number of files that the walk has passed.
  var passedCount: Int { walk.passedCount }

  /// Returns the next batch; `nil` after the last.
  mutating func next() -> [TreeWalk.Step]? {
    var batch: [TreeWalk.Step] = []
    while batch.count < limit, batch.isEmpty || walk.isReady,
      let step = step()
    {
      if isWanted(step) { batch.append(step) }
    }
    return batch.isEmpty ? nil : batch
  }

  private mutating func step() -> TreeWalk.Step? {
    Deadline.within(stepLimit) { walk.next() }
  }

  private func isWanted(_ step: TreeWalk.Step) -> Bool {
    let path: FilePath
    switch step {
    case .target(let target): path = target.path
    case .backup(let backup): path = backup.path
    case .failure: return shard.index == 1
    }
    if isKnown(path) { return false }
    guard shard.count > 1 else { return true }
    // The FNV-1a hash of the path alone decides the shard, so that all machines agree.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash % UInt64(shard.count)) == shard.index - 1
  }
}

/// Batches of parts that are examined on other threads, several at a time, and whose findings are
/// taken in the order of the batches.
final class BatchQueue<Part: Sendable, Finding: Sendable> {
  // A class, because findings are taken while it waits.

  /// A batch, and what was found in it so far.
  private final class Batch: Sendable {
    let number: Int
    let parts: [Part]
    private let findings = Guarded<[Finding]>([])

    init(_ number: Int, _ parts: [Part]) {
      self.number = number
      self.parts = parts
    }

    func add(_ finding: Finding) { findings.use { $0.append(finding) } }

    func take() -> [Finding] {
      findings.use { findings in
        defer { findings = [] }
        return findings
      }
    }
  }

  private let jobCount: Int
  private let work: BatchWork<Batch, Void>
  /// The batches that are not yet begun.
  ///
  /// Some are kept ready, so that no job waits for the walk, or for the findings of others to be
  /// passed on.
  private var ready: [Batch] = []
  /// The batches that were begun and not yet removed, by number.
  private var running: [Int: Batch] = [:]
  /// The number of batches that were added, that were begun, that are done, and that were removed.
  private var (added, begun, done, removed) = (0, 0, 0, 0)

  /// Creates an empty queue that examines `jobCount` batches at a time with `examine`.
  init(jobCount: Int, _ examine: @escaping @Sendable (Part) -> Finding?) {
    self.jobCount = jobCount
    work = BatchWork { batch in
      // What is found is not kept back until a part that takes long is done.
      for part in batch.parts {
        if let finding = examine(part) { batch.add(finding) }
      }
    }
  }

  /// Whether no batch is being examined.
  var isIdle: Bool { begun == done }
  /// Whether enough batches are ready.
  var isFull: Bool { ready.count >= jobCount }

  /// Adds a batch.
  func add(_ parts: [Part]) {
    ready.append(Batch(added, parts))
    added += 1
    begin()
  }

  /// Waits until another batch is done; `meanwhile` is called about ten times a second.
  func wait(meanwhile: () -> Void) {
    work.wait(meanwhile: meanwhile)
    done += 1
    begin()
  }

  /// Returns what was found so far, and not yet taken, in the earliest batch that is not removed.
  func takeNext() -> [Finding] { running[removed]?.take() ?? [] }

  /// Removes the earliest batch, and returns the rest of its findings; `nil` if it is not done.
  func removeNext() -> [Finding]? {
    guard work.remove(removed) != nil else { return nil }
    defer { removed += 1 }
    return running.removeValue(forKey: removed)?.take()
  }

  private func begin() {
    while begun - done < jobCount, !ready.isEmpty {
      let batch = ready.removeFirst()
      begun += 1
      running[batch.number] = batch
      work.begin(batch, batch.number)
    }
  }
}
