import KVBytes
package import KVInput
package import KVModel
package import KVRecovery
import KVSystem
package import SystemPackage

/// The stores under some paths, one after the other as they are found, several looked at at a time.
package struct TreeScan: Sendable {
  /// What is looked at, and with what.
  package struct Options: Sendable {
    /// How the formats read.
    package var formats: FormatOptions
    /// The only format with a log to look for; `nil` for all.
    package var formatName: String?
    /// How many stores are looked at at a time, at least one.
    package var jobCount = 1
    /// How many seconds a store may take; `nil` for any time.
    package var timeLimit: Double?
    /// The most bytes of a file that is read.
    package var byteLimit = FileImage.maximumCount
    /// Which part of all stores is looked at, from 1 on, and of how many.
    package var shard = (index: 1, count: 1)
    /// Paths that are passed over.
    package var known: Set<FilePath> = []
    /// Whether what was read of each store is handed over with its outcome.
    package var keepsStores = false

    /// All stores, one at a time.
    package init(_ formats: FormatOptions) { self.formats = formats }

    /// ``timeLimit`` as a duration.
    fileprivate var durationLimit: Duration? { timeLimit.map { .seconds($0) } }
  }

  /// How many targets a task takes at once.
  private static let batchCount = 32

  private let catalog: FormatCatalog
  private let options: Options

  /// A scan for the formats of `catalog`.
  package init(_ catalog: FormatCatalog, _ options: Options) {
    self.catalog = catalog
    self.options = options
  }

  /// What was found at one path.
  package struct Result: Sendable {
    /// What was read of a store.
    package enum Content: Sendable {
      /// A store with a log, as it is read with the corrections that were chosen.
      case log(any Store, Diagnosis)
      /// A file of a format without a log.
      case table(EntryTable)
    }

    /// How it is.
    package let outcome: StoreOutcome
    /// What was read; `nil` where nothing could be, or nobody asked to keep it.
    package let content: Content?

    /// What was found, and what was read of it.
    package init(_ outcome: StoreOutcome, _ content: Content? = nil) {
      self.outcome = outcome
      self.content = content
    }

    /// A store that was read, found at `path`.
    package init(_ store: some Store, _ diagnosis: Diagnosis, at path: FilePath) {
      // By the file with the records, however the store was come upon.
      let main = store.files.first?.path ?? path
      self.init(StoreOutcome(store, diagnosis, at: main), .log(store, diagnosis))
    }
  }

  /// Hands the outcome for each store that `walk` leads to to `body`, in order and each store once,
  /// until `body` returns false; `idle` is called before it is waited for whoever names the paths.
  ///
  /// What is no store is passed over, unless the user has named it. Where the paths of the walk are
  /// `overlapping`, so that one may lead to a store that another has led to, all stores are remembered.
  ///
  /// - Complexity: In memory are the files of a batch a job.
  package func run(
    _ walk: TreeWalk, overlapping isOverlapping: Bool, idle: () -> Void = {},
    _ body: (StoreOutcome) -> Bool
  ) {
    results(of: walk, overlapping: isOverlapping, idle: idle) { body($0.outcome) }
  }

  /// Hands what was found to `body`, as ``run(_:overlapping:idle:_:)`` does, with what was read if the
  /// options keep it.
  package func results(
    of walk: TreeWalk, overlapping isOverlapping: Bool, idle: () -> Void = {},
    _ body: (Result) -> Bool
  ) {
    var claims = StoreClaims(all: isOverlapping)
    _ = run(batches(of: walk, shard: options.shard), &claims, idle: idle, body)
  }

  private func batches(of walk: TreeWalk, shard: (index: Int, count: Int)) -> Batches {
    // Stores that are kept are in memory together.
    Batches(
      walk, shard: shard, known: options.known,
      limit: options.keepsStores ? 1 : Self.batchCount, stepLimit: options.durationLimit)
  }

  /// What a step of a walk leads to.
  private enum Finding {
    case store(Result)
    /// An archive, which may have stores; the user has named it where it `isRequested`.
    case archive(ArchiveFile, isRequested: Bool)
  }

  /// Returns whether `body` wants more after all that `batches` lead to.
  private func run(
    _ batches: Batches, _ claims: inout StoreClaims, idle: () -> Void, _ body: (Result) -> Bool
  ) -> Bool {
    var batches = batches
    let finished = Arrivals<[Finding]>()
    // How many batches were handed on, and how many of those that were begun have come back.
    var (next, returned) = (0, 0)
    while true {
      let running = batches.count - returned
      if running == 0 || running < options.jobCount && batches.isReady {
        if running == 0, !batches.isReady { idle() }
        if let (number, batch) = batches.next() {
          Task.detached { finished.add(batch.compactMap(findingInTime), number) }
          continue
        }
      }
      guard running > 0 else { return true }
      finished.wait()
      returned += 1
      while let findings = finished.remove(next) {
        next += 1
        for finding in findings {
          switch finding {
          case .store(let result):
            guard !claims.isNew(result.outcome) || body(result) else { return false }
          case .archive(let archive, let isRequested):
            guard enter(archive, isRequested, &claims, idle: idle, body) else { return false }
          }
        }
      }
    }
  }

  /// Looks at all that is in `archive`, and says at its end what could not be read.
  ///
  /// Which part of all stores it is in, its own path tells, and not those of its members.
  ///
  /// - Returns: Whether `body` wants more.
  private func enter(
    _ archive: ArchiveFile, _ isRequested: Bool, _ claims: inout StoreClaims, idle: () -> Void,
    _ body: (Result) -> Bool
  ) -> Bool {
    let tree: any MemberTree
    do throws(FileError) {
      tree = try Deadline.within(options.durationLimit) {
        Swift.Result { () throws(FileError) in try archive.tree() }
      }.get()
    } catch {
      if archive.isUncertain, !isRequested { return true }
      return body(Result(StoreOutcome(unreadAt: archive.path, because: error.message)))
    }
    var reported: Set<FilePath> = []
    let wantsMore = run(
      batches(of: TreeWalk(tree), shard: (1, 1)), &claims, idle: idle
    ) { result in
      reported.formUnion(result.outcome.files + [result.outcome.path])
      return body(result)
    }
    guard wantsMore else { return false }
    // Of a store's file, the store's own line has told.
    for (path, reason) in tree.problems where !reported.contains(path) {
      guard body(Result(StoreOutcome(unreadAt: path, because: reason))) else { return false }
    }
    return true
  }

  /// What `step` leads to; of a store that takes too long, that it does.
  private func findingInTime(of step: TreeWalk.Step) -> Finding? {
    guard let limit = options.timeLimit else { return finding(of: step) }
    return Deadline.within(.seconds(limit)) {
      let found = finding(of: step)
      guard Deadline.hasPassed, case .target(let target) = step else { return found }
      if case .some(.archive) = found { return found }
      let text = limit == limit.rounded() ? "\(Int(limit))" : "\(limit)"
      return .store(
        Result(
          StoreOutcome(unreadAt: target.path, because: "it takes more than \(text) seconds")))
    }
  }

  private func finding(of step: TreeWalk.Step) -> Finding? {
    switch step {
    case .backup(let backup): return .archive(backup, isRequested: true)
    case .failure(let path, let error):
      return .store(Result(StoreOutcome(unreadAt: path, because: error.message)))
    case .target(let target):
      let source = target.source(limit: options.byteLimit)
      if !target.isNamedAsStore,
        let head = try? source.head(of: target.path, count: ArchiveKind.headCount)
      {
        if let archive = target.archive(beginningWith: head) {
          return .archive(archive, isRequested: target.isRequested)
        }
        if !target.isRequested, ForeignFile.isMedia(head) { return nil }
      }
      return result(of: target, in: source).map { .store($0) }
    }
  }

  private func result(of target: ScanTarget, in source: any FileSource) -> Result? {
    let recognizer = Recognizer(
      Formats(catalog.stores(options.formats, named: options.formatName)),
      Readers(
        options.formatName != nil
          ? [] : catalog.readers(options.formats, keptAt: target.path),
        recognized: Readers.recognizedUnnamed))
    let path = target.path
    switch recognizer.answer(
      at: path, isNamedAsStore: target.isNamedAsStore, in: source)
    {
    case .store(let best): return result(of: best.found, at: path)
    case .table(let reader, let files):
      let table = reader.table(files)
      return Result(StoreOutcome(table, at: path), options.keepsStores ? .table(table) : nil)
    case .obstacle(let error):
      // Of a file that nothing says is a store's, it is no news that it cannot be read.
      guard target.isNamedAsStore || target.isRequested else { return nil }
      return Result(StoreOutcome(unreadAt: path, because: error.message))
    case .unknown:
      guard target.isRequested else { return nil }
      return Result(StoreOutcome(unreadAt: path, because: whyUnknown(path, in: source)))
    }
  }

  /// Why the file at `path`, which the user has named, is looked at as no store.
  private func whyUnknown(_ path: FilePath, in source: any FileSource) -> String {
    let image: FileImage
    do throws(FileError) {
      image = try source.read(path, limit: options.byteLimit)
    } catch {
      return error.message
    }
    if let kind = ForeignFile.ownOutput(image, named: path.lastComponent?.string ?? "") {
      return "it is \(kind), and no store"
    }
    let readers = Readers(catalog.readers(options.formats))
    if let table = try? readers.likeliest(at: path, in: source) {
      let name = type(of: table.reader).name
      return "it is of the format \(name), which has no log; check it by itself"
    }
    return "not recognized as a key-value store"
      + (ForeignFile.name(of: image).map { ": it seems to be \($0)" } ?? "")
  }

  private func result(of found: some FoundStore, at path: FilePath) -> Result {
    let store = found.open().corrected()
    let result = Result(store, Diagnosis(of: store, now: options.formats.now), at: path)
    return options.keepsStores ? result : Result(result.outcome)
  }
}

/// The steps of a walk, some at a time, numbered.
private struct Batches {
  private var walk: TreeWalk
  private let shard: (index: Int, count: Int)
  private let known: Set<FilePath>
  /// How many steps there are in one, at most.
  private let limit: Int
  /// How long a step may take: one into an archive that the user has named a part of lists it.
  private let stepLimit: Duration?
  /// How many there were.
  private(set) var count = 0

  init(
    _ walk: TreeWalk, shard: (index: Int, count: Int), known: Set<FilePath>, limit: Int,
    stepLimit: Duration?
  ) {
    self.limit = limit
    self.stepLimit = stepLimit
    self.walk = walk
    self.shard = shard
    self.known = known
  }

  /// Whether the next one is there without waiting.
  var isReady: Bool { walk.isReady }

  mutating func next() -> (Int, [TreeWalk.Step])? {
    var batch: [TreeWalk.Step] = []
    while batch.count < limit, batch.isEmpty || walk.isReady,
      let step = step()
    {
      if isWanted(step) { batch.append(step) }
    }
    guard !batch.isEmpty else { return nil }
    defer { count += 1 }
    return (count, batch)
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
    guard shard.count > 1 || !known.isEmpty else { return true }
    if known.contains(FilePath(bytes: path.shownBytes)) { return false }
    // By the name alone, so that all machines agree: FNV-1a.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(hash % UInt64(shard.count)) == shard.index - 1
  }
}

/// The files that stores before have shown to be theirs.
package struct StoreClaims {
  private let keepsAll: Bool
  private var paths: Set<FilePath> = []

  /// No files; of `all` stores, or of those whose files a walk cannot tell by their names.
  package init(all keepsAll: Bool) { self.keepsAll = keepsAll }

  /// Whether `outcome` is not about a file of a store before; its own files are not from now on.
  package mutating func isNew(_ outcome: StoreOutcome) -> Bool {
    // Each may have been named from the root on, or from the current folder.
    func place(_ path: FilePath) -> FilePath {
      (keepsAll ? Folder.absolute(path) : path).lexicallyNormalized()
    }
    let path = place(outcome.path)
    guard !paths.contains(path) else { return false }
    if keepsAll, let main = outcome.files.first, paths.contains(place(main)) { return false }
    // A pair is one target already. What is in a folder of the store's own leads to the store again.
    let folder = outcome.path.removingLastComponent()
    if keepsAll || outcome.files.count > 2
      || outcome.files.contains(where: { $0.removingLastComponent() != folder })
    {
      paths.insert(path)
      paths.formUnion(outcome.files.map(place))
    }
    return true
  }
}
