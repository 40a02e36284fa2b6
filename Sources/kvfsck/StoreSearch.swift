import KVBytes
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The search for the store at a path that the user has named.
struct StoreSearch {
  private let options: StoreOptions
  /// The source of files that are not in an archive.
  private let disk: DiskSource
  /// What the user should know about how the store was chosen.
  private(set) var notes: [String] = []
  /// Whether the path is that of a folder with folders, or with further members of the same names,
  /// which may hold stores.
  private(set) var hasFolders = false
  /// Whether the path is that of a folder with archives, or with files that cannot be read.
  private(set) var hasUnsearchedFiles = false

  /// Creates a search with these options.
  init(_ options: StoreOptions, on disk: DiskSource) {
    self.options = options
    self.disk = disk
  }

  /// Returns what is at `named`, or why nothing is.
  ///
  /// If `isReplaced`, the format of the store must be certain; see ``Formats/doubt(_:_:)``.
  mutating func find(
    _ named: FilePath, _ settings: () throws(DiscoveryError) -> FormatOptions, isReplaced: Bool
  ) -> Result<FoundFiles, DiscoveryError> {
    do throws(DiscoveryError) {
      let place = try place(of: named)
      notes += place.problems
      hasFolders = place.hasLayers || Self.hasFolders(in: place)
      let settings = try settings()
      let found = try find(place, settings, isReplaced: isReplaced)
      notes += [Self.unusedKey(settings.keys, named, found)].compactMap(\.self)
      // What an app would load instead is another version of the file that was named.
      if case .table(let reader, let files) = found {
        return .success(.table(reader, files.led(by: place.path)))
      }
      return .success(found)
    } catch {
      return .failure(error)
    }
  }

  /// Returns the note that the key given for the store at `named` is not used, if its format takes none.
  ///
  /// A format that takes keys has a finding about one that its store does not need.
  private static func unusedKey(
    _ keys: KeyRing, _ named: FilePath, _ found: FoundFiles
  ) -> String? {
    guard keys.isOfOneStore, let name = found.formatName, let format = Kvfsck.formats[name],
      !format.takesKeys
    else { return nil }
    return "\(named.text): the key is not used, because the format \(name) takes none"
  }

  /// Returns whether there are folders in the folder at `place`, which may hold stores.
  private static func hasFolders(in place: NamedPlace) -> Bool {
    guard place.source.isFolder(place.path) else { return false }
    return (try? place.source.names(in: place.path))?.contains {
      let path = place.path.appending($0)
      return place.source.isFolder(path) && !Folder.isLink(path)
    } ?? false
  }

  /// Returns where `named` leads to: standard input, a place in an archive, or a path on disk.
  private func place(of named: FilePath) throws(DiscoveryError) -> NamedPlace {
    guard named == StreamSource.path else {
      return try NamedPlace(named: named, on: disk, isFormatNamed: options.format != nil)
    }
    do throws(FileError) {
      return NamedPlace(try stream(), named)
    } catch {
      throw .file(error)
    }
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
    _ place: NamedPlace, _ settings: FormatOptions, isReplaced: Bool
  ) throws(DiscoveryError) -> FoundFiles {
    let (source, named) = (place.source, place.path)
    if isReplaced, MemberPath.isMember(named) {
      throw .irreplaceable(named, reason: "it is in an archive, and archives are read-only")
    }
    let formats = Formats(options.formats(settings))
    if !options.id.isEmpty, source.isFolder(named),
      let best = try formats.identified(options.id, below: named, in: source)
    {
      return .store(best, others: [])
    }
    let readers = { [options] in Readers(options.readers(settings)) }
    let isNamed = options.format != nil
    if options.table != nil || options.format.map({ !$0.hasLog }) ?? false {
      if !isNamed, let other = otherThanDatabase(at: named, formats, settings, source) {
        return other
      }
      return try Recognizer.table(at: named, readers(), in: source)
    }
    let recognizer = Recognizer(formats, isNamed ? Readers([]) : readers())
    var path: FilePath?
    if source.isFolder(named) {
      let survey = try FolderSurvey(of: named, recognizer, in: source)
      hasUnsearchedFiles = !survey.archives.isEmpty || !survey.obstacles.isEmpty
      path = try member(of: survey, in: named, isNamed ? nil : formats, source)
    }
    return try find(
      path ?? StoreNames.followed(named), recognizer, isReplaced: isReplaced, in: source)
  }

  /// Returns what the file at `named` is, if a table was named but the file is not a database;
  /// `nil` if it is a database or unknown.
  private mutating func otherThanDatabase(
    at named: FilePath, _ formats: Formats, _ settings: FormatOptions, _ source: any FileSource
  ) -> FoundFiles? {
    guard !source.isFolder(named),
      let head = try? source.head(of: named, count: ForeignFile.headCount),
      !ForeignFile.isDatabase(head)
    else { return nil }
    let recognizer = Recognizer(formats, Readers(Kvfsck.formats.readers(settings)))
    guard
      let found = try? recognizer.files(
        at: named, .found(isNamedAsStore: false), in: source),
      !found.isUnknown
    else { return nil }
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
      // What cannot be read, such as the link to an app's libraries, does not hide the stores in
      // subfolders.
      guard !several.isEmpty || hasFolders else {
        throw obstacle
      }
      notes.append(obstacle.message)
    }
    if survey.unjudgedCount > 0 {
      notes.append(
        "\(survey.unjudgedCount.counted("file", "files")) in \(folder.text) were not examined")
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

  /// Returns what the files at `path` are, and notes how they are read.
  private mutating func find(
    _ path: FilePath, _ recognizer: Recognizer, isReplaced: Bool, in source: any FileSource
  ) throws(DiscoveryError) -> FoundFiles {
    let isNamed = options.format != nil
    let found = try recognizer.files(at: path, isNamed ? .namedWithFormat : .named, in: source)
    if case .store(let best, let others) = found, !best.files.areUndone {
      if !isNamed, isReplaced, let doubt = Formats.doubt(best, others) {
        throw .uncertain(path, reason: doubt)
      }
      noteRecognition(of: path, best, others, isNamed: isNamed)
    }
    return found
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
