import KVBytes
import KVModel

/// Rows with a common property, which are reported once.
struct RowTally {
  private var count = 0
  private var first = 0

  /// Counts the row with this ordinal, which starts at 0.
  mutating func add(_ ordinal: Int) {
    if count == 0 { first = ordinal }
    count += 1
  }

  /// Reports the rows, if there are any.
  ///
  /// In the message, `predicate` follows the number of rows.
  func report(
    _ code: FindingCode, _ predicate: String, losesContent: Bool = false,
    to reading: inout DatabaseReading
  ) {
    guard count > 0 else { return }
    reading.report(
      code,
      "\(count.grouped) \(count == 1 ? "row" : "rows") \(predicate); the first is row \(first + 1)",
      losesContent: losesContent)
  }

  /// Reports the rows as those that have no key, in a table that may have such rows.
  func reportNullKeys(to reading: inout DatabaseReading) {
    report(
      SQLiteFindings.nullKey, "with NULL as the key (left out)", losesContent: true, to: &reading)
  }
}
