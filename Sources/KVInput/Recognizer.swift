import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The choice among all formats for the files at a path.
package struct Recognizer {
  /// Why the files are looked at, which decides how much evidence a format needs.
  package enum Occasion {
    /// A walk has found the file, and nobody has said that it is a store.
    ///
    /// A file that is not named like a store's needs evidence in its bytes to be recognized as part
    /// of one with a log.
    case found(isNamedAsStore: Bool)
    /// The user has named the path.
    case named
    /// The user has named the path, and the formats are the one that was named with it.
    case namedWithFormat
  }

  /// The likeliest store, or why there is none.
  private typealias Stores = Result<
    (best: Formats.Candidate, others: [Formats.Possibility]), DiscoveryError
  >
  /// The likeliest format without a log, or what prevents the choice.
  private typealias Tables = Result<
    (reader: any EntryReader, files: [StoreFile], likelihood: Int)?, DiscoveryError
  >

  private let formats: Formats
  /// The formats without a log, which most stores do not need.
  private let readers: () -> Readers

  /// Creates a recognizer of `formats`, which have a log, and of the formats of `readers`.
  package init(_ formats: Formats, _ readers: @autoclosure @escaping () -> Readers) {
    self.formats = formats
    self.readers = readers
  }

  /// Returns what the files at `path` in `source` are.
  ///
  /// If a copy has changed them, and that can be undone and proved, the result is about the files
  /// as they were.
  ///
  /// - Throws: If they cannot be examined, or are not what the user can have meant.
  package func files(
    at path: FilePath, _ occasion: Occasion, in source: any FileSource
  ) throws(DiscoveryError) -> FoundFiles {
    let asFound = Result { () throws(DiscoveryError) in
      try filesAsFound(at: path, occasion, in: source)
    }
    guard let files = Self.copied(asFound, at: path, occasion, in: source) else {
      return try asFound.get()
    }
    var search = CopySearch(at: path, mayBeStore(asFound, occasion) ? formats : nil, readers)
    let undone = search.found(files, in: source) { (try? asFound.get())?.isSound() ?? false }
    if let undone { return undone }
    return try asFound.get()
  }

  /// Returns what the files at `path` are in the format that the user has named, the only one of
  /// `readers`.
  ///
  /// - Throws: If the format finds none.
  package static func table(
    at path: FilePath, _ readers: Readers, in source: any FileSource
  ) throws(DiscoveryError) -> FoundFiles {
    let (reader, files) = try readers.first(at: path, in: source)
    var search = CopySearch(at: path, nil, { readers }, isNamed: true)
    return search.found(files.read, in: source) { CopySearch.isSound(reader, files) }
      ?? .table(reader, files)
  }

  // MARK: Copies

  /// Returns the files in which a copy may have changed bytes; `nil` if it is not worth a search.
  private static func copied(
    _ asFound: Result<FoundFiles, DiscoveryError>, at path: FilePath, _ occasion: Occasion,
    in source: any FileSource
  ) -> [StoreFile]? {
    switch (asFound, occasion) {
    case (.success(.store(let best, _)), _) where best.found.isKnownSound: return nil
    case (.success(.unknown), .found(let isNamedAsStore)):
      guard isNamedAsStore || isNamedAsTable(path) else { return nil }
    case (.success(let found), _): return found.files.read
    case (.failure, .found): return nil
    case (.failure(let error), _): if error.isObstacle { return nil }
    }
    return (try? source.file(at: path)).map { [$0] }
  }

  /// Returns whether a file may have been a store with a log before it was copied.
  ///
  /// One that a walk has found, and that is only named like one of another format, is none.
  private func mayBeStore(
    _ asFound: Result<FoundFiles, DiscoveryError>, _ occasion: Occasion
  ) -> Bool {
    guard case .found(isNamedAsStore: false) = occasion else { return true }
    return if case .success(.store) = asFound { true } else { false }
  }

  /// Returns whether `path` is named like a file of a format without a log.
  private static func isNamedAsTable(_ path: FilePath) -> Bool {
    [".plist", ".preferences_pb", ".xml"].contains { path.removing(suffix: $0) != nil }
  }

  // MARK: The bytes that were found

  private func filesAsFound(
    at path: FilePath, _ occasion: Occasion, in source: any FileSource
  ) throws(DiscoveryError) -> FoundFiles {
    if case .found = occasion, isAttributes(path, in: source) { return .unknown(nil, at: path) }
    let stores = Stores { () throws(DiscoveryError) in try formats.candidates(at: path, in: source)
    }
    // Most stores are intact, so no time is spent on other formats for them.
    if case .success((let best, _)) = stores, best.isVerified, best.hasOwnFile {
      return .store(best, others: [])
    }
    let tables = Tables { () throws(DiscoveryError) in
      try readers().likeliest(at: path, in: source)
    }
    return switch occasion {
    case .found(let isNamedAsStore):
      try Self.found(stores, tables, at: path, isNamedAsStore: isNamedAsStore)
    case .named: try Self.named(stores, tables, at: path, isFormatNamed: false)
    case .namedWithFormat: try Self.named(stores, tables, at: path, isFormatNamed: true)
    }
  }

  /// Chooses for a file that a walk has found.
  private static func found(
    _ stores: Stores, _ tables: Tables, at path: FilePath, isNamedAsStore: Bool
  ) throws(DiscoveryError) -> FoundFiles {
    let table = (try? tables.get()) ?? nil
    var obstacle: DiscoveryError?
    if case .failure(let error) = tables { obstacle = error }
    switch stores {
    case .success((let best, let others)):
      // An unreadable file of another format does not hide a store that is recognized by its bytes.
      if best.hasOwnFile, !best.isGuess || isNamedAsStore && !best.isNone && obstacle == nil,
        table.map({ $0.likelihood <= best.likelihood }) ?? true
      {
        return .store(best, others: others)
      }
    case .failure(let error): obstacle = obstacle ?? error
    }
    if let obstacle, isNamedAsStore || obstacle.isObstacle, table == nil { throw obstacle }
    guard let table, ownOutput(table.files) == nil else { return .unknown(nil, at: path) }
    return .table(table.reader, table.files)
  }

  /// Chooses for a path that the user has named.
  private static func named(
    _ stores: Stores, _ tables: Tables, at path: FilePath, isFormatNamed: Bool
  ) throws(DiscoveryError) -> FoundFiles {
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
    if !isFormatNamed, best.likelihood < Formats.certain,
      let own = ownOutput(table?.files ?? best.files)
    {
      throw .ownOutput(own.path, kind: own.kind)
    }
    if let table, table.likelihood > best.likelihood { return .table(table.reader, table.files) }
    return !isFormatNamed && best.isNone
      ? .unknown(best, at: path) : .store(best, others: others)
  }

  /// Returns the first of `files` if kvfsck itself has written it, and what it is.
  private static func ownOutput(_ files: [StoreFile]) -> (path: FilePath, kind: String)? {
    guard let main = files.first,
      let kind = ForeignFile.ownOutput(main.image, named: main.path.lastComponent?.string ?? "")
    else { return nil }
    return (main.path, kind)
  }

  /// Returns whether the file is an AppleDouble file, which contains the attributes of another file
  /// and may be named like a store.
  private func isAttributes(_ path: FilePath, in source: any FileSource) -> Bool {
    guard let name = path.lastComponent?.string, name.hasPrefix("._") else { return false }
    let head = try? source.head(of: path, count: ForeignFile.headCount)
    return head.map { ForeignFile.isAttributes($0, named: name) } ?? false
  }
}
