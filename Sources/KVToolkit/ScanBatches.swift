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
