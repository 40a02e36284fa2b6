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

extension TextReporter {
  /// Prints a former entry of a format without a log.
  func past(_ record: PastRecord) {
    let place = record.origin.place
    let offset = Hexadecimal.text(place?.extent.offset ?? 0, digits: 6)
    let value = record.value.map { DisplayText.value($0, limit: values.isWhole ? .max : 60) }
    emit(
      verbatim: colors.past(
        "\(offset)  \(record.state.rawValue.padded(to: 10))  \(DisplayText.key(record.key)) = "
          + (value ?? "value in a file that is gone"))
        + "  \(record.area) of page \(record.page.grouped)"
        + colors.mark(record.origin.evidence, nil))
  }
}
