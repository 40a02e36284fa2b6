import KVBytes
package import KVModel
package import SystemPackage

/// Tells what a file is that was found, and not named: nothing is read for want of something better.
package struct Recognizer {
  /// What a file is.
  package enum Answer {
    /// A file of a store with a log.
    case store(Formats.Candidate)
    /// A file of a format without a log.
    case table(any EntryReader, [StoreFile])
    /// By its name the file is of a store, and it cannot be read.
    case obstacle(DiscoveryError)
    /// A file of no format that is known.
    case unknown
  }

  private let formats: Formats
  private let readers: Readers

  /// A recognizer of `formats`, with a log, and of those that `readers` read.
  package init(_ formats: Formats, _ readers: Readers) {
    self.formats = formats
    self.readers = readers
  }

  /// Returns what the file at `path` of `source` is; `isNamedAsStore` where its name is that of a
  /// store's file.
  ///
  /// A store with a log is one for which more speaks than its name, or a name and some of the bytes.
  package func answer(
    at path: FilePath, isNamedAsStore: Bool, in source: any FileSource
  ) -> Answer {
    if isAttributes(path, in: source) { return .unknown }
    let store = Result { () throws(DiscoveryError) in
      try formats.candidates(at: path, in: source).best
    }
    // Most stores of a device are sound: no time goes into what else they may be.
    if case .success(let best) = store, best.isVerified, best.hasOwnFile { return .store(best) }
    var table: (reader: any EntryReader, files: [StoreFile], likelihood: Int)?
    do throws(DiscoveryError) {
      table = try readers.likeliest(at: path, in: source)
      let best = try store.get()
      let likelihood = best.possibility.recognition.likelihood
      if best.hasOwnFile, !best.isGuess || isNamedAsStore && !best.isNone,
        table.map({ $0.likelihood <= likelihood }) ?? true
      {
        return .store(best)
      }
    } catch {
      if isNamedAsStore || error.isObstacle, table == nil { return .obstacle(error) }
    }
    guard let table, let main = table.files.first,
      ForeignFile.ownOutput(main.image, named: main.path.lastComponent?.string ?? "") == nil
    else { return .unknown }
    return .table(table.reader, table.files)
  }

  /// Whether the file has the attributes of another, by the name of which it may be one of a store.
  private func isAttributes(_ path: FilePath, in source: any FileSource) -> Bool {
    guard let name = path.lastComponent?.string, name.hasPrefix("._") else { return false }
    let head = try? source.head(of: path, count: ForeignFile.headCount)
    return head.map { ForeignFile.isAttributes($0, named: name) } ?? false
  }
}
