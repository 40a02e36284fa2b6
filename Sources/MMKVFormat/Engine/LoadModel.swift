import KVBytes
import KVModel

/// A model of how MMKV 2.4.2 opens a store, as a pure function of the files and two answers.
///
/// It follows `MMKV::loadFromFile`, `checkDataValid` and `checkLastConfirmedInfo` in
/// `Core/MMKV_IO.cpp` step by step; `Docs/FORMAT-MMKV.md` § Loading lists the steps.
struct LoadModel: Sendable {
  private let image: FileImage
  private let meta: MetaInfo
  private let sizes: StatedSizes
  private let digests: PayloadDigests
  private let header: Int
  private let hasKey: Bool
  private let now: UInt32

  /// Creates a model of opening `store` with its key.
  init(_ store: MMKVStore) {
    image = store.storedData
    meta = store.meta
    header = Int(store.header.payloadCount)
    sizes = StatedSizes(store.meta, store.header)
    digests = store.digests
    hasKey = store.key != nil
    now = store.now
  }

  /// A log that the engine falls back to without asking the app.
  private enum Fallback {
    case header(Int)
    case confirmed(Int)

    var count: Int {
      switch self {
      case .header(let count), .confirmed(let count): count
      }
    }
  }

  /// Returns the result of opening the store if the app gives `answers`.
  func load(_ answers: EngineAnswers) -> EngineLoad {
    let actual = sizes.actual
    if fits(actual), digests[actual] == meta.digest { return accept(actual) }
    // As checkDataValid: the old-style size and the last confirmed one are tried before the handler
    // is asked, whichever check failed.
    if let fallback { return rollBack(to: fallback) }
    if fits(actual) {
      return answer(answers.onChecksumMismatch, about: .checksum, count: actual)
    }
    return answer(
      answers.onLengthError, about: .length,
      count: image.count - DataHeader.byteCount)
  }

  /// As checkFileSizeAndCRC: returns whether the file has that many bytes after the header.
  private func fits(_ count: Int) -> Bool {
    count < image.count && count <= image.count - DataHeader.byteCount
  }

  // As checkLastConfirmedInfo.
  private var fallback: Fallback? {
    guard sizes.isInMeta else { return nil }
    if header != sizes.actual, fits(header), digests[header] == meta.digest {
      return .header(header)
    }
    let confirmed = Int(meta.confirmedCount)
    if fits(confirmed), digests[confirmed] == meta.confirmedDigest { return .confirmed(confirmed) }
    return nil
  }

  private func accept(_ count: Int) -> EngineLoad {
    var writes: [String] = []
    if meta.version >= MetaInfo.Version.suspicious {
      writes.append("sets the meta version from \(meta.version) to 3 and clears the flags")
    }
    if hasKey, count > 0, meta.effectiveVersion < MetaInfo.Version.vector {
      writes.append("rewrites the log with a new IV")
    }
    return EngineLoad(
      callbacks: [], outcome: .loaded, log: log(count), onDamage: .dropAll, dropsExpiredAt: nil,
      writes: writes)
  }

  private func rollBack(to fallback: Fallback) -> EngineLoad {
    let write =
      switch fallback {
      case .header(let count): "sets the size in the meta file to the header's, \(count.grouped)"
      case .confirmed(let count):
        "resets size and checksum to the last confirmed ones (\(count.inBytes))"
      }
    return EngineLoad(
      callbacks: [], outcome: .rolledBack, log: log(fallback.count), onDamage: .dropAll,
      dropsExpiredAt: nil, writes: [write])
  }

  private func answer(
    _ decision: RecoveryDecision, about question: LogQuestion, count: Int
  ) -> EngineLoad {
    switch decision {
    case .discard:
      // The payload is unchanged: only the sizes and digests in the meta file are reset.
      return EngineLoad(
        callbacks: [question.handlerName], about: question, outcome: .discarded, log: nil,
        onDamage: .dropAll, dropsExpiredAt: nil,
        writes: sizes.actual > 0
          ? [
            "sets sizes and checksums to 0 and increments the sequence number; the records stay in the file"
          ]
          : [])
    case .recover:
      return EngineLoad(
        callbacks: [question.handlerName], about: question, outcome: .recovered, log: log(count),
        onDamage: .keepPrefix,
        dropsExpiredAt: meta.hasExpiry ? now : nil,
        writes: ["rewrites the log with the records it could decode"])
    }
  }

  private func log(_ count: Int) -> Extent? {
    count > 0 ? Extent(.data, DataHeader.byteCount..<DataHeader.byteCount + count) : nil
  }
}

extension LogQuestion {
  /// The name of the app's handler that MMKV calls with the question.
  var handlerName: String {
    switch self {
    case .checksum: "onMMKVCRCCheckFail"
    case .length: "onMMKVFileLengthError"
    }
  }
}
