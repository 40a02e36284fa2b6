package import KVModel
package import SystemPackage

/// What the files at a path are.
package enum FoundFiles {
  /// A store with a log, and the other formats that its files may have.
  case store(Formats.Candidate, others: [Formats.Possibility])
  /// Files of a format without a log.
  case table(any EntryReader, [StoreFile])
  /// Files of no known format, and what they would be read as if necessary.
  case unknown(Formats.Candidate?, at: FilePath)

  /// Whether the files have no known format.
  package var isUnknown: Bool { if case .unknown = self { true } else { false } }

  /// The name of their format; `nil` if it is not known.
  package var formatName: String? {
    switch self {
    case .store(let best, _): type(of: best.found.format).name
    case .table(let reader, _): type(of: reader).name
    case .unknown: nil
    }
  }

  /// The files; none if nothing would read them.
  package var files: [StoreFile] {
    switch self {
    case .store(let best, _): best.files
    case .table(_, let files): files
    case .unknown(let best, _): best?.files ?? []
    }
  }

  /// Returns the error for files at `path` that no format recognizes.
  package func notRecognized(at path: FilePath) -> DiscoveryError {
    let image = files.first?.image
    return .notRecognized(
      path, seems: image.flatMap { ForeignFile.name(of: $0, at: FileLocation(path)) },
      isDatabase: image.map { ForeignFile.isDatabase($0) } ?? false)
  }

  /// Returns whether a stored checksum matches or, in a format without checksums, all of the files
  /// can be read.
  func isSound() -> Bool {
    switch self {
    case .store(let best, _): best.found.isProvedByChecksum()
    case .table(let reader, let files): CopySearch.isSound(reader, files)
    case .unknown: false
    }
  }
}
