package import KVModel
import KVSystem
package import SystemPackage

/// The formats with a log that a store may have, and which of them the files at a path are.
package struct Formats {
  /// A format that files may have.
  package struct Possibility {
    package let name: String
    package let recognition: Recognition

    /// What speaks for it, for people.
    package var reasons: String { recognition.reasons.joined(separator: ", ") }
  }

  /// What a format makes of a path.
  package struct Candidate {
    /// The files, as a store of the format.
    package let found: any FoundStore
    package let possibility: Possibility

    package var files: [StoreFile] { found.files }

    /// Whether nothing but names speaks for it, or not even those.
    package var isGuess: Bool { possibility.recognition.likelihood < Formats.recognized }
    /// Whether neither names nor bytes speak for it.
    package var isNone: Bool { possibility.recognition.likelihood < Formats.named }
    /// Whether a checksum and the records speak for it.
    var isVerified: Bool { possibility.recognition.likelihood >= Formats.verified }
    /// Whether a file of it was read, and not only a link that leads out of its folder: named by itself,
    /// that would be followed.
    var hasOwnFile: Bool { files.read.contains { $0.role != .external } }

    /// Returns the error about a file at `path` that is read as no format.
    package func notRecognized(at path: FilePath) -> DiscoveryError {
      let image = files.first?.image
      return .notRecognized(
        path, seems: image.flatMap { ForeignFile.name(of: $0) },
        isDatabase: image.map { ForeignFile.isDatabase($0) } ?? false)
    }
  }

  /// The likelihood of files for which nothing but their names speaks, or a key that was given.
  static let named = 5

  /// From which likelihood on the likeliest format goes without saying.
  static let recognized = 10
  /// From which likelihood on a format is certain, unless a second one is plausible.
  ///
  /// A checksum holds then, or names and records agree. Only then is a store written to without being told its format.
  package static let certain = 60
  /// From which likelihood on no other format is as likely: a checksum holds, and the records decode.
  static let verified = 95
  /// From which likelihood on a second format is worth a word.
  private static let plausible = 50

  private let formats: [any StoreFormat]

  /// A choice among `formats`, of which there is at least one.
  package init(_ formats: [any StoreFormat]) { self.formats = formats }

  /// The likeliest format of the store at `path` of `source`, and others that it may have.
  ///
  /// A verified format ends the search: a checksum over the records does not match by chance, and to ask
  /// the other formats would read the whole file again.
  ///
  /// Of a file, only formats count by which it is one of the store's files: the store of another format
  /// beside it may have its name.
  ///
  /// - Throws: The first format's reason when none finds a store there; why a store cannot be read if
  ///   one is there that cannot, unless it is certain that the files are of another format.
  package func candidates(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> (best: Candidate, others: [Possibility]) {
    var best: Candidate?
    var possibilities: [Possibility] = []
    var failure: DiscoveryError?
    let isFile = source.isTaken(path) && !source.isFolder(path)
    for format in formats {
      do throws(DiscoveryError) {
        let candidate = try candidate(format, at: path, in: source)
        if isFile, !candidate.files.contains(where: { $0.path == path }) { continue }
        if candidate.isVerified { return (candidate, []) }
        possibilities.append(candidate.possibility)
        let likelihood = best?.possibility.recognition.likelihood ?? -1
        if candidate.possibility.recognition.likelihood > likelihood { best = candidate }
      } catch {
        // That a store is there and cannot be read counts for more than that none is there.
        if failure == nil || error.isObstacle { failure = error }
      }
    }
    guard let best else { throw failure ?? .noStore(in: path, format: "known") }
    if let failure, failure.isObstacle,
      best.possibility.recognition.likelihood < Formats.certain
    {
      throw failure
    }
    let others = possibilities.filter {
      $0.name != best.possibility.name && $0.recognition.likelihood >= Formats.plausible
    }
    return (best, others)
  }

  /// Why it is not certain that `best` is what the files are; `nil` where it is.
  package static func doubt(_ best: Candidate, _ others: [Possibility]) -> String? {
    let possibility = best.possibility
    if let other = others.first {
      return
        "it may be a store of \(possibility.name) (\(possibility.reasons)) or of \(other.name) "
        + "(\(other.reasons))"
    }
    guard possibility.recognition.likelihood < certain else { return nil }
    return "it is not certain that it is a store of \(possibility.name) (\(possibility.reasons))"
  }

  private func candidate<F: StoreFormat>(
    _ format: F, at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> Candidate {
    let files = try format.discover(at: path, in: source)
    let recognized = format.recognize(files)
    return Candidate(
      found: RecognizedFiles(format, files, recognized.store),
      possibility: Possibility(name: F.name, recognition: recognized.recognition))
  }
}

/// Files, the format that they were found to be of, and the store that they are.
package protocol FoundStore: Sendable {
  /// What the format is.
  associatedtype Format: StoreFormat
  /// The format.
  var format: Format { get }
  /// The files of the store, or what is left of them.
  var files: [StoreFile] { get }
  /// Returns the store as found: no byte is changed.
  func open() -> Format.StoreType
}

/// Files that a format has looked at.
package struct RecognizedFiles<Format: StoreFormat>: FoundStore {
  package let format: Format
  package let files: [StoreFile]
  private let store: Format.StoreType?

  /// The files `files` of a store of `format`, of which `store` is what was opened already.
  package init(_ format: Format, _ files: [StoreFile], _ store: Format.StoreType? = nil) {
    self.format = format
    self.files = files
    self.store = store
  }

  /// The store as found, opened unless it is.
  package func open() -> Format.StoreType { store ?? format.open(files) }
}
