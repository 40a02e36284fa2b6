package import KVModel

/// What the bytes of a region are to the store, for an overview.
package enum ByteOwner: String, CaseIterable {
  /// A record with the value that its key has.
  case live
  /// A record whose key was set again later.
  case superseded
  /// A record whose key was removed later, or a removal.
  case removed
  /// Bytes of the log in which no record could be read.
  case gap
  /// Bytes of the log that were not taken apart.
  case log
  /// Bytes after the log, which may hold older contents.
  case slack
  /// Fields, and what else the format needs.
  case structure

  /// The owner of the bytes of `region`.
  package init(_ region: Region) {
    switch region.kind {
    case .gap: self = .gap
    case .slack: self = .slack
    case .log: self = .log
    case .part:
      let state = region.name.split(separator: " ").first.map(String.init) ?? ""
      self = ByteOwner(rawValue: state) ?? .structure
    case .field, .vector, .prefix, .unused, .file: self = .structure
    }
  }
}
