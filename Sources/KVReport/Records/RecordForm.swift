import KVConversion
import KVModel

/// How the lines of a report state the records of a store.
protocol RecordForm: Sendable {
  /// The store of the records.
  var store: any Store { get }
  /// Whether lines leave out what is the same for every sound entry.
  var isShort: Bool { get }

  /// Returns the lines about `records`, each with a line feed; `weighed` are the values weighed for
  /// the lines before.
  ///
  /// If `emit` is given, the beginning may be passed to it in pieces, and only the rest is returned.
  func lines(
    about records: [RecordItems], _ weighed: inout WeighedValues,
    to emit: (([UInt8]) -> Void)?
  ) -> [UInt8]
}
