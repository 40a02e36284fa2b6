import KVBytes
import KVModel

/// The findings about records that do not decode, that have expired, or that only take up space.
struct RecordChecks<S: Store> {
  private let store: S
  private let current: StoreState
  private let best: StoreState
  private let appended: StoreState?
  private let beforeReset: StoreState?
  private let predictions: [EnginePrediction]
  private let now: UInt32

  init(
    _ store: S, _ states: [StoreState], _ best: StoreState, _ predictions: [EnginePrediction],
    now: UInt32
  ) {
    self.store = store
    current = states.first ?? best
    appended = states.first { $0.name == .appended }
    beforeReset = states.first { $0.name == .beforeReset }
    self.best = best
    self.predictions = predictions
    self.now = now
  }

  func findings() -> [Finding] {
    gaps() + leftoverRecords() + interrupted() + tail() + refused() + silentLoss() + emptied()
      + expired() + bloat()
  }

  private func gaps() -> [Finding] {
    zip(best.snapshot.gaps, best.rulesOfGaps()).map { gap, rule in
      Finding(
        gap.cause.kind, at: gap.extent,
        "no record can be read from \(gap.extent.count.inBytes): \(gap.cause.explanation)"
      ).following(from: [rule ?? store.traits.segmentation].compactMap(\.self))
    }
  }

  /// Returns findings about entries that remain only in an older log.
  private func leftoverRecords() -> [Finding] {
    let records = best.records(by: LeftoverRecords.self)
    guard let first = records.first, let last = records.last else { return [] }
    return [
      Finding(
        LogFindings.leftoverRecords,
        at: Extent(first.file, first.offset..<last.extent.end),
        "\(records.count.grouped) of \(best.snapshot.live.count.counted("entry is", "entries are")) read from the remains "
          + "of an older log. The last full rewrite copied them, but no readable record here "
          + "has their keys; whether they were set or removed since then is unknown")
    ]
  }

  /// Returns findings about an interrupted compaction.
  private func interrupted() -> [Finding] {
    guard let gap = best.gap(by: InterruptedCompaction.self) else { return [] }
    return [
      Finding(
        LogFindings.rewriteInterrupted, at: gap.extent,
        "interrupted compaction: the app was killed while it compacted the log, or the new size was not "
          + "stored. The records before these bytes were already copied and those after them were not; "
          + "\(best.snapshot.live.count.counted("entry is", "entries are")) still present")
    ]
  }

  /// Returns findings about records that follow a sound log and may be newer than it.
  private func tail() -> [Finding] {
    guard let log = current.log, let whole = appended?.log else { return [] }
    let tail = Extent(log.file, log.end..<whole.end)
    return [
      Finding(
        LogFindings.newerTail, at: tail,
        "\(tail.count.inBytes) of whole records follow the log of \(log.count.inBytes). They may "
          + "be newer, if the app was killed before it stored the new size, or if the files were "
          + "copied at different times; leftovers of an older log seldom look like this"
          + ". The log without them is kept; the state \(StateName.appended.rawValue) has them, and the "
          + "app's next write will overwrite them")
    ]
  }

  /// Returns findings about records that decode but that the engine refuses.
  private func refused() -> [Finding] {
    guard let log = current.log, current.scan == .plain else { return [] }
    for case .gap(let gap) in store.records(in: log, scan: .engine)
    where gap.cause == .refusedByEngine {
      let reason = refusal(at: gap.extent) ?? gap.cause.explanation
      return [
        Finding(gap.cause.kind, at: gap.extent, "the record here is sound, but \(reason)")
      ]
    }
    return []
  }

  /// Returns why the engine refuses the record at the start of `extent`.
  private func refusal(at extent: Extent) -> String? {
    for case .record(let record) in store.records(in: extent, scan: .plain) {
      return store.obstacle(to: record, scan: .engine)
    }
    return nil
  }

  private func silentLoss() -> [Finding] {
    guard let prediction = predictions.first, prediction.isSilentLoss else { return [] }
    let valueless = best.keysWithoutValue(in: store)
    var lost = prediction.lost
    lost.entries -= valueless.isEmpty ? 0 : prediction.lostKeys.count(where: valueless.contains)
    guard !lost.isEmpty else { return [] }
    return [
      Finding(
        LogFindings.silentLoss, at: current.log,
        "at the next launch\(prediction.load.premise.map { ", \($0)" } ?? ""), the engine will lose "
          + "\(lost.words(of: best.entries)) without calling a handler")
    ]
  }

  /// Returns findings about a log that was emptied by the app or its engine, if its former contents
  /// still follow it.
  private func emptied() -> [Finding] {
    guard let beforeReset else { return [] }
    let count = current.snapshot.live.count
    return [
      Finding(
        LogFindings.emptied, at: beforeReset.log,
        "the store was emptied by the app or its engine: "
          + "\(count.grouped) \(count == 1 ? "entry" : "entries") in the log, "
          + "\(beforeReset.entries.recoverableText) after it"
      )
    ]
  }

  private func expired() -> [Finding] {
    var first: Extent?
    var count = 0
    for record in best.snapshot.live {
      // If one entry has no expiry time, entries of the store do not expire at all.
      guard let time = store.expiry(of: record) else { break }
      guard time != 0, time <= now else { continue }
      first = first ?? record.extent
      count += 1
    }
    guard let first else { return [] }
    return [
      Finding(
        LogFindings.expired, at: first,
        "\(count.grouped) of \(best.snapshot.live.count.counted("entry has", "entries have")) expired: the app's getters return default "
          + "values for them, and the engine drops them when it next reads or compacts them")
    ]
  }

  /// Returns findings about a log that consists mostly of dead records, which a repair or the
  /// engine's `trim` would remove.
  private func bloat() -> [Finding] {
    guard let log = best.log, log.count >= 4096 else { return [] }
    let bytes = best.snapshot.bytes
    guard bytes.live * 2 < log.count else { return [] }
    return [
      Finding(
        LogFindings.bloat, at: log,
        "\(bytes.live.grouped) of the log's \(log.count.counted("byte is", "bytes are")) live; the rest are older values "
          + "(\(bytes.superseded.grouped)) and removed entries (\(bytes.removed.grouped))")
    ]
  }
}

extension Gap.Cause {
  /// A description of the cause.
  var explanation: String {
    switch self {
    case .lengthBeyondEnd: "a length points past the end of the log"
    case .negativeLength: "a length is negative"
    case .malformedLength: "a length has no end"
    case .refusedByEngine: "the engine refuses it"
    case .zeros: "there are zeros where records should be"
    case .implausible: "they decode to an implausible key and value"
    case .checksum: "a record's own checksum does not match"
    }
  }
}
