package import KVModel
import KVSystem
package import SystemPackage

/// The formats with a log, and the choice among them for the files at a path.
package struct Formats: Sendable {
  /// A format that files may have, and how likely that is.
  package struct Possibility {
    package let name: String
    package let recognition: Recognition

    /// The evidence for the format, for people.
    package var reasons: String { recognition.reasons.joined(separator: ", ") }
  }

  /// The files that a format found at a path.
  package struct Candidate {
    /// The files as a store of the format.
    package let found: any FoundStore
    package let possibility: Possibility

    package var files: [StoreFile] { found.files }

    /// How likely it is that the files have the format.
    var likelihood: Int { possibility.recognition.likelihood }
    /// Whether the evidence for the format is at most the names of the files, or a key that the
    /// user gave.
    package var isGuess: Bool { likelihood < Formats.recognized }
    /// Whether there is no evidence for the format, not even the names of the files.
    var isNone: Bool { likelihood < Formats.named }
    /// Whether a matching checksum and the records are evidence for the format.
    var isVerified: Bool { likelihood >= Formats.verified }
    /// Whether a file of the store itself was read, and not only a link that leads out of its
    /// folder, which is followed only if the user names it.
    var hasOwnFile: Bool { files.read.contains { $0.role != .external } }
  }

  /// The likelihood if the only evidence is the names of the files, or a key that the user gave.
  static let named = 5

  /// The likelihood from which a format is used without telling the user that it is a guess.
  static let recognized = 10
  /// The likelihood from which a format is certain, unless a second one is plausible.
  ///
  /// It requires that a checksum matches, or that the names and the records agree. If the user does
  /// not specify the format, a store is written to only if its format is certain.
  static let certain = 60
  /// The likelihood from which no other format is considered: a checksum matches and the records
  /// decode.
  static let verified = 95
  /// The likelihood from which a second format is mentioned.
  private static let plausible = 50

  private let formats: [any StoreFormat]

  /// Creates a choice among `formats`, which must not be empty.
  package init(_ formats: [any StoreFormat]) { self.formats = formats }

  /// Returns the likeliest format of the store at `path` in `source`, and other plausible ones.
  ///
  /// A verified format ends the search, because a checksum over the records does not match by
  /// chance, and trying the other formats would read the whole file again.
  ///
  /// If `path` is a file, only formats whose store includes that file are considered, because a
  /// store of another format beside it may have the same name.
  ///
  /// - Throws: The first format's error if no format finds a store; the error of a store that
  ///   cannot be read, unless the files are certain to be of another format.
  package func candidates(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> (best: Candidate, others: [Possibility]) {
    var best: Candidate?
    var possibilities: [Possibility] = []
    var failure: DiscoveryError?
    let isFile = source.isTaken(path) && !source.isFolder(path)
    for format in formats {
      do throws(DiscoveryError) {
        let candidate = candidate(format, try format.discover(at: path, in: source))
        if isFile, !candidate.files.contains(where: { $0.path == path }) { continue }
        if candidate.isVerified { return (candidate, []) }
        possibilities.append(candidate.possibility)
        if candidate.likelihood > best?.likelihood ?? -1 { best = candidate }
      } catch {
        // A store that exists but cannot be read matters more than one that does not exist.
        if failure == nil || error.isObstacle { failure = error }
      }
    }
    guard let best else {
      // No format was named, so the message names none.
      if formats.count > 1, case .noStore(let folder, _) = failure {
        throw .noStore(in: folder, format: nil)
      }
      throw failure ?? .noStore(in: path, format: nil)
    }
    if let failure, failure.isObstacle, best.likelihood < Formats.certain { throw failure }
    let others = possibilities.filter {
      $0.name != best.possibility.name && $0.recognition.likelihood >= Formats.plausible
    }
    return (best, others)
  }

  /// Returns what a list of stores shows of the store with the data file `path`, and the name of its
  /// format, if nothing about it needs a diagnosis; `nil` if that is not certain.
  ///
  /// Only the format that is tried first is asked, so that no other one is likelier.
  package func intact(
    at path: FilePath, in source: any FileSource
  ) -> (formatName: String, store: IntactStore)? {
    guard let format = formats.first, let store = format.intact(at: path, in: source) else {
      return nil
    }
    return (type(of: format).name, store)
  }

  /// Returns the store with one of `ids` below the folder `root` in `source`, of the first format
  /// whose stores have ids; `nil` if there is no such format.
  ///
  /// - Throws: The errors of ``IdentifiedStoreFormat/discover(ids:below:in:)``.
  package func identified(
    _ ids: [String], below root: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> Candidate? {
    guard let format = formats.lazy.compactMap({ $0 as? any IdentifiedStoreFormat }).first else {
      return nil
    }
    return candidate(format, try format.discover(ids: ids, below: root, in: source))
  }

  /// Returns why it is not certain that the files have the format of `best`; `nil` if it is
  /// certain.
  package static func doubt(_ best: Candidate, _ others: [Possibility]) -> String? {
    let possibility = best.possibility
    if let other = others.first {
      return
        "it may be a store of \(possibility.name) (\(possibility.reasons)) or of \(other.name) "
        + "(\(other.reasons))"
    }
    guard best.likelihood < certain else { return nil }
    return "it may not be a store of \(possibility.name) (\(possibility.reasons))"
  }

  private func candidate<F: StoreFormat>(_ format: F, _ files: [StoreFile]) -> Candidate {
    let recognized = format.recognize(files)
    return Candidate(
      found: RecognizedFiles(format, files, recognized.store),
      possibility: Possibility(name: F.name, recognition: recognized.recognition))
  }
}

/// Files, the format that they were recognized as, and the store that they form.
package protocol FoundStore: Sendable {
  /// The type of the format.
  associatedtype Format: StoreFormat
  /// The format.
  var format: Format { get }
  /// The files of the store that exist.
  var files: [StoreFile] { get }
  /// The store, if it was opened to recognize it.
  var opened: Format.StoreType? { get }
  /// Opens the store without changing any byte.
  func open() -> Format.StoreType
}

extension FoundStore {
  /// Returns whether stored checksums match over all of a log that is not empty; if
  /// `isOne`, a single one.
  func isProvedByChecksum(overAll isOne: Bool = false) -> Bool {
    open().isProvedByChecksum(overAll: isOne)
  }

  /// Whether ``isProvedByChecksum(overAll:)`` is known to be `true` because the store is open.
  var isKnownSound: Bool { opened?.isProvedByChecksum() ?? false }
}

/// The files that a format has recognized.
package struct RecognizedFiles<Format: StoreFormat>: FoundStore {
  package let format: Format
  package let files: [StoreFile]
  package let opened: Format.StoreType?

  /// Creates a store of `format` from `files`; `store` is the opened store, if it was opened
  /// already.
  package init(_ format: Format, _ files: [StoreFile], _ store: Format.StoreType? = nil) {
    self.format = format
    self.files = files
    opened = store
  }

  /// Returns the store, opening it if necessary.
  package func open() -> Format.StoreType { opened ?? format.open(files) }
}
