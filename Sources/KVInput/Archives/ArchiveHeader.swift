/// What an archive states about a member before its bytes.
struct ArchiveHeader {
  /// What sort of thing a member is.
  enum Kind: Equatable {
    case file
    /// The file that an earlier member has, of which this is another name.
    case link(to: [UInt8])
    case folder
    /// A symbolic link, a device, a pipe: nothing with bytes of its own.
    case other
  }

  /// Its name, as it stands in the archive.
  let name: [UInt8]
  let kind: Kind
  /// How many bytes it has; `nil` where only its end tells.
  let count: Int?
  let isEncrypted: Bool
}

/// What the next header of an archive is.
enum ArchiveStep {
  case member(ArchiveHeader)
  /// No header; there may be one further on.
  case damaged(String)
  /// No header, and nothing more can be read.
  case failed(String)
  case end
}

/// What the next bytes of a member are.
enum ArchivePiece {
  /// Bytes, and where they belong; zeros that the archive does not store may be before them.
  case bytes([UInt8], at: Int, warning: String?)
  /// They cannot be read, and where it `isFinal`, no later member either.
  case failed(String, isFinal: Bool)
  /// The member ends there.
  case end(at: Int)
}

/// Why an archive cannot be read.
struct ArchiveFailure: Error {
  let reason: String
}
