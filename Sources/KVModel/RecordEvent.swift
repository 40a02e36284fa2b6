/// What a scan comes upon.
///
/// The extents of the events of a scan, in order, cover the scanned extent exactly and do not overlap.
public enum RecordEvent: Hashable, Sendable {
  /// A record.
  case record(Record)
  /// Bytes that the format itself passes over.
  case filler(Extent)
  /// Bytes in which no record could be read.
  case gap(Gap)

  /// The bytes that the event covers.
  public var extent: Extent {
    switch self {
    case .record(let record): record.extent
    case .filler(let extent): extent
    case .gap(let gap): gap.extent
    }
  }
}
