public import KVModel
import SystemPackage

/// A stage of a repair, for a progress indicator.
public enum RepairStage: Hashable, Sendable {
  /// The files are being found and read.
  case reading
  /// The records are being read and judged; the files have this many bytes.
  case diagnosing(byteCount: Int)
  /// The new files are being written.
  case writing

  /// The fraction of the work that is done before the stage, from 0 to 1; diagnosing takes most of
  /// the time.
  public var fractionCompleted: Double {
    switch self {
    case .reading: 0
    case .diagnosing: 0.1
    case .writing: 0.8
    }
  }
}

extension KeyValueStore {
  /// Repairs the store at `path` into `folder` in a detached task, which does not block the main
  /// actor.
  ///
  /// If the calling task is cancelled, nothing is written.
  ///
  /// - Parameters:
  ///   - path: The store, as ``init(at:options:)`` takes it.
  ///   - folder: Where the new files go.
  ///   - decision: What to keep of a damaged store, as in ``repair(into:answering:)``.
  ///   - options: The key of an encrypted store, and other facts that the files do not contain.
  ///   - progress: Called at the beginning of each stage, on no particular thread.
  /// - Returns: What was written and what was left out.
  /// - Throws: ``StoreError``, as ``init(at:options:)`` and ``repair(into:answering:)`` do, or with
  ///   the reason `.cancelled` if the task is cancelled.
  public static func repair(
    at path: String, into folder: String, answering decision: RecoveryDecision = .recover,
    options: OpeningOptions = OpeningOptions(),
    progress: @escaping @Sendable (RepairStage) -> Void = { _ in }
  ) async throws(StoreError) -> StoreRepair {
    let task = Task.detached { () -> Result<StoreRepair, StoreError> in
      do throws(StoreError) {
        return .success(try run(path, folder, decision, options, progress))
      } catch {
        return .failure(error)
      }
    }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }

  private static func run(
    _ path: String, _ folder: String, _ decision: RecoveryDecision, _ options: OpeningOptions,
    _ progress: (RepairStage) -> Void
  ) throws(StoreError) -> StoreRepair {
    func enter(_ stage: RepairStage) throws(StoreError) {
      if Task.isCancelled { throw StoreError(.cancelled, "cancelled; nothing was written") }
      progress(stage)
    }
    try enter(.reading)
    let files = try StoreFiles(at: path, options)
    try enter(.diagnosing(byteCount: files.byteCount))
    let store = files.diagnosed()
    try enter(.writing)
    return try store.repair(decision, into: .folder(.init(folder))) { Task.isCancelled }
  }
}
