import KVBytes
package import KVConversion
package import KVInput
package import KVModel
package import KVRecovery
import KVSystem
package import SystemPackage

/// A scan that examines the stores below some paths.
///
/// It examines several stores at a time, and reports them in the order in which it finds them.
package struct TreeScan: Sendable {
  /// The options of a scan.
  package struct Options: Sendable {
    /// The stores whose content is passed on with its outcome.
    package enum Kept: Sendable {
      case none, members, all
    }

    /// The options that the formats read with.
    var formats: FormatOptions
    /// The only format with a log to look for; `nil` for all.
    package var formatName: String?
    /// The number of stores that are examined at a time, at least one.
    package var jobCount = 1
    /// The number of seconds that a store may take; `nil` for no limit.
    package var timeLimit: Double?
    /// The size of the largest file that is read, in bytes.
    package var byteLimit = FileImage.maximumCount
    /// The part of the stores that is examined, counted from 1, and the number of parts.
    package var shard = (index: 1, count: 1)
    /// Paths that are skipped.
    package var known: Set<FilePath> = []
    /// The stores whose content is passed on with its outcome: of a walk, those in archives, or all.
    package var kept = Kept.none
    /// What is looked for in the stores; `nil` for nothing.
    package var search: ContentSearch?
    /// What opens documents, if it is asked what is left of former values.
    package var residueOpener: StoreResidue.Opener?

    /// Creates options for all stores, one at a time.
    package init(_ formats: FormatOptions) { self.formats = formats }

    /// Returns whether `path` is skipped.
    fileprivate func knows(_ path: FilePath) -> Bool {
      !known.isEmpty && known.contains(FilePath(bytes: path.shownBytes))
    }

    /// Returns whether the content of the store at `path` is passed on.
    fileprivate func keeps(_ path: FilePath) -> Bool {
      kept == .all || kept == .members && MemberPath.isMember(path)
    }

    /// ``timeLimit`` as a duration.
    fileprivate var durationLimit: Duration? { timeLimit.map { .seconds($0) } }
  }

  /// The largest number of targets that one task examines.
  private static let batchCount = 32
  /// The number of batches for each job that are examined, or have been and are not passed on.
  private static let pendingCount = 4

  private let catalog: FormatCatalog
  private let options: Options
  /// The formats with a log.
  private let formats: Formats
  private let apps = AppNames()
  private let names = FolderNames()

  /// Creates a scan for the formats of `catalog`.
  package init(_ catalog: FormatCatalog, _ options: Options) {
    self.catalog = catalog
    self.options = options
    formats = Formats(catalog.stores(options.formats, named: options.formatName))
  }

  /// The result at one path.
  package struct Result: Sendable {
    /// The content of a store.
    package enum Content: Sendable {
      /// A store with a log, read with the corrections that were chosen.
      case log(any Store, Diagnosis)
      /// A file of a format without a log.
      case table(EntryTable)
    }

    /// The outcome for the store.
    package fileprivate(set) var outcome: StoreOutcome
    /// The content; `nil` if nothing could be read, or it was not to be kept.
    package let content: Content?
    /// The files of a store with a log, as its format recognized them; `nil` if the content was not
    /// to be kept.
    package fileprivate(set) var found: (any FoundStore)?
    /// What a search has found; `nil` if nothing was looked for, or nothing could be read.
    package fileprivate(set) var search: SearchResult?
    /// What is left of former values; `nil` if it was not asked, or nothing could be read.
    package fileprivate(set) var residue: StoreResidue?
    /// The names in folders that the sources of all results of a scan share.
    fileprivate var names: FolderNames?

    /// Creates a result from its outcome and content.
    package init(_ outcome: StoreOutcome, _ content: Content? = nil) {
      self.outcome = outcome
      self.content = content
    }

    /// Returns a new source of files on disk, for opening the store again.
    ///
    /// Of all results, it lists each folder once.
    package var disk: DiskSource { DiskSource(names: names ?? FolderNames()) }

    /// Creates the result for a store that was found at `path` and read.
    package init(_ store: some Store, _ diagnosis: Diagnosis, at path: FilePath) {
      // The result names the file with the records, whichever file led to the store.
      let main = store.files.first?.path ?? path
      self.init(StoreOutcome(store, diagnosis, at: main), .log(store, diagnosis))
    }
  }

  /// Passes the outcome of each store that `walk` finds to `body`, in order and each store once,
  /// until `body` returns `false`.
  ///
  /// Anything that is not a store is skipped, unless the user has named it. `idle` is called before
  /// the scan waits for more paths with nothing left to examine, and about ten times a second while
  /// it waits for a store to be examined; `passed` is called with the number of
  /// files that the walk has passed, and `skipped` for each file that is not a store, as far as is
  /// known. If the paths of the walk overlap, so that two may lead to the
  /// same store, all stores are remembered.
  ///
  /// - Complexity: The files of a few batches for each job are in memory.
  package func run(
    _ walk: TreeWalk, overlapping isOverlapping: Bool, idle: () -> Void = {},
    passed: (Int) -> Void = { _ in }, skipped: () -> Void = {}, _ body: (StoreOutcome) -> Bool
  ) {
    results(of: walk, overlapping: isOverlapping, idle: idle, passed: passed, skipped: skipped) {
      body($0.outcome)
    }
  }

  /// Passes each result to `body`, as ``run(_:overlapping:idle:passed:skipped:_:)`` does, with the content
  /// if the options keep it.
  package func results(
    of walk: TreeWalk, overlapping isOverlapping: Bool, idle: () -> Void = {},
    passed: (Int) -> Void = { _ in }, skipped: () -> Void = {}, _ body: (Result) -> Bool
  ) {
    var claims = StoreClaims(all: isOverlapping || walk.mayBePart)
    _ = run(
      batches(of: walk, shard: options.shard), &claims, idle: idle, passed: passed,
      skipped: skipped, body)
  }

  private func batches(of walk: TreeWalk, shard: (index: Int, count: Int)) -> Batches {
    // All stores of a batch are in memory together if their content is kept.
    Batches(
      walk, shard: shard, isKnown: options.knows,
      limit: options.kept == .none ? Self.batchCount : 1, stepLimit: options.durationLimit)
  }

  /// The result of a step of a walk.
  private enum Finding {
    case store(Result)
    /// A file that is no store, as far as is known.
    case other
    /// An archive, which may contain stores; `isRequested` if the user has named it.
    case archive(ArchiveFile, isRequested: Bool)
  }

  /// Processes everything that `batches` lead to, and returns whether `body` wants more.
  private func run(
    _ batches: Batches, _ claims: inout StoreClaims, idle: () -> Void,
    passed: (Int) -> Void = { _ in }, skipped: () -> Void, _ body: (Result) -> Bool
  ) -> Bool {
    var batches = batches
    // The progress of single stores is not shown.
    var work = ParallelWork<TreeWalk.Step, Finding>(
      groupsOf: Self.batchCount, threads: options.jobCount
    ) { steps, give in
      WorkProgress.untold {
        for step in steps {
          if let finding = findingInTime(of: step) { give(Self.noted(finding, of: step)) }
        }
      }
    }
    var wantsMore = true
    while wantsMore {
      let isIdle = work.pendingCount == 0
      // Some batches are kept ready, so that no job waits for the walk, or for the results of others
      // to be passed on. Those that are examined wait in memory, so there are not many.
      let hasRoom =
        work.waitingCount < options.jobCount
        && work.pendingCount < Self.pendingCount * options.jobCount
      if isIdle || hasRoom && batches.isReady {
        if isIdle, !batches.isReady { idle() }
        if let batch = batches.next() {
          passed(batches.passedCount)
          for step in batch { work.add(step) }
          work.closeGroup()
          continue
        }
      }
      guard work.pendingCount > 0 else { return true }
      let hasNews = work.pass {
        if wantsMore { wantsMore = pass($0, &claims, idle: idle, skipped: skipped, body) }
      }
      if !hasNews { idle() }
    }
    return false
  }

  /// Returns `finding`, after noting what it says of the file of `step` in the ledger, if one is kept.
  private static func noted(_ finding: Finding, of step: TreeWalk.Step) -> Finding {
    if case .other = finding, case .target(let target) = step {
      FileLedger.current?.noteUnrecognized(target.path)
    }
    return finding
  }

  /// Passes `finding` to `body`, or the results in the archive that it is.
  ///
  /// - Returns: Whether `body` wants more.
  private func pass(
    _ finding: Finding, _ claims: inout StoreClaims, idle: () -> Void,
    skipped: () -> Void, _ body: (Result) -> Bool
  ) -> Bool {
    switch finding {
    case .store(let result):
      // The walk passes over known paths, but only the result tells which file names the store.
      return options.knows(result.outcome.path) || !claims.isNew(result.outcome) || body(result)
    case .archive(let archive, let isRequested):
      return enter(archive, isRequested, &claims, idle: idle, skipped: skipped, body)
    case .other:
      skipped()
      return true
    }
  }

  /// Examines everything in `archive`, and then reports what could not be read.
  ///
  /// A later scan that resumes this one passes over an archive whose own path it finds among the
  /// results, so that path comes after all stores. The members are not divided into shards, because
  /// the path of the archive decides its shard.
  ///
  /// - Returns: Whether `body` wants more.
  private func enter(
    _ archive: ArchiveFile, _ isRequested: Bool, _ claims: inout StoreClaims, idle: () -> Void,
    skipped: () -> Void, _ body: (Result) -> Bool
  ) -> Bool {
    var tree: (any MemberTree)?
    var failure: String?
    do throws(FileError) {
      tree = try Deadline.within(options.durationLimit) {
        Swift.Result { () throws(FileError) in try archive.tree() }
      }.get()
    } catch {
      if !archive.isUncertain || isRequested { failure = error.message }
    }
    var reported: Set<FilePath> = []
    for walk in [tree.map { TreeWalk($0) }, archive.rest(besides: tree)].compactMap(\.self) {
      let wantsMore = run(
        batches(of: walk, shard: (1, 1)), &claims, idle: idle, skipped: skipped
      ) { result in
        reported.formUnion(result.outcome.files + [result.outcome.path])
        return body(result)
      }
      guard wantsMore else { return false }
    }
    if let failure, !body(Result(StoreOutcome(unreadAt: archive.path, because: failure))) {
      return false
    }
    // Problems with the files of a store were reported with the store.
    for (path, reason) in tree?.problems ?? []
    where !reported.contains(path) && !options.knows(path) {
      guard body(Result(StoreOutcome(unreadAt: path, because: reason))) else { return false }
    }
    return true
  }

  /// Returns the result of `step`; if it takes too long, an outcome with that reason.
  private func findingInTime(of step: TreeWalk.Step) -> Finding? {
    guard let limit = options.timeLimit else { return finding(of: step) }
    return Deadline.within(.seconds(limit)) {
      let found = finding(of: step)
      guard Deadline.hasPassed, case .target(let target) = step else { return found }
      if case .some(.archive) = found { return found }
      let text = limit == limit.rounded() ? "\(Int(limit))" : "\(limit)"
      return .store(
        Result(
          StoreOutcome(unreadAt: target.path, because: "it takes longer than \(text) seconds")))
    }
  }

  private func finding(of step: TreeWalk.Step) -> Finding? {
    switch step {
    case .backup(let backup): return .archive(backup, isRequested: false)
    case .failure(let path, let error):
      return .store(Result(StoreOutcome(unreadAt: path, because: error.message)))
    case .target(let target):
      let source = target.source(limit: options.byteLimit)
      do throws(FileError) {
        // A checksum of an archive is often in a file that is named like a meta file.
        if !target.isNamedAsStore || ArchiveKind.isNamed(target.path) {
          let head = try source.head(of: target.path, count: ArchiveKind.headCount)
          if let archive = target.archive(beginningWith: head) {
            return .archive(archive, isRequested: target.isRequested)
          }
          if target.isEmptyAlone(head, in: source)
            || !target.isNamedAsStore && !target.isRequested && ForeignFile.isMedia(head),
            !catalog.keepsFile(at: source.location(of: target.path))
          {
            return head.count == 0 ? damagedArchive(target, in: source) ?? .other : .other
          }
        }
      } catch {
        // The error of a store, or of what the user named, comes below, and says more.
        guard target.isNamedAsStore || target.isRequested else {
          return unread(target, because: .file(error)).map { .store($0) } ?? .other
        }
      }
      let found = result(of: target, in: source)
      guard case .store(var result)? = found else { return found }
      result.outcome.app = apps.app(of: result.outcome.path, in: source)
      result.names = names
      return .store(result)
    }
  }

  /// Returns the result for a target that cannot be read; `nil` for a file that is not worth a line.
  ///
  /// Any file may be a store, but one that has gone since its folder was listed is none, and what
  /// cannot be read in an archive is reported with the archive. A limit may leave out what is named
  /// as an archive.
  private func unread(_ target: ScanTarget, because error: DiscoveryError) -> Result? {
    if !target.isNamedAsStore, !target.isRequested {
      switch error {
      case .file(.system(_, _, let errno)): if errno == .noSuchFileOrDirectory { return nil }
      default: guard ArchiveKind.isNamedOnlyAsArchive(target.path) else { return nil }
      }
    }
    return Result(StoreOutcome(unreadAt: target.path, because: error.message))
  }

  /// Returns what `target` is; `nil` if it is a side file of another target.
  private func result(of target: ScanTarget, in source: any FileSource) -> Finding? {
    if let result = resultOfIntact(target, in: source) { return .store(result) }
    let path = target.path
    let recognizer = Recognizer(
      formats,
      Readers(
        options.formatName != nil
          ? [] : catalog.readers(options.formats, foundAt: source.location(of: path)),
        recognized: Readers.recognizedUnnamed))
    let found: FoundFiles
    do throws(DiscoveryError) {
      found = try recognizer.files(
        at: path, .found(isNamedAsStore: target.isNamedAsStore), in: source)
    } catch {
      return unread(target, because: error).map { .store($0) } ?? .other
    }
    switch found {
    case .store(let best, _):
      let main = Self.main(ofRenamed: path, in: best.files)
      // The data file is a target of its own.
      if main != nil, !target.isRequested { return nil }
      return .store(
        resultOfUnusable(best.files, of: target, at: main ?? path)
          ?? result(of: best.found, at: main ?? path))
    case .table(let reader, let files):
      return .store(
        resultOfUnusable(files, of: target, at: path) ?? result(of: files, by: reader, at: path))
    case .unknown:
      guard target.isRequested else { return damagedArchive(target, in: source) ?? .other }
      return .store(resultOfNamed(target, in: source))
    }
  }

  /// Returns the line about `target`, a file of no known format, if it is named as only archives
  /// are; otherwise `nil`.
  private func damagedArchive(_ target: ScanTarget, in source: any FileSource) -> Finding? {
    let path = target.path
    guard ArchiveKind.isNamedOnlyAsArchive(path),
      let head = try? source.head(of: path, count: ArchiveKind.headCount),
      let reason = ArchiveKind.damage(of: head, at: path)
    else { return nil }
    let error = FileError.member(path: path, reason: reason)
    return .store(Result(StoreOutcome(unreadAt: path, because: error.message)))
  }

  /// Returns the result for `files` of a format without a log.
  private func result(
    of files: [StoreFile], by reader: any EntryReader, at path: FilePath
  ) -> Result {
    do throws(DiscoveryError) {
      let table = try reader.table(files)
      let isEmpty = table.files.allSatisfy { $0.image.isZero(in: $0.image.range) }
      let outcome =
        isEmpty && table.verdict == .damaged
        ? StoreOutcome(withoutContent: table, at: path) : StoreOutcome(table, at: path)
      var result = Result(outcome, options.keeps(path) ? .table(table) : nil)
      result.search = options.search?.result(in: table)
      result.residue = options.residueOpener.map { StoreResidue(of: table, opening: $0) }
      return result
    } catch {
      return Result(StoreOutcome(unreadAt: path, because: error.message))
    }
  }

  /// Returns the data file of a store, if `path` is its side file and both were renamed.
  private static func main(ofRenamed path: FilePath, in files: [StoreFile]) -> FilePath? {
    guard let main = RenamedPair.main(of: path, suffix: StoreNames.meta),
      files.first?.path == main
    else { return nil }
    return main
  }

  /// Returns the result for a store with a file that is larger than the limit or part of unfinished
  /// output; `nil` if none is.
  ///
  /// What is not read must not be called missing.
  private func resultOfUnusable(
    _ files: [StoreFile], of target: ScanTarget, at path: FilePath
  ) -> Result? {
    if target.mayBeUnfinished,
      let reason = UnfinishedOutput.refusal(of: files.map(\.path))
    {
      return Result(StoreOutcome(unreadAt: path, because: reason))
    }
    for case .some(let obstacle) in files.map(\.obstacle) {
      if case .tooLarge = obstacle {
        return Result(StoreOutcome(unreadAt: path, because: obstacle.message))
      }
    }
    return nil
  }

  /// Returns the result for a store that needs no diagnosis, as most need none; `nil` for others.
  private func resultOfIntact(_ target: ScanTarget, in source: any FileSource) -> Result? {
    guard target.isNamedAsStore, !target.isRequested, !target.mayBeUnfinished,
      !options.keeps(target.path), options.residueOpener == nil,
      let found = formats.intact(at: target.path, in: source)
    else { return nil }
    var result = Result(StoreOutcome(found.store, formatName: found.formatName, at: target.path))
    guard let search = options.search else { return result }
    for path in found.store.paths {
      // Nothing is encrypted in a store that is intact without a key.
      guard let image = try? source.read(path, limit: options.byteLimit),
        !search.pattern.mayOccur(in: image.storageSpan)
      else { return nil }
    }
    result.search = SearchResult()
    return result
  }

  /// Returns the result for a file of no format that a scan finds, which the user has named.
  private func resultOfNamed(_ target: ScanTarget, in source: any FileSource) -> Result {
    let path = target.path
    func unread(_ reason: String) -> Result {
      Result(StoreOutcome(unreadAt: path, because: reason))
    }
    let image: FileImage
    do throws(FileError) {
      image = try source.read(path, limit: options.byteLimit)
    } catch {
      return unread(error.message)
    }
    if let kind = ForeignFile.ownOutput(image, named: path.lastComponent?.string ?? "") {
      return unread("it is \(kind), not a store")
    }
    // Many files are in formats that stores also have, so only what the user means is read as one.
    let readers = options.formatName == nil ? catalog.readers(options.formats) : []
    if let table = try? Readers(readers).likeliest(at: path, in: source) {
      return resultOfUnusable(table.files, of: target, at: path)
        ?? result(of: table.files, by: table.reader, at: path)
    }
    let kind = ForeignFile.name(of: image, at: source.location(of: path))
    return unread(
      "not recognized as a key-value store" + (kind.map { ": it looks like \($0)" } ?? ""))
  }

  private func result(of found: some FoundStore, at path: FilePath) -> Result {
    let (store, diagnosis) = found.open().examined(now: options.formats.now)
    var result = Result(store, diagnosis, at: path)
    if options.keeps(path) { result.found = found } else { result = Result(result.outcome) }
    result.search = options.search?.result(in: store, diagnosis)
    result.residue = options.residueOpener.map { StoreResidue(of: store, diagnosis, opening: $0) }
    return result
  }
}
