import KVBytes
import KVModel
import KVSystem
import KVToolkit
import SystemPackage

/// Work on the stores that a scan finds, on several threads.
///
/// What is reported about a store, and what the work on it results in, is passed on in the order of
/// the stores.
struct StoreWork<Outcome: Sendable> {
  /// Something that the work on a store passes on.
  private enum News: Sendable {
    case told(Reports.Told)
    case done(Outcome)
  }

  /// The number of reports about a store that wait until it is its turn.
  private static var readyLimit: Int { 1 << 10 }
  /// The number of stores for each thread that are worked on, or wait to be passed on.
  private static var aheadCount: Int { 4 }

  private var work: ParallelWork<TreeScan.Result, News>
  private let limit: Int
  private let use: (News) -> Void
  /// What the stores write that are worked on, the earliest first.
  private var targets: [WriteTarget] = []

  /// Creates work that calls `body` for each store on one of `jobCount` threads, or one for each
  /// processor, and `end` with what it returns on this one.
  ///
  /// - Throws: If the file with the keys, or that with candidate keys, cannot be read.
  init(
    _ report: Reports, _ jobCount: Int?,
    _ body: @escaping @Sendable (TreeScan.Result, Reports) -> Outcome,
    end: @escaping (Outcome) -> Void
  ) throws(DiscoveryError) {
    let (basis, own) = (try report.basis(), Answer.current)
    let (formats, manner) = (Kvfsck.formats, Manner.current)
    let threadCount = jobCount ?? ScanOptions.usualJobCount
    limit = Self.aheadCount * threadCount
    use = { news in
      // This thread may be working on a store itself, as others do.
      Answer.$current.withValue(own) {
        switch news {
        case .told(let told): report.repeat(told)
        case .done(let outcome): end(outcome)
        }
      }
    }
    work = ParallelWork(groupsOf: 1, threads: threadCount, atMostReady: Self.readyLimit) {
      group, give in
      Kvfsck.$formats.withValue(formats) {
        Manner.$current.withValue(manner) {
          // The progress of single stores is not shown.
          WorkProgress.untold {
            for result in group { Self.work(on: result, basis, body, give) }
          }
        }
      }
    }
  }

  /// Calls `body` for a store, and passes on what it reports, prints and returns.
  private static func work(
    on result: TreeScan.Result, _ basis: Reports.Basis,
    _ body: (TreeScan.Result, Reports) -> Outcome, _ give: (News) -> Void
  ) {
    let answer = Answer()
    func passMessages() {
      let messages = answer.takeMessages()
      if !messages.isEmpty { give(.told(.messages(messages))) }
    }
    let outcome = Answer.$current.withValue(answer) {
      withoutActuallyEscaping({ (told: Reports.Told) in
        passMessages()
        give(.told(told))
      }) { body(result, Reports(basis, passingOn: $0)) }
    }
    passMessages()
    give(.done(outcome))
  }

  /// Adds the store of `result`, on which work begins once no earlier one that may write the same
  /// files is left.
  mutating func add(_ result: TreeScan.Result, writing target: WriteTarget = .none) {
    while work.pendingCount >= limit || targets.contains(where: target.mayMeet) { finishFirst() }
    targets.append(target)
    work.add(result)
  }

  private mutating func finishFirst() {
    work.finishFirst(to: use)
    targets.removeFirst()
  }

  /// Waits for the work on all stores.
  mutating func finish() { while !targets.isEmpty { finishFirst() } }
}

/// What the work on a store writes.
enum WriteTarget {
  /// Nothing.
  case none
  /// A file, those beside it whose names are longer, and folders for them.
  case file(FilePath)
  /// Something of which the name is not known.
  case unknown

  /// Returns whether the work on this store and on `other` may write the same files, or make the same
  /// folders.
  func mayMeet(_ other: WriteTarget) -> Bool {
    switch (self, other) {
    case (.none, _), (_, .none): return false
    case (.file(let own), .file(let other)):
      let (own, other) = (Self.firstNew(own), Self.firstNew(other))
      let longer = own.count < other.count ? other : own
      let shorter = own.count < other.count ? own : other
      guard longer.starts(with: shorter) else { return false }
      let next = longer.dropFirst(shorter.count).first
      return next.map { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? true
    default: return true
    }
  }

  /// Returns the first folder on the way to `path` that is not there, or else `path`, as a file system
  /// sees it for which small and capital letters are the same.
  private static func firstNew(_ path: FilePath) -> [UInt8] {
    var first = path
    var folder = path.parent
    while !folder.isEmpty, !Folder.isTaken(folder) {
      first = folder
      folder = folder.parent
    }
    return Array(first.text.lowercased().utf8)
  }
}
