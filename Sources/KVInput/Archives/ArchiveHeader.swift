/// The information that an archive stores about a member before the member's bytes.
struct ArchiveHeader {
  /// The type of a member.
  enum Kind: Equatable {
    case file
    /// Another name of an earlier member's file.
    case link(to: [UInt8])
    case folder
    case symbolicLink(to: [UInt8])
    /// A device, a pipe or a socket, as people call it.
    case special(String)
  }

  /// The name as stored in the archive.
  let name: [UInt8]
  let kind: Kind
  /// The number of bytes; `nil` if only the end of the member shows it.
  let count: Int?
  let isEncrypted: Bool
  /// Other names that the archive's directory has for the same bytes.
  var aliases: [[UInt8]] = []
  /// The name before the bytes, if it is none of those that the archive's directory has.
  var contradiction: [UInt8]?

  /// Returns the same header with the names in the archive's directory, of which there is at least
  /// one, and the name that contradicts them.
  func named(_ names: [[UInt8]], against contradiction: [UInt8]? = nil) -> ArchiveHeader {
    ArchiveHeader(
      name: names.first ?? name, kind: kind, count: count, isEncrypted: isEncrypted,
      aliases: Array(names.dropFirst()), contradiction: contradiction)
  }
}

/// The result of reading the next header.
enum ArchiveStep {
  case member(ArchiveHeader)
  /// The header is damaged; there may be another one further on.
  case damaged(String)
  /// No further header can be read.
  case failed(String)
  case end
}

/// The result of reading the next bytes of a member.
enum ArchivePiece {
  /// Bytes and their offset in the member.
  ///
  /// Any bytes before them that were not returned are zeros, which the archive does not store.
  case bytes([UInt8], at: Int, warning: String?)
  /// The bytes cannot be read; if `isFinal` is `true`, no later member can be read either.
  case failed(String, isFinal: Bool)
  /// The end of the member.
  case end(at: Int)
}

/// The reason why an archive cannot be read.
struct ArchiveFailure: Error {
  let reason: String
}
