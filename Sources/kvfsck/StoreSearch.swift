import KVBytes
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The search for the store at a path that the user has named.
struct StoreSearch {
  /// What files are: a store with a log, or files of a format without one.
  enum Found {
    case store(any FoundStore)
    case table(any EntryReader, [StoreFile])
    /// Files of no known format, and what they would be read as if necessary.
    case unknown(Formats.Candidate, at: FilePath)

    /// What a search for changes that a copy made has found.
    fileprivate init(_ undone: CopySearch.Found) {
      switch undone {
      case .store(let best): self = .store(best.found)
      case .table(let reader, let files): self = .table(reader, files)
      }
    }

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

  private let options: StoreOptions
  /// What the user should know about how the store was chosen.
  private(set) var notes: [String] = []
  /// Whether the path is that of a folder with folders, or with further members of the same names,
  /// which may hold stores.
  private(set) var hasFolders = false
  /// Whether the path is that of a folder with archives, or with files that cannot be read.
  private(set) var hasUnsearchedFiles = false

  /// Creates a search with these options.
  init(_ options: StoreOptions) { self.options = options }

  /// Returns what is at `named`, or why nothing is.
  ///
  /// If `isReplaced`, the format of the store must be certain; see ``Formats/doubt(_:_:)``.
  mutating func find(
    _ named: FilePath, _ settings: () throws(DiscoveryError) -> FormatOptions, isReplaced: Bool
  ) -> Result<Found, DiscoveryError> {
    do throws(DiscoveryError) {
      let place = try place(of: named)
      if Self.hasFolders(in: place) { hasFolders = true }
      let found = try find(place, try settings(), isReplaced: isReplaced)
      // What an app would load instead is another version of the file that was named.
      if case .table(let reader, let files) = found {
        return .success(.table(reader, files.led(by: place.path)))
      }
      return .success(found)
    } catch {
      return .failure(error)
    }
  }

  /// Returns whether there are folders in the folder at `place`, which may hold stores.
  private static func hasFolders(in place: Place) -> Bool {
    guard place.source.isFolder(place.path) else { return false }
    return (try? place.source.names(in: place.path))?.contains {
      let path = place.path.appending($0)
      return place.source.isFolder(path) && !Folder.isLink(path)
    } ?? false
  }

  /// A source, and a path in it.
  private typealias Place = (source: any FileSource, path: FilePath)

  /// Returns the source and path of `named`: standard input, a place in an archive, or a path on
  /// disk.
  private mutating func place(of named: FilePath) throws(DiscoveryError) -> Place {
    do throws(FileError) {
      if named == StreamSource.path { return (try stream(), named) }
      if let place = try ArchivePlace(named: named) {
        notes += place.problems
        hasFolders = place.hasLayers
        return (ArchiveSource(place.tree), place.path)
      }
    } catch {
      throw .file(error)
    }
    if options.format == nil, let archive = ArchiveFile(at: named), !archive.isUncertain {
      if let refusal = archive.refusal { throw .file(.member(path: named, reason: refusal)) }
      throw .archive(named)
    }
    return (DiskSource(), named)
  }

  /// Reads standard input.
  ///
  /// - Throws: If it is an archive and no format was named: archives are read from files.
  private func stream() throws(FileError) -> StreamSource {
    let source = try StreamSource()
    let head = try source.head(of: StreamSource.path, count: ArchiveKind.headCount)
    if options.format == nil, ArchiveKind(head.bytes) != nil {
      throw .member(
        path: StreamSource.path,
        reason: "standard input is an archive; save it to a file, and name that")
    }
    return source
  }

  private mutating func find(
    _ place: Place, _ settings: FormatOptions, isReplaced: Bool
  ) throws(DiscoveryError) -> Found {
    let (source, named) = place
    if isReplaced, MemberPath.isMember(named) {
      throw .irreplaceable(named, reason: "it is in an archive, and archives are read-only")
    }
    let known = options.formats(settings)
    if !options.id.isEmpty, source.isFolder(named),
      let identified = known.lazy.compactMap({ $0 as? any IdentifiedStoreFormat }).first
    {
      return .store(try identified.found(ids: options.id, below: named, in: source))
    }
    let readers = { [options] in Readers(options.readers(settings)) }
    if options.table != nil || options.format.map({ !$0.hasLog }) ?? false {
      if options.format == nil, let other = otherThanDatabase(at: named, known, settings, source) {
        return other
      }
      let (reader, files) = try readers().first(at: named, in: source)
      var search = CopySearch(at: named, nil, readers, isNamed: true)
      let undone = search.found(files.read, in: source) { CopySearch.isSound(reader, files) }
      return undone.map(Found.init) ?? .table(reader, files)
    }
    let formats = Formats(known)
    let isNamed = options.format != nil
    if source.isFolder(named) {
      let survey = try FolderSurvey(
        of: named, formats, isNamed ? Readers([]) : readers(), in: source)
      hasUnsearchedFiles = !survey.archives.isEmpty || !survey.obstacles.isEmpty
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
  private mutating func otherThanDatabase(
    at named: FilePath, _ formats: [any StoreFormat], _ settings: FormatOptions,
    _ source: any FileSource
  ) -> Found? {
    guard !source.isFolder(named),
      let head = try? source.head(of: named, count: ForeignFile.headCount),
      !ForeignFile.isDatabase(head)
    else { return nil }
    let recognizer = Recognizer(Formats(formats), Readers(Kvfsck.formats.readers(settings)))
    let found: Found
    switch recognizer.answer(at: named, isNamedAsStore: false, in: source) {
    case .store(let best): found = .store(best.found)
    case .table(let reader, let files): found = .table(reader, files)
    case .obstacle, .unknown: return nil
    }
    notes.append("\(named.text) is not an SQLite database and has no tables to choose from")
    return found
  }

  /// Returns the one file to use in a folder; `nil` if only the folder as a whole can be
  /// recognized.
  private mutating func member(
    of survey: FolderSurvey, in folder: FilePath, _ formats: Formats?,
    _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath? {
    let stores = survey.stores
    let several = stores.isEmpty ? survey.members : stores
    // Of a file that the user calls a store, the bytes are read.
    if formats != nil, several.isEmpty, let archive = survey.archives.first {
      throw .archive(archive)
    }
    if let only = survey.onlyFile { return only }
    if several.count > 1 {
      let names = several.map(\.label)
      throw stores.isEmpty
        ? .severalFiles(in: folder, names: names) : .severalStores(in: folder, names: names)
    }
    for obstacle in survey.obstacles {
      // A link, such as the one to an app's libraries, does not hide the stores in subfolders.
      guard !several.isEmpty || obstacle.isAboutLink && hasFolders else {
        throw obstacle
      }
      notes.append(obstacle.message)
    }
    if survey.unjudgedCount > 0 {
      notes.append("\(survey.unjudgedCount.grouped) files in \(folder.text) were not examined")
    }
    if let only = several.first {
      noteOthers(of: survey, than: only, in: source)
      return only.path
    }
    // If a store's copies are lost, its external value files are recognized only by all their names.
    let isKnown = (try? formats?.candidates(at: folder, in: source).best.isGuess) == false
    guard formats != nil, survey.files.count > 1, !isKnown else { return nil }
    throw .nothingKnown(
      in: folder, names: survey.files.prefix(5).map(\.name), count: survey.files.count)
  }

  /// Notes which files of the folder are not read.
  private mutating func noteOthers(
    of survey: FolderSurvey, than only: FolderSurvey.Member, in source: any FileSource
  ) {
    let others = survey.members.filter { $0.path != only.path }.map(\.label)
    if !others.isEmpty {
      notes.append(
        "reading only \(only.label). To read another file, name it: "
          + others.prefix(20).joined(separator: ", ") + (others.count > 20 ? ", …" : ""))
    }
    // Nothing shows what an encrypted store without its side file is, and a file of a format without
    // a log is less likely to be what the user means.
    let unknown = only.hasLog ? [] : survey.unknown.filter { Self.mayBeStore($0, in: source) }
    guard !unknown.isEmpty else { return }
    notes.append(
      "reading only \(only.label). These files have no known format, as an encrypted store without "
        + "its side file has none; to read one, name it and its format: "
        + unknown.prefix(20).map(\.name).joined(separator: ", ")
        + (unknown.count > 20 ? ", …" : ""))
  }

  /// Returns whether the file at `path`, which no format recognizes, is worth a note.
  private static func mayBeStore(_ path: FilePath, in source: any FileSource) -> Bool {
    guard !path.name.hasPrefix("."), let head = try? source.head(of: path, count: 1 << 16) else {
      return false
    }
    return head.count > 0 && !ForeignFile.isMedia(head)
      && ForeignFile.ownOutput(head, named: path.name) == nil
  }

  /// Returns what the files at `path` are, or were before a copy changed them, if that is proved;
  /// without `readers`, the user has named the format.
  private mutating func find(
    _ path: FilePath, _ formats: Formats, _ readers: (() -> Readers)?,
    isReplaced: Bool, in source: any FileSource
  ) throws(DiscoveryError) -> Found {
    let notesBefore = notes
    let found = Result { () throws(DiscoveryError) in
      try findAsFound(path, formats, readers, isReplaced: isReplaced, in: source)
    }
    var search = CopySearch(at: path, formats, readers)
    if let files = Self.files(of: found, at: path, in: source),
      let undone = search.found(files, in: source, unless: { Self.isSound(found) })
    {
      notes = notesBefore
      return Found(undone)
    }
    return try found.get()
  }

  /// Returns the files in which a copy may have changed bytes; `nil` if none has.
  private static func files(
    of found: Result<Found, DiscoveryError>, at path: FilePath, in source: any FileSource
  ) -> [StoreFile]? {
    switch found {
    case .success(.store(let store)): store.isKnownSound ? nil : store.files.read
    case .success(let found): found.files.read
    case .failure(let error):
      error.isObstacle ? nil : (try? source.file(at: path)).map { [$0] }
    }
  }

  /// Returns whether nothing is wrong with what was found.
  private static func isSound(_ found: Result<Found, DiscoveryError>) -> Bool {
    switch found {
    case .success(.store(let store)): store.isProvedByChecksum()
    case .success(.table(let reader, let files)): CopySearch.isSound(reader, files)
    case .success(.unknown), .failure: false
    }
  }

  /// Returns what the files at `path` are, with the bytes that were found.
  private mutating func findAsFound(
    _ path: FilePath, _ formats: Formats, _ readers: (() -> Readers)?,
    isReplaced: Bool, in source: any FileSource
  ) throws(DiscoveryError) -> Found {
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
  private mutating func choose(
    _ stores: Result<(best: Formats.Candidate, others: [Formats.Possibility]), DiscoveryError>,
    _ tables: Result<
      (reader: any EntryReader, files: [StoreFile], likelihood: Int)?, DiscoveryError
    >, at path: FilePath, isNamed: Bool, isReplaced: Bool
  ) throws(DiscoveryError) -> Found {
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
  private mutating func noteRecognition(
    of path: FilePath, _ best: Formats.Candidate, _ others: [Formats.Possibility], isNamed: Bool
  ) {
    let taken = "\(path.text) is read as \(best.possibility.name) (\(best.possibility.reasons))"
    for other in others {
      notes.append(
        "\(taken), but may be \(other.name) (\(other.reasons)); choose one with --format")
    }
    guard !isNamed else { return }
    if best.isGuess {
      notes.append(
        "\(path.text) does not look like "
          + "\(ReadableFormat.allValueStrings.joined(separator: ", ")); it is read as "
          + best.possibility.name)
    } else if others.isEmpty, Manner.current.isVerbose {
      notes.append(taken)
    }
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
