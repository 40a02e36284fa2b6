import KVBytes
import KVModel

/// The records that are not live, for people.
enum PastText {
  /// Returns the numbers with what became of the records: `3 superseded, 2 removed`.
  static func text(_ past: PastRecords) -> String {
    let counts = [
      (past.superseded, "superseded"), (past.removed, "removed"),
      (past.residual ?? 0, "residual, outside the log"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }.joined(separator: ", ")
  }
}
