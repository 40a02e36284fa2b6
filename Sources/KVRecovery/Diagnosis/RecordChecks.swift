import KVBytes
import KVModel

/// The findings about records: those that do not decode, that have expired, or that only take up
/// space.
struct RecordChecks<S: Store> {
  private let store: S
  private let current: StoreState
  private let best: StoreState
  private let beforeReset: StoreState?
  private let predictions: [EnginePrediction]
  private let now: UInt32

  init(
    _ store: S, _ states: [StoreState], _ best: StoreState, _ predictions: [EnginePrediction],
    now: UInt32
  ) {
    self.store = store
    current = states.first ?? best
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
    best.snapshot.gaps.map { gap in
      Finding(
        gap.cause.kind, at: gap.extent,
        "\(gap.extent.count.grouped) bytes hold no record that can be read: \(gap.cause.explanation)"
      ).following(from: [best.rule(of: gap) ?? store.traits.segmentation].compactMap(\.self))
    }
  }

  /// Returns findings about entries that are left only in an older log.
  private func leftoverRecords() -> [Finding] {
    let records = best.records(by: LeftoverRecords.self)
    guard let first = records.first, let last = records.last else { return [] }
    return [
      Finding(
        LogFindings.leftoverRecords,
        at: Extent(first.file, first.offset..<last.extent.end),
        "entries that are read from what is left of an older log: \(records.count.grouped) of "
          + "\(best.snapshot.live.count.grouped). The last full rewrite copied them, and no record that can be read "
          + "here has their keys; what was set or removed since then is not known")
    ]
  }

  /// Returns findings about an interrupted compaction.
  private func interrupted() -> [Finding] {
    guard let gap = best.gap(by: InterruptedCompaction.self) else { return [] }
    return [
      Finding(
        LogFindings.rewriteInterrupted, at: gap.extent,
        "the app was killed while it compacted the log, or the new size was not stored: the records "
          + "before this were copied already, those after it were not, and this is what the copying "
          + "left; \(best.snapshot.live.count.grouped) entries are still here")
    ]
  }

  /// Returns findings about records that follow a sound log and are newer than it.
  private func tail() -> [Finding] {
    guard current.isSound, best.name == .salvaged, let log = current.log, let whole = best.log
    else { return [] }
    return [
      Finding(
        LogFindings.newerTail, at: Extent(log.file, log.end..<whole.end),
        "\((whole.end - log.end).grouped) bytes of whole records stand after the log of \(log.count.grouped) bytes, and "
          + "are newer than it: the app was killed before it stored the new size, or the files were "
          + "copied at different times. Its next write overwrites them")
    ]
  }

  /// Returns findings about records that decode but that the engine refuses.
  private func refused() -> [Finding] {
    guard let log = current.log, current.scan == .plain else { return [] }
    for case .gap(let gap) in store.records(in: log, scan: .engine)
    where gap.cause == .refusedByEngine {
      return [
        Finding(
          gap.cause.kind, at: gap.extent,
          "the record here is sound, but \(gap.cause.explanation); the engine then "
            + "shows an empty store")
      ]
    }
    return []
  }

  private func silentLoss() -> [Finding] {
    guard let prediction = predictions.first, prediction.isSilentLoss else { return [] }
    return [
      Finding(
        LogFindings.silentLoss, at: current.log,
        "at its next launch the app's engine loses \(prediction.lostKeys.count.grouped) of "
          + "\(best.snapshot.live.count.grouped) entries, and calls no handler")
    ]
  }

  /// Returns findings about a log that the app or its engine emptied, if its former contents still
  /// follow it.
  private func emptied() -> [Finding] {
    guard let beforeReset else { return [] }
    return [
      Finding(
        LogFindings.emptied, at: beforeReset.log,
        "entries in the store: \(current.snapshot.live.count.grouped), in the bytes after its log: "
          + "\(beforeReset.snapshot.live.count.grouped); it was emptied, by the app or by its engine"
      )
    ]
  }

  private func expired() -> [Finding] {
    var first: Extent?
    var count = 0
    for record in best.snapshot.live {
      // Where one entry has no time, none has: entries of the store do not expire.
      guard let time = store.expiry(of: record) else { break }
      guard time != 0, time <= now else { continue }
      first = first ?? record.extent
      count += 1
    }
    guard let first else { return [] }
    return [
      Finding(
        LogFindings.expired, at: first,
        "expired: \(count.grouped) of \(best.snapshot.live.count.grouped) entries; the engine drops them when it "
          + "next reads or compacts them")
    ]
  }

  /// Returns findings about a log that is mostly dead records, which a repair or the engine's
  /// `trim` would remove.
  private func bloat() -> [Finding] {
    guard let log = best.log, log.count >= 4096 else { return [] }
    let bytes = best.snapshot.bytes
    guard bytes.live * 2 < log.count else { return [] }
    return [
      Finding(
        LogFindings.bloat, at: log,
        "\(bytes.live.grouped) of the log's \(log.count.grouped) bytes are live; the rest are older values "
          + "(\(bytes.superseded.grouped)) and removed entries (\(bytes.removed.grouped))")
    ]
  }
}

extension Gap.Cause {
  /// The cause in words.
  var explanation: String {
    switch self {
    case .lengthBeyondEnd: "a length reaches beyond the end of the log"
    case .negativeLength: "a length is negative"
    case .malformedLength: "a length does not end"
    case .refusedByEngine: "its key is longer than the engine reads"
    case .zeros: "zeros stand where records should be"
    case .implausible: "they are an implausible key and value"
    case .checksum: "a record's own checksum does not hold"
    }
  }
}
