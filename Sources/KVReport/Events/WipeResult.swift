import KVBytes
package import KVModel
package import KVRecovery
import KVSystem

/// What was overwritten in the files of a store, and what is left in its log.
package struct WipeResult: Sendable {
  /// The bytes that were overwritten, or would be.
  let unused: UnusedBytes
  /// The former records that were found before.
  let past: PastRecords
  /// Whether the bytes were overwritten.
  let isExecuted: Bool

  /// Creates a result.
  package init(_ unused: UnusedBytes, past: PastRecords, isExecuted: Bool) {
    self.unused = unused
    self.past = past
    self.isExecuted = isExecuted
  }

  /// The number of former records in the log itself.
  package var leftCount: Int { past.superseded + past.removed }
}

extension TextReporter {
  func wiped(_ result: WipeResult) {
    for part in result.unused.parts {
      let bytes = Plural.count(part.range.count, "byte", "bytes")
      emit(
        "\(TextReporter.printable(part.file.path.text)): "
          + (result.isExecuted
            ? "\(bytes) overwritten with zeros" : "\(bytes) would be overwritten")
          + ", from \(Hexadecimal.text(part.range.lowerBound, digits: 2)) to "
          + Hexadecimal.text(part.range.upperBound, digits: 2))
    }
    if result.unused.parts.isEmpty { emit("Nothing is left after the log.") }
    guard result.leftCount > 0 else { return }
    emit(
      "The log itself has \(Plural.count(result.leftCount, "former record", "former records"))")
  }
}

extension JSONObject {
  static func wiped(_ result: WipeResult) -> JSONObject {
    [
      "type": "wiped", "executed": result.isExecuted, "bytes": result.unused.count,
      "parts": result.unused.parts.map { part -> JSONObject in
        [
          "path": ReportedPath(part.file.path), "offset": part.range.lowerBound,
          "length": part.range.count,
        ]
      },
      "superseded": result.past.superseded, "removed": result.past.removed,
    ]
  }
}
