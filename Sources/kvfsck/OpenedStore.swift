import KVBytes
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// Opens what a command names, and says so when that cannot be done.
enum OpenedStore {
  /// What files are: a store with a log, or a format without one.
  private enum Kind {
    case store(any StoreFormat, [StoreFile])
    case table(any EntryReader, [StoreFile])
  }

  /// Finds the store at `path`, reads its files and hands them to `body` with their format, or, where
  /// the format has no log, what they hold to `table`.
  ///
  /// A store that `isReplaced` must be certain: see ``Formats/doubt(_:_:)``. Why that cannot be done is
  /// printed and reported; of a folder with several stores `several` is called instead, where there is
  /// one.
  ///
  /// - Returns: The status of what was called, or that of the failure.
  static func open(
    _ path: String, _ options: StoreOptions, _ report: Reports,
    isReplaced: Bool = false,
    table: ((EntryTable) -> ExitStatus)? = nil, several: (() -> Void)? = nil,
    _ body: (any StoreFormat, [StoreFile]) -> ExitStatus
  ) -> ExitStatus {
    report(.begun(path: path))
    let message: String
    finding: do throws(DiscoveryError) {
      let named = ProcessArguments.path(path)
      let found = try find(named, options, try report.settings(), isReplaced: isReplaced)
      if let reason = refusal(found) {
        message = reason
        break finding
      }
      switch found {
      case .store(let format, let files):
        if isReplaced { try checkReplaceable(files, named) }
        return body(format, files)
      case .table(let reader, let files):
        if let table { return table(reader.table(files)) }
        message =
          "\(path) is of the format \(type(of: reader).name), which has no log; "
          + "check, dump and convert read it"
      }
    } catch {
      if let several, error.isAboutSeveralStores {
        several()
        return []
      }
      message = error.message + advice(for: error)
    }
    report.complain(message)
    report(.failed(path: path, reason: message))
    return .failed
  }

  // MARK: Finding it

  /// The place that `named` is: of an archive, or of the disk.
  private static func place(
    of named: FilePath, _ options: StoreOptions
  ) throws(DiscoveryError) -> (source: any FileSource, path: FilePath) {
    do throws(FileError) {
      if let place = try ArchivePlace(named: named) {
        for problem in place.problems {
          Output.error.write("kvfsck: note: \(TextReporter.printable(problem))")
        }
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

  private static func find(
    _ path: FilePath, _ options: StoreOptions, _ settings: FormatOptions, isReplaced: Bool
  ) throws(DiscoveryError) -> Kind {
    let (source, named) = try place(of: path, options)
    if isReplaced, MemberPath.isMember(named) {
      throw .uncertain(named, reason: "it is in an archive, which is only read")
    }
    let known = options.formats(settings)
    let identified = known.lazy.compactMap { $0 as? any IdentifiedStoreFormat }.first
    if !options.id.isEmpty, source.isFolder(named), let identified {
      return .store(identified, try identified.discover(ids: options.id, below: named, in: source))
    }
    let readers = Readers(options.readers(settings))
    if options.table != nil || options.format.map({ !$0.hasLog }) ?? false {
      let (reader, files) = try readers.first(at: named, in: source)
      return .table(reader, files)
    }
    let formats = Formats(known)
    let isNamed = options.format != nil
    if source.isFolder(named) {
      let survey = try FolderSurvey(
        of: named, formats, isNamed ? Readers([]) : readers, in: source)
      if let path = try member(of: survey, in: named, isNamed ? nil : formats, source) {
        return try find(
          path, formats, readers, isNamed: isNamed, isReplaced: isReplaced, in: source)
      }
    }
    return try find(
      target(of: named), formats, readers, isNamed: isNamed, isReplaced: isReplaced, in: source)
  }

  /// The one file of a folder to go by; `nil` where only the folder as a whole can tell.
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
      guard !several.isEmpty else { throw obstacle }
      Output.error.write("kvfsck: note: \(TextReporter.printable(obstacle.message))")
    }
    if survey.unjudgedCount > 0 {
      Output.error.write(
        "kvfsck: note: \(survey.unjudgedCount) files in \(TextReporter.printable(folder.text)) were not "
          + "looked at")
    }
    guard let only = several.first else {
      // The files with values of a store whose copies are lost are known by the names of all of them.
      let isKnown = (try? formats?.candidates(at: folder, in: source).best.isGuess) == false
      guard formats != nil, survey.files.count > 1, !isKnown else { return nil }
      throw .nothingKnown(
        in: folder, names: survey.files.prefix(5).map(\.name), count: survey.files.count)
    }
    let others = survey.members.filter { $0.path != only.path }.map(\.label)
    if !others.isEmpty {
      Output.error.write(
        "kvfsck: note: "
          + TextReporter.printable(
            "reading \(only.label) only; name another file to read that: "
              + others.prefix(20).joined(separator: ", ") + (others.count > 20 ? ", …" : "")))
    }
    return only.path
  }

  /// Where a link to a store leads that the user has named, if the store's other files are not beside the
  /// link.
  private static func target(of named: FilePath) -> FilePath {
    guard let target = Folder.target(of: named) else { return named }
    let sides = [StoreNames.meta] + StoreNames.companions
    let isCopy = StoreNames.copies.contains { target.removing(suffix: $0) != nil }
    let isElsewhere =
      isCopy && target.lastComponent != named.lastComponent
      || sides.contains { Folder.isTaken(target.appending(suffix: $0)) }
    let isHere = sides.contains { Folder.isTaken(named.appending(suffix: $0)) }
    return isElsewhere && !isHere ? target : named
  }

  private static func find(
    _ path: FilePath, _ formats: Formats, _ readers: Readers, isNamed: Bool, isReplaced: Bool,
    in source: any FileSource
  ) throws(DiscoveryError) -> Kind {
    let table = isNamed ? nil : try readers.likeliest(at: path, in: source)
    let best: Formats.Candidate
    let others: [Formats.Possibility]
    do throws(DiscoveryError) {
      (best, others) = try formats.candidates(at: path, in: source)
    } catch {
      guard let table, !error.isObstacle || table.likelihood >= Formats.certain else { throw error }
      return .table(table.reader, table.files)
    }
    let likelihood = best.possibility.recognition.likelihood
    if !isNamed, likelihood < Formats.certain, let main = (table?.files ?? best.files).first,
      let kind = ForeignFile.ownOutput(main.image, named: main.path.lastComponent?.string ?? "")
    {
      throw .ownOutput(main.path, kind: kind)
    }
    if let table, table.likelihood > likelihood {
      return .table(table.reader, table.files)
    }
    if !isNamed, isReplaced, let doubt = Formats.doubt(best, others) {
      throw .uncertain(path, reason: doubt)
    }
    if best.isGuess, !isNamed {
      Output.error.write(
        "kvfsck: note: \(TextReporter.printable(path.text)) looks like no store of "
          + "\(ReadableFormat.allValueStrings.joined(separator: ", ")); it is read as "
          + best.possibility.name + adviceForDatabase(best.files))
    }
    for other in others {
      Output.error.write(
        "kvfsck: note: \(TextReporter.printable(path.text)) is taken for \(best.possibility.name) "
          + "(\(best.possibility.reasons)), but may be \(other.name) (\(other.reasons)); "
          + "--format decides")
    }
    return .store(best.format, best.files)
  }

  // MARK: What may be replaced

  /// - Throws: When the files, or what the user has named, are not what a repair would put others in the
  ///   place of.
  private static func checkReplaceable(
    _ files: [StoreFile], _ named: FilePath
  ) throws(DiscoveryError) {
    if let unread = files.first(where: { $0.obstacle != nil }), let obstacle = unread.obstacle {
      throw .uncertain(named, reason: "a file of it cannot be read (\(obstacle.cause))")
    }
    if Folder.isLink(named), !Folder.exists(named) {
      throw .uncertain(named, reason: "it is a symbolic link; name the store that it leads to")
    }
    if let odd = files.first(where: { !$0.path.isUTF8 }) {
      throw .uncertain(
        named, reason: "the name of \(odd.path.text) is not UTF-8, and a new file would get another"
      )
    }
  }

  /// What the command line offers against `error`.
  private static func advice(for error: DiscoveryError) -> String {
    if case .uncertain = error {
      ": --out DIR; where the format is known, --format NAME decides"
    } else {
      ""
    }
  }

  /// Why what was found is no store yet; `nil` where it is one.
  private static func refusal(_ found: Kind) -> String? {
    let files =
      switch found {
      case .store(_, let files), .table(_, let files): files
      }
    return UnfinishedOutput.first(of: files.map(\.path)).map {
      "\($0) is part of an output that was not completed, because kvfsck was killed. Run the command "
        + "again that wrote it; after a repair in place, kvfsck undo with the backup beside it"
    }
  }

  /// What else to call for a database of SQLite whose tables no format knows; `nil` for other files.
  private static func adviceForDatabase(_ files: [StoreFile]) -> String {
    guard let image = files.first?.image, image.bytes.starts(with: "SQLite format 3\0".utf8) else {
      return ""
    }
    return ". It is a database of SQLite: --table NAME --key-column NAME --value-column NAME reads "
      + "a table of it, --format wcdb one that WCDB keeps"
  }

  /// Prints an error; what a file's name could do to a terminal is taken out of it.
  static func complain(_ message: String) {
    Output.error.write("kvfsck: error: \(TextReporter.printable(message))")
  }
}
