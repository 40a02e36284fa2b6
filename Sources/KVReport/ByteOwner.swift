import KVModel
import KVRecovery

/// What the bytes of a region are to the store, for a picture of its files; HTML pages use the raw
/// values.
enum ByteOwner: Int, CaseIterable {
  /// Fields and other parts that the format needs.
  case structure
  /// A record with the current value of its key.
  case live
  /// A record whose key was set again later.
  case superseded
  /// A record whose key was removed later, or a removal.
  case removed
  /// Bytes of the log in which no record could be read.
  case gap
  /// Bytes after the log, which may hold older contents.
  case slack
  /// Bytes of a log that was not split into records.
  case log

  /// Creates the owner of the bytes of `region`.
  init(_ region: Region) {
    switch region.kind {
    case .field, .vector, .prefix, .unused, .file: self = .structure
    case .log: self = .log
    case .slack: self = .slack
    case .gap: self = .gap
    case .part:
      // As ``ByteMap`` names them: "live put", "slack remove"; any other part is filler.
      let word = region.name.utf8.prefix { $0 != UInt8(ascii: " ") }
      self =
        switch HistoryEvent.RecordState(rawValue: String(Substring(word))) {
        case .live: .live
        case .superseded: .superseded
        case .removed: .removed
        case .slack: .slack
        case nil: .structure
        }
    }
  }

  /// The name of the owner.
  var name: String { "\(self)" }
}
