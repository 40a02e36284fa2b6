import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// Opens the store that a command names, and reports why if that is not possible.
enum OpenedStore {
  /// What files are: a store with a log, or files of a format without one.
  private enum Kind {
    case store(any FoundStore)
    case table(any EntryReader, [StoreFile])
    /// Files of no known format, and what they would be read as if necessary.
    case unknown(Formats.Candidate, at: FilePath)

    /// Whether the files have no known format.
    var isUnknown: Bool { if case .unknown = self { true } else { false } }

    /// The files.
    var files: [StoreFile] {
      switch self {
      case .store(let store): store.files
      case .table(_, let files): files
      case .unknown(let candidate, _): candidate.files
      }
    }
  }

  /// Finds the store at `path`, reads its files and passes it to `body`, or passes the entries of a
  /// format without a log to `table`.
  ///
  /// `place` is the path in bytes, if the user did not give it.
  ///
  /// If `isReplaced`, the format of the store must be certain; see ``Formats/doubt(_:_:)``. A
  /// failure is printed and reported. For a folder with several stores, `several` is called
  /// instead, if given. Files of no known format are passed to `unknown`, if given, as the store
  /// that they would be read as. Nothing is reported about files that `isRepeated`, if given, has
  /// seen before.
  ///
  /// - Returns: The status returned by the closure, or that of the failure.
  static func open(
    _ path: String, at place: FilePath? = nil, _ options: StoreOptions, _ report: Reports,
    isReplaced: Bool = false, table: ((EntryTable) -> ExitStatus)? = nil,
    several: (() -> Void)? = nil, unknown: ((any FoundStore) -> ExitStatus?)? = nil,
    isRepeated: (([StoreFile]) -> Bool)? = nil, _ body: (any FoundStore) -> ExitStatus
  ) -> ExitStatus {
    let named = place ?? ProcessArguments.path(path)
    // The reporters keep the store before this one in memory until this one is begun. What is no
    // store of its own is not begun.
    let isBegunLate = isRepeated != nil || several != nil && mayHoldSeveral(named)
    if !isBegunLate { report(.begun(path: path)) }
    let (result, hasFolders) = find(named, options, report, isReplaced: isReplaced)
    if case .success(let found) = result, isRepeated?(found.files) ?? false { return [] }
    let hasSeveral = leadsToSeveral(result, at: named, hasFolders: hasFolders, options, report)
    if let several, hasSeveral {
      several()
      return []
    }
    if isBegunLate { report(.begun(path: path)) }
    do throws(DiscoveryError) {
      let found = try result.get()
      if let reason = refusal(found) { return fail(path, reason, report) }
      noteFiles(of: found, andOthersIn: hasSeveral ? named : nil)
      switch found {
      case .store(let store):
        if isReplaced { try checkReplaceable(store.files, named) }
        return body(store)
      case .table(let reader, let files):
        return table?(reader.table(files))
          ?? fail(path, logless(path, type(of: reader).name), report)
      case .unknown(let candidate, let path):
        if let status = unknown?(candidate.found) { return status }
        throw candidate.notRecognized(at: path)
      }
    } catch {
      return fail(
        path, error.message + advice(for: error, at: named, hasFolders: hasFolders), report)
    }
  }

  /// Returns whether `path` is a folder or an archive, which can hold several stores.
  private static func mayHoldSeveral(_ path: FilePath) -> Bool {
    Folder.exists(path) || ArchiveFile(at: path) != nil
  }

  /// Returns whether `result` says that there are several stores at `path`, or there may be some in
  /// its subfolders, if it has any.
  private static func leadsToSeveral(
    _ result: Result<Kind, DiscoveryError>, at path: FilePath, hasFolders: Bool,
    _ options: StoreOptions, _ report: Reports
  ) -> Bool {
    switch result {
    case .success(.unknown): hasFolders
    case .success(let found):
      hasFolders && hasStores(besides: found.files, below: path, options, report)
    case .failure(let error):
      error.isAboutSeveralStores || error.isAboutNoStore && hasFolders
    }
  }

  /// Returns whether there are stores in the folders below `folder`, apart from the one of `files`.
  ///
  /// MMKV itself keeps stores whose ids have special characters in a folder below the others.
  private static func hasStores(
    besides files: [StoreFile], below folder: FilePath, _ options: StoreOptions,
    _ report: Reports
  ) -> Bool {
    guard options.id.isEmpty, options.table == nil,
      let scan = try? ScanOptions.scanOfAll(options, report, besides: files)
    else { return false }
    var hasStore = false
    scan.run(TreeWalk([folder]), overlapping: false) { outcome in
      hasStore = outcome.formatName.map { Kvfsck.formats[$0]?.hasLog ?? false } ?? false
      return !hasStore
    }
    return hasStore
  }

  /// Prints and reports that the store at `path` is not read, for the reason `message`.
  static func fail(_ path: String, _ message: String, _ report: Reports) -> ExitStatus {
    report.complain(message)
    report(.failed(path: path, reason: message))
    return .failed
  }

  private static func logless(_ path: String, _ format: String) -> String {
    "\(path) has the format \(format), which has no log; check, dump and convert read it"
  }

  /// Returns whether there are folders in the folder at `place`, which may hold stores.
  private static func hasFolders(_ place: Place) -> Bool {
    guard place.source.isFolder(place.path) else { return false }
    return (try? place.source.names(in: place.path))?.contains {
      let path = place.path.appending($0)
      return place.source.isFolder(path) && !Folder.isLink(path)
    } ?? false
  }

  // MARK: Finding the store

  /// A source, and a path in it.
  private typealias Place = (source: any FileSource, path: FilePath)

  /// Returns the source and path of `named`: standard input, a place in an archive, or a path on
  /// disk.
  private static func place(
    of named: FilePath, _ options: StoreOptions
  ) throws(DiscoveryError) -> Place {
    do throws(FileError) {
      if named == StreamSource.path { return (try StreamSource(), named) }
      if let place = try ArchivePlace(named: named) {
        place.problems.forEach(Output.note)
        return (ArchiveSource(place.tree), place.path)
      }
    } catch {
      throw .file(error)
    }
    if options.format == nil, let archive = ArchiveFile(at: named), !archive.isUncertain {
      throw .archive(named)
    }
    return (DiskSource(), named)
  }

  /// Returns what is at `named`, or why nothing is, and whether there are folders below.
  private static func find(
    _ named: FilePath, _ options: StoreOptions, _ report: Reports, isReplaced: Bool
  ) -> (result: Result<Kind, DiscoveryError>, hasFolders: Bool) {
    do throws(DiscoveryError) {
      let place = try place(of: named, options)
      let result = Result { () throws(DiscoveryError) in
        try find(place, options, try report.settings(), isReplaced: isReplaced)
      }
      return (result, hasFolders(place))
    } catch {
      return (.failure(error), false)
    }
  }

  private static func find(
    _ place: Place, _ options: StoreOptions, _ settings: FormatOptions, isReplaced: Bool
  ) throws(DiscoveryError) -> Kind {
    let (source, named) = place
    if isReplaced, MemberPath.isMember(named) {
      throw .uncertain(named, reason: "it is in an archive, and archives are read-only")
    }
    let known = options.formats(settings)
    if !options.id.isEmpty, source.isFolder(named),
      let identified = known.lazy.compactMap({ $0 as? any IdentifiedStoreFormat }).first
    {
      return .store(try identified.found(ids: options.id, below: named, in: source))
    }
    let readers = { Readers(options.readers(settings)) }
    if options.table != nil || options.format.map({ !$0.hasLog }) ?? false {
      if options.format == nil, let other = otherThanDatabase(at: named, known, settings, source) {
        return other
      }
      let (reader, files) = try readers().first(at: named, in: source)
      return .table(reader, files)
    }
    let formats = Formats(known)
    let isNamed = options.format != nil
    if source.isFolder(named) {
      let survey = try FolderSurvey(
        of: named, formats, isNamed ? Readers([]) : readers(), in: source)
      if let path = try member(of: survey, in: named, isNamed ? nil : formats, source) {
        return try find(path, formats, isNamed ? nil : readers, isReplaced: isReplaced, in: source)
      }
    }
    return try find(
      StoreNames.followed(named), formats, isNamed ? nil : readers, isReplaced: isReplaced,
      in: source)
  }

  /// Returns what the file at `named` is, if a table was named but the file is not a database;
  /// `nil` if it is a database or unknown.
  private static func otherThanDatabase(
    at named: FilePath, _ formats: [any StoreFormat], _ settings: FormatOptions,
    _ source: any FileSource
  ) -> Kind? {
    guard !source.isFolder(named),
      let head = try? source.head(of: named, count: ForeignFile.headCount),
      !ForeignFile.isDatabase(head)
    else { return nil }
    let recognizer = Recognizer(Formats(formats), Readers(Kvfsck.formats.readers(settings)))
    let found: Kind
    switch recognizer.answer(at: named, isNamedAsStore: false, in: source) {
    case .store(let best): found = .store(best.found)
    case .table(let reader, let files): found = .table(reader, files)
    case .obstacle, .unknown: return nil
    }
    Output.note("\(named.text) is not an SQLite database and has no tables to choose from")
    return found
  }

  /// Returns the one file to use in a folder; `nil` if only the folder as a whole can be
  /// recognized.
  private static func member(
    of survey: FolderSurvey, in folder: FilePath, _ formats: Formats?,
    _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath? {
    if let only = survey.onlyFile { return only }
    let stores = survey.stores
    let several = stores.isEmpty ? survey.members : stores
    if several.count > 1 {
      let names = several.map(\.label)
      throw stores.isEmpty
        ? .severalFiles(in: folder, names: names) : .severalStores(in: folder, names: names)
    }
    for obstacle in survey.obstacles {
      // A link, such as the one to an app's libraries, does not hide the stores in subfolders.
      guard !several.isEmpty || obstacle.isAboutLink && hasFolders((source, folder)) else {
        throw obstacle
      }
      Output.note(obstacle.message)
    }
    if survey.unjudgedCount > 0 {
      Output.note("\(survey.unjudgedCount.grouped) files in \(folder.text) were not examined")
    }
    guard let only = several.first else {
      // If a store's copies are lost, its external value files are recognized only by all their
      // names.
      let isKnown = (try? formats?.candidates(at: folder, in: source).best.isGuess) == false
      guard formats != nil, survey.files.count > 1, !isKnown else { return nil }
      throw .nothingKnown(
        in: folder, names: survey.files.prefix(5).map(\.name), count: survey.files.count)
    }
    let others = survey.members.filter { $0.path != only.path }.map(\.label)
    if !others.isEmpty {
      Output.note(
        "reading only \(only.label). To read another file, name it: "
          + others.prefix(20).joined(separator: ", ") + (others.count > 20 ? ", …" : ""))
    }
    return only.path
  }

  /// Returns what the files at `path` are; without `readers`, the user has named the format.
  private static func find(
    _ path: FilePath, _ formats: Formats, _ readers: (() -> Readers)?,
    isReplaced: Bool, in source: any FileSource
  ) throws(DiscoveryError) -> Kind {
    let isNamed = readers == nil
    let stores = Result { () throws(DiscoveryError) in try formats.candidates(at: path, in: source)
    }
    // Most stores are intact, so no time is spent on other formats for them.
    if case .success((let best, _)) = stores, best.isVerified, best.hasOwnFile {
      noteRecognition(of: path, best, [], isNamed: isNamed)
      return .store(best.found)
    }
    let tables = Result { () throws(DiscoveryError) in
      try readers?().likeliest(at: path, in: source)
    }
    return try choose(stores, tables, at: path, isNamed: isNamed, isReplaced: isReplaced)
  }

  /// Returns the likelier of what the formats with a log and those without one make of the files at
  /// `path`.
  private static func choose(
    _ stores: Result<(best: Formats.Candidate, others: [Formats.Possibility]), DiscoveryError>,
    _ tables: Result<
      (reader: any EntryReader, files: [StoreFile], likelihood: Int)?, DiscoveryError
    >, at path: FilePath, isNamed: Bool, isReplaced: Bool
  ) throws(DiscoveryError) -> Kind {
    let best: Formats.Candidate
    let others: [Formats.Possibility]
    do throws(DiscoveryError) {
      (best, others) = try stores.get()
    } catch {
      guard let table = try tables.get(),
        !error.isObstacle || table.likelihood >= Formats.certain
      else { throw error }
      return .table(table.reader, table.files)
    }
    // A file that only another format would need does not hide a store that is recognized.
    let table: (reader: any EntryReader, files: [StoreFile], likelihood: Int)? =
      if case .failure = tables, !best.isGuess { nil } else { try tables.get() }
    let likelihood = best.possibility.recognition.likelihood
    if !isNamed, likelihood < Formats.certain, let main = (table?.files ?? best.files).first,
      let kind = ForeignFile.ownOutput(main.image, named: main.path.lastComponent?.string ?? "")
    {
      throw .ownOutput(main.path, kind: kind)
    }
    if let table, table.likelihood > likelihood {
      return .table(table.reader, table.files)
    }
    if !isNamed, best.isNone { return .unknown(best, at: path) }
    if !isNamed, isReplaced, let doubt = Formats.doubt(best, others) {
      throw .uncertain(path, reason: doubt)
    }
    noteRecognition(of: path, best, others, isNamed: isNamed)
    return .store(best.found)
  }

  /// Reports how the store at `path` is read, if that is uncertain or was asked for.
  private static func noteRecognition(
    of path: FilePath, _ best: Formats.Candidate, _ others: [Formats.Possibility], isNamed: Bool
  ) {
    let taken = "\(path.text) is read as \(best.possibility.name) (\(best.possibility.reasons))"
    for other in others {
      Output.note("\(taken), but may be \(other.name) (\(other.reasons)); choose one with --format")
    }
    guard !isNamed else { return }
    if best.isGuess {
      Output.note(
        "\(path.text) does not look like "
          + "\(ReadableFormat.allValueStrings.joined(separator: ", ")); it is read as "
          + best.possibility.name)
    } else if others.isEmpty, Manner.current.isVerbose {
      Output.note(taken)
    }
  }

  // MARK: Checks and messages

  /// Checks that a repair may replace the files.
  ///
  /// - Throws: `.uncertain` if it may not, because of the files or of what the user named.
  private static func checkReplaceable(
    _ files: [StoreFile], _ named: FilePath
  ) throws(DiscoveryError) {
    if let unread = files.first(where: { $0.obstacle != nil }), let obstacle = unread.obstacle {
      throw .uncertain(named, reason: "one of its files cannot be read (\(obstacle.cause))")
    }
    if Folder.isLink(named), !Folder.exists(named) {
      throw .uncertain(named, reason: "it is a symbolic link; name the store that it points to")
    }
    if let odd = files.first(where: { !$0.path.isUTF8 }) {
      throw .uncertain(
        named,
        reason:
          "the name of \(odd.path.text) is not UTF-8, and a new file would get a different name"
      )
    }
  }

  /// Returns the commands and options that help with `error` about `path`.
  private static func advice(
    for error: DiscoveryError, at path: FilePath, hasFolders: Bool
  ) -> String {
    if error.isAboutNoStore, hasFolders {
      return ". To search its subfolders: kvfsck scan \(ShellWord.text(path))"
    }
    return switch error {
    case .uncertain: ": use --out DIR. If you know the format, use --format NAME"
    case .notRecognized(_, _, isDatabase: true):
      ". To read one of its tables, use --table NAME --key-column NAME --value-column NAME, with "
        + "--format wcdb for a WCDB database"
    case .notRecognized: ". If you know the format, use --format NAME"
    default: ""
    }
  }

  /// Reports that there are more stores in the subfolders of `folder`, if it is given; and which
  /// files were read, if that was asked for.
  private static func noteFiles(of found: Kind, andOthersIn folder: FilePath?) {
    if let folder, !found.isUnknown {
      Output.note(
        "\(folder.text) has more stores in its subfolders, which are not read. To list them: "
          + "kvfsck scan \(ShellWord.text(folder))")
    }
    guard Manner.current.isVerbose else { return }
    for file in found.files {
      Output.note("read \(file.path.text), \(Plural.count(file.image.count, "byte", "bytes"))")
    }
  }

  /// Returns why the files are not a complete store yet; `nil` if they are.
  private static func refusal(_ found: Kind) -> String? {
    UnfinishedOutput.first(of: found.files.map(\.path)).map {
      "\($0.text) is part of an incomplete output: kvfsck was killed while writing it. Run that command again; "
        + "after a repair in place, run kvfsck undo with the backup beside it"
    }
  }

  /// Prints an error, with control characters escaped: a file name must not affect the terminal.
  static func complain(_ message: String) {
    Output.error.write("kvfsck: error: \(TextReporter.printable(message))")
  }
}

extension IdentifiedStoreFormat {
  /// Finds the store with one of `ids` below the folder `root` in `source`.
  ///
  /// - Throws: The errors of ``discover(ids:below:in:)``.
  fileprivate func found(
    ids: [String], below root: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> any FoundStore {
    RecognizedFiles(self, try discover(ids: ids, below: root, in: source))
  }
}
