import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// Recognizes files that were found, not named by the user, without guessing their formats.
package struct Recognizer {
  /// The result of recognizing a file.
  package enum Answer {
    /// The file belongs to a store with a log.
    case store(Formats.Candidate)
    /// The file has a format without a log.
    case table(any EntryReader, [StoreFile])
    /// The file cannot be examined because of an error.
    case obstacle(DiscoveryError)
    /// The file has no known format.
    case unknown
  }

  private let formats: Formats
  /// The formats without a log, which most stores do not need.
  private let readers: () -> Readers

  /// Creates a recognizer of `formats`, which have a log, and of the formats of `readers`.
  package init(_ formats: Formats, _ readers: @autoclosure @escaping () -> Readers) {
    self.formats = formats
    self.readers = readers
  }

  /// Recognizes the file at `path` in `source`.
  ///
  /// `isNamedAsStore` is whether the file is named like a store's. A file that is not needs
  /// evidence in its bytes to be recognized as part of a store with a log.
  ///
  /// If a copy has changed the file, and that can be undone and proved, the answer is about the
  /// file as it was.
  package func answer(
    at path: FilePath, isNamedAsStore: Bool, in source: any FileSource
  ) -> Answer {
    let answer = answerAsFound(at: path, isNamedAsStore: isNamedAsStore, in: source)
    let files: [StoreFile]
    switch answer {
    case .store(let best):
      if best.found.isKnownSound { return answer }
      files = best.files.read
    case .table(_, let tableFiles): files = tableFiles.read
    case .unknown where isNamedAsStore || Self.isNamedAsTable(path):
      guard let file = try? source.file(at: path) else { return answer }
      files = [file]
    case .obstacle, .unknown: return answer
    }
    // A file that is only named like one of a format without a log is no store of another.
    let isOfLog = if case .store = answer { true } else { isNamedAsStore }
    var search = CopySearch(at: path, isOfLog ? formats : nil, readers)
    let undone = search.found(files, in: source) {
      switch answer {
      case .store(let best): best.found.isProvedByChecksum()
      case .table(let reader, let files): CopySearch.isSound(reader, files)
      case .obstacle, .unknown: false
      }
    }
    return switch undone {
    case .store(let best): .store(best)
    case .table(let reader, let files): .table(reader, files)
    case nil: answer
    }
  }

  /// Returns whether `path` is named like a file of a format without a log.
  private static func isNamedAsTable(_ path: FilePath) -> Bool {
    [".plist", ".preferences_pb", ".xml"].contains { path.removing(suffix: $0) != nil }
  }

  private func answerAsFound(
    at path: FilePath, isNamedAsStore: Bool, in source: any FileSource
  ) -> Answer {
    if isAttributes(path, in: source) { return .unknown }
    let store = Result { () throws(DiscoveryError) in
      try formats.candidates(at: path, in: source).best
    }
    // Most stores on a device are intact, so no time is spent on other formats for them.
    if case .success(let best) = store, best.isVerified, best.hasOwnFile { return .store(best) }
    var table: (reader: any EntryReader, files: [StoreFile], likelihood: Int)?
    var obstacle: DiscoveryError?
    do throws(DiscoveryError) {
      table = try readers().likeliest(at: path, in: source)
    } catch {
      obstacle = error
    }
    do throws(DiscoveryError) {
      let best = try store.get()
      let likelihood = best.possibility.recognition.likelihood
      // An unreadable file of another format does not hide a store that is recognized by its bytes.
      if best.hasOwnFile, !best.isGuess || isNamedAsStore && !best.isNone && obstacle == nil,
        table.map({ $0.likelihood <= likelihood }) ?? true
      {
        return .store(best)
      }
    } catch {
      obstacle = obstacle ?? error
    }
    if let obstacle, isNamedAsStore || obstacle.isObstacle, table == nil {
      return .obstacle(obstacle)
    }
    guard let table, let main = table.files.first,
      ForeignFile.ownOutput(main.image, named: main.path.lastComponent?.string ?? "") == nil
    else { return .unknown }
    return .table(table.reader, table.files)
  }

  /// Returns whether the file is an AppleDouble file, which contains the attributes of another file
  /// and may be named like a store.
  private func isAttributes(_ path: FilePath, in source: any FileSource) -> Bool {
    guard let name = path.lastComponent?.string, name.hasPrefix("._") else { return false }
    let head = try? source.head(of: path, count: ForeignFile.headCount)
    return head.map { ForeignFile.isAttributes($0, named: name) } ?? false
  }
}
