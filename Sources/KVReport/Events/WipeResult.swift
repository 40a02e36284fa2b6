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
  /// The number of former values that stay: in the log itself, and in other copies of it.
  package let leftCount: Int
  /// Whether the bytes were overwritten.
  let isExecuted: Bool

  /// Creates a result.
  package init(
    _ unused: UnusedBytes, past: PastRecords, left leftCount: Int, isExecuted: Bool
  ) {
    self.unused = unused
    self.past = past
    self.leftCount = leftCount
    self.isExecuted = isExecuted
  }
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
      Plural.count(result.leftCount, "former value is", "former values are")
        + " left in the log itself, or in another copy of it")
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
      "left": result.leftCount,
    ]
  }
}
