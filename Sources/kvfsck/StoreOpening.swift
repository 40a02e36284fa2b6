import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// Opens the store that a command names, and reports why if that is not possible.
enum StoreOpening {
  /// Finds the store at `path`, reads its files and passes it to `body`, or passes the entries of a
  /// format without a log to `table`.
  ///
  /// `result` is what a scan has found there, if the user did not give the path.
  ///
  /// If `isReplaced`, the format of the store must be certain; see ``Formats/doubt(_:_:)``. A
  /// failure is printed and reported. For a folder with several stores, `several` is called
  /// instead, if given; `listed`, if given, only if none of them is in the folder itself. Such a
  /// folder is not begun as a store: the reporters keep one in memory until the next is begun. Files
  /// of no known format are passed to `unknown`, if given, as the store that they would be read as.
  /// Nothing is reported about files that `isRepeated`, if given, has seen before.
  ///
  /// - Returns: The status returned by the closure, or that of the failure.
  static func open(
    _ path: String, found result: TreeScan.Result? = nil, _ options: StoreOptions,
    _ report: Reports, isReplaced: Bool = false, table: ((EntryTable) -> ExitStatus)? = nil,
    several: (() -> Void)? = nil, listed: (() -> ExitStatus)? = nil,
    unknown: ((any FoundStore) -> ExitStatus?)? = nil,
    isRepeated: (([StoreFile]) -> Bool)? = nil, _ body: (any FoundStore) -> ExitStatus
  ) -> ExitStatus {
    let named = result?.outcome.path ?? ProcessArguments.path(path)
    let isBegunLate = isRepeated != nil || several != nil && mayHoldSeveral(named)
    let shown = ReportedPath(path, at: named)
    if !isBegunLate { report(.begun(path: shown)) }
    var search = StoreSearch(options, on: result?.disk ?? DiskSource())
    let found = search.find(named, report.settings, isReplaced: isReplaced)
    if case .success(let found) = found, isRepeated?(found.files) ?? false { return [] }
    let hasSeveral = leadsToSeveral(found, at: named, search, options, report)
    if let several, hasSeveral {
      several()
      return []
    }
    search.notes.forEach(Output.note)
    if isBegunLate { report(.begun(path: shown)) }
    do throws(DiscoveryError) {
      let found = try found.get()
      if let reason = refusal(found) { return fail(shown, reason, report) }
      noteFiles(of: found, andOthersIn: hasSeveral ? named : nil)
      if isReplaced, !found.isUnknown { try checkReplaceable(found.files, named) }
      switch found {
      case .store(let best, _): return body(best.found)
      case .table(let reader, let files):
        guard let table else { return fail(shown, logless(named, type(of: reader)), report) }
        return table(try reader.table(files))
      case .unknown(let best, let path):
        if let best, let status = unknown?(best.found) { return status }
        throw found.notRecognized(at: path)
      }
    } catch {
      if hasSeveral, let listed { return listed() }
      return fail(shown, error.message + advice(for: error, at: named, search), report)
    }
  }

  /// Returns whether `path` is a folder or an archive, which can hold several stores, or may be one
  /// in an archive.
  private static func mayHoldSeveral(_ path: FilePath) -> Bool {
    Folder.exists(path) || !Folder.isTaken(path) || ArchiveFile(at: path) != nil
  }

  /// Returns whether `result` says that there are several stores at `path`, or `search` has passed
  /// over what may hold some.
  private static func leadsToSeveral(
    _ result: Result<FoundFiles, DiscoveryError>, at path: FilePath, _ search: StoreSearch,
    _ options: StoreOptions, _ report: Reports
  ) -> Bool {
    switch result {
    case .success(.unknown): search.hasFolders
    case .success(let found):
      (search.hasFolders || search.hasUnsearchedFiles)
        && hasStores(besides: found.files.map(\.path), below: path, options, report)
    case .failure(.severalFiles):
      // Not files that may be anything, which a scan would not report.
      search.hasFolders
        || hasStores(besides: [], below: path, options, report, alsoWithoutLog: true)
    case .failure(let error):
      error.isAboutSeveralStores || error.isAboutNoStore && search.hasFolders
        || (error.isObstacle || error.isUncertain || error.isAbout(otherThan: path))
          && search.hasFolders
          && hasStores(besides: [error.dataFile].compactMap(\.self), below: path, options, report)
    }
  }

  /// Returns whether there are stores with a log, or any stores, in `folder` or below it, apart from the
  /// one with the files at `paths`, or what may be stores but cannot be read.
  ///
  /// MMKV itself keeps stores whose ids have special characters in a folder below the others.
  private static func hasStores(
    besides paths: [FilePath], below folder: FilePath, _ options: StoreOptions,
    _ report: Reports, alsoWithoutLog: Bool = false
  ) -> Bool {
    guard options.id.isEmpty, options.table == nil,
      let scan = try? ScanOptions.scanOfAll(options, report, besides: paths)
    else { return false }
    var hasStore = false
    scan.run(TreeWalk([folder]), overlapping: false) { outcome in
      hasStore =
        alsoWithoutLog
        || outcome.formatName.map { Kvfsck.formats[$0]?.hasLog ?? false } ?? true
      return !hasStore
    }
    return hasStore
  }

  /// Prints and reports that the store at `path` is not read, for the reason `message`.
  ///
  /// - Returns: `status`.
  static func fail(
    _ path: ReportedPath, _ message: String, _ report: Reports, _ status: ExitStatus = .failed
  ) -> ExitStatus {
    report.complain(message)
    report(.failed(path: path, reason: message))
    return status
  }

  /// Prints and reports why what a scan has found could not be read.
  static func fail(_ outcome: StoreOutcome, _ report: Reports) -> ExitStatus {
    let (path, reason) = (outcome.path.text, outcome.error ?? "")
    // The reason of a member does not name it.
    let isNamed = reason.utf8.firstRange(of: path.utf8) != nil
    return fail(ReportedPath(outcome.path), isNamed ? reason : "\(path): \(reason)", report)
  }

  /// Prints and reports that `option` does nothing for the store at `path`, whose format, `table`'s,
  /// has no log.
  static func refuse(
    _ option: String, _ path: String, _ table: EntryTable, _ report: Reports
  ) -> ExitStatus {
    fail(
      ReportedPath(argument: path),
      "\(path) has the format \(table.formatName), which has no log, so \(option) has no effect; "
        + "leave it out", report, .usage)
  }

  private static func logless(_ path: FilePath, _ reader: any EntryReader.Type) -> String {
    var folders = NewFolders()
    let words = Advice.rewriting(path, reader.name, folders.next("new")).joined(separator: " ")
    return
      "\(path.text) has the format \(reader.name), which has no log; check, dump and convert read it. "
      + "To write a new file with the entries that can be read: kvfsck convert \(ShellWord.text(path)) "
      + words
  }

  // MARK: Checks and messages

  /// Returns the message that the store at `path` has no such state.
  static func lacking(_ state: StateName, _ path: String) -> String {
    "\(path): the state \(state.rawValue) cannot be recovered from these files; kvfsck check lists the "
      + "states that can"
  }

  /// Checks that a repair may replace the files.
  ///
  /// - Throws: `.irreplaceable` if it may not, because of the files or of what the user named.
  private static func checkReplaceable(
    _ files: [StoreFile], _ named: FilePath
  ) throws(DiscoveryError) {
    if let unread = files.first(where: { $0.obstacle != nil }), let obstacle = unread.obstacle {
      throw .irreplaceable(named, reason: "one of its files cannot be read (\(obstacle.cause))")
    }
    if files.areUndone {
      throw .irreplaceable(named, reason: DiscoveryError.copyReason)
    }
    if Folder.isLink(named), !Folder.exists(named) {
      throw .irreplaceable(named, reason: "it is a symbolic link; name the store that it points to")
    }
    let main = files.first?.path ?? named
    let renamed = RenamedPair.sides(of: main, suffix: StoreNames.meta)
    if let side = files.first(where: { renamed.contains($0.path) }) {
      throw .irreplaceable(
        named,
        reason:
          "its files were renamed, so a new \(main.name).crc would be beside \(side.path.name)")
    }
    if let odd = files.first(where: { !$0.path.isUTF8 }) {
      throw .irreplaceable(
        named,
        reason:
          "the name of \(odd.path.text) is not UTF-8, and a new file would get a different name"
      )
    }
  }

  /// Returns the commands and options that help with `error` about `path`.
  private static func advice(
    for error: DiscoveryError, at path: FilePath, _ search: StoreSearch
  ) -> String {
    if error.isAboutNoStore, search.hasFolders {
      return ". To search its subfolders: kvfsck scan \(ShellWord.text(path))"
    }
    return switch error {
    case .irreplaceable: ": use --out DIR"
    case .uncertain: ": use --out DIR. If you know the format, use --format NAME"
    case .notRecognized(_, _, isDatabase: true):
      ". To read one of its tables, use --table NAME --key-column NAME --value-column NAME, with "
        + "--format wcdb for a WCDB database"
    case .notRecognized: ". If you know the format, use --format NAME"
    default: ""
    }
  }

  /// Reports that there are more stores in `folder` or below it, if it is given; and which
  /// files were read, if that was asked for.
  private static func noteFiles(of found: FoundFiles, andOthersIn folder: FilePath?) {
    if let folder, !found.isUnknown {
      Output.note(
        "\(folder.text) has more stores, or files that cannot be read. To list them: "
          + "kvfsck scan \(ShellWord.text(folder))")
    }
    guard Manner.current.isVerbose else { return }
    for file in found.files {
      Output.note("read \(file.path.text), \(Plural.count(file.image.count, "byte", "bytes"))")
    }
  }

  /// Returns why the files are not a complete store yet; `nil` if they are.
  private static func refusal(_ found: FoundFiles) -> String? {
    UnfinishedOutput.refusal(of: found.files.map(\.path))
  }

  /// Prints an error, with control characters escaped: a file name must not affect the terminal.
  static func complain(_ message: String) {
    Output.tell("kvfsck: error: \(message)")
  }
}

extension ReportedPath {
  /// Creates the path that `argument` names.
  init(argument: String) { self.init(argument, at: ProcessArguments.path(argument)) }
}
