import KVBytes
package import KVModel

/// A model of what FastKV for iOS (HEAD, 0.3.0) does when it opens a store, as a pure function of
/// the file.
///
/// The model follows `-[FastKV initWithPath:]` step by step, with the default growth strategy and
/// minimum, in a process of the width that the file was written in; the steps are in
/// `Docs/FORMAT-FASTKV-APPLE.md` § Opening. The engine asks nothing, so answers make no difference.
struct AppleLoadModel: Sendable {
  /// The smallest size that the engine extends a file to.
  private static let initialCount = 1 << 20

  private let image: FileImage
  private let header: AppleHeader
  private let width: Int
  /// Whether records show that the file is of 32-bit processes.
  private let isOf32Bits: Bool

  /// Creates a model of opening `store`.
  init(_ store: AppleFastKVStore) {
    image = store.image
    header = store.header
    width = store.dialect.width
    isOf32Bits = width == 4 && store.dialectWitnessCount > 0
  }

  /// How an opening fails.
  enum Ending: Hashable, Sendable {
    case refused(EngineError)
    case raised(String, at: Range<Int>)
    case crashed(String, at: Range<Int>)
  }

  /// Returns the prediction of the opening, by a process of the width that the file was written in.
  func load() -> EngineLoad {
    var load = unconditionalLoad()
    if isOf32Bits { load.premise = "as a 32-bit process" }
    return load
  }

  private func unconditionalLoad() -> EngineLoad {
    // The file is extended before any check, even if it is then refused.
    let growth =
      "first grows the file from \(image.count.grouped) to \(grownCount.inBytes)"
    switch ending {
    case .refused(let error):
      var writes = [growth]
      if error == .length { writes.append(laterOpening) }
      return EngineLoad(
        callbacks: [error.name], about: error == .length ? .length : nil, outcome: .discarded,
        log: nil, onDamage: .skip,
        dropsExpiredAt: nil, writes: writes)
    case .raised(let reason, _): return ended(by: EngineError.exception, growth, reason)
    case .crashed(let reason, _): return ended(by: EngineError.crash, growth, reason)
    case nil: break
    }
    let compaction =
      image.count == 0
      ? "writes a header of version 1 and length 0"
      : "compacts the file in place and updates the length in the header"
    return EngineLoad(
      callbacks: [], outcome: .loaded, log: area.map { Extent(.data, $0) }, onDamage: .skip,
      dropsExpiredAt: nil, writes: [growth, compaction])
  }

  /// How the opening fails; `nil` if it does not.
  var ending: Ending? {
    if image.count == 0 { return nil }
    guard header.hasMagic else { return .refused(.magic) }
    guard let area else { return .refused(.length) }
    var pieces = EnginePieces(image, width: width, in: area)
    while let piece = pieces.next() {
      switch piece.reading {
      case .raises(let reason): return .raised(reason, at: piece.range)
      case .overruns(let reason): return .crashed(reason, at: piece.range)
      case .empty, .skipped, .record: continue
      }
    }
    return nil
  }

  /// The record area; `nil` if the length reaches beyond the file.
  ///
  /// The engine adds length and header size in 64 bits, so the largest lengths wrap around and
  /// pass, and then mean the whole file.
  var area: Range<Int>? {
    let end = header.length &+ UInt64(AppleHeader.byteCount)
    guard end <= UInt64(image.count), image.count >= AppleHeader.byteCount else { return nil }
    let available = image.count - AppleHeader.byteCount
    let count = min(header.length, UInt64(available))
    return AppleHeader.byteCount..<AppleHeader.byteCount + Int(count)
  }

  /// The size of the file after the opening: the next power of two, and at least a mebibyte.
  var grownCount: Int { AppleLoadModel.grown(image.count) }

  static func grown(_ count: Int) -> Int {
    var grown = 1
    while grown <= count { grown *= 2 }
    return max(grown, initialCount)
  }

  private var laterOpening: String {
    var count = grownCount
    var attempt = 2
    while attempt <= 12 {
      if header.length <= UInt64(count - AppleHeader.byteCount) {
        return "opens it at attempt \(attempt), when the file has grown past the recorded length"
      }
      count = AppleLoadModel.grown(count)
      attempt += 1
    }
    return "grows it again at each attempt"
  }

  private func ended(by callback: String, _ growth: String, _ reason: String) -> EngineLoad {
    EngineLoad(
      callbacks: [callback], outcome: .discarded, log: nil, onDamage: .skip, dropsExpiredAt: nil,
      writes: [growth, "ends the app, at this and every later launch: \(reason)"])
  }
}

extension AppleFastKVStore {
  /// Returns what the engine does when it opens the file.
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad {
    AppleLoadModel(applying([])).load()
  }

  /// `false`: a text may not be UTF-8.
  package var readsValuesAsStored: Bool { false }

  /// Returns what the engine makes of the value of `record`: a text that is not UTF-8 is nil.
  package func loadedValue(of record: Record) -> LoadedValue {
    AppleType(rawValue: typeCode(of: record)) == .string && !image.isUTF8(in: record.value)
      ? .other : .asStored
  }
}
