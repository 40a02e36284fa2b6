import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVSystem

extension JSONLinesReporter {
  /// Writes the differences of two stores: a line for each, then their counts.
  func comparison(_ comparison: Comparison, exit: Int32) {
    let paths = comparison.stores.map { $0.map { ReportedPath($0) } ?? "" }
    for difference in comparison.differences { self.difference(difference, paths) }
    write(.comparison(comparison, exit: exit))
  }

  /// Writes a line for each prediction.
  func predictions(_ predictions: [EnginePrediction], isAppAsked: Bool) {
    for prediction in predictions { write(.prediction(prediction, isAppAsked: isAppAsked)) }
  }

  /// Writes what was chosen where copies differ: a line for each run of bytes, then the outcome.
  func merged(_ result: MergeResult) {
    for choice in result.choices {
      write([
        "type": "choice", "file": choice.place.roleName, "offset": choice.place.extent.offset,
        "length": choice.place.extent.count, "from": ReportedPath(choice.path),
        "basis": choice.basis.rawValue,
      ])
    }
    for (path, count) in result.added {
      write(["type": "added", "from": ReportedPath(path), "entries": count])
    }
    write([
      "type": "merge", "copies": result.copies.count, "differences": result.choices.count,
      "proven": result.isProven, "written": result.isLikely ? "bytes" : "entries",
      "odds_bits": result.odds?.bits,
      "unchecked_bytes": result.uncheckedCount,
    ])
  }

  private func difference(_ difference: Comparison.Difference, _ paths: [ReportedPath]) {
    let key = (difference.after ?? difference.before)?.key ?? Key([])
    writeLine { line in
      if let after = difference.after { line.member("after") { Self.side(after, paths[1], &$0) } }
      if let before = difference.before {
        line.member("before") { Self.side(before, paths[0], &$0) }
      }
      line.member("change", difference.change.rawValue)
      if let text = key.text { line.member("key", text) }
      line.member("key_hex") { $0.hexadecimal(key.bytes.storageSpan) }
      line.member("path", paths[difference.after == nil ? 0 : 1])
      line.member("type", "difference")
    }
  }

  private static func side(_ entry: TypedEntry, _ path: ReportedPath, _ line: inout JSONLine) {
    line.object { line in
      if entry.expiry != 0 { line.member("expires_at", Int(entry.expiry)) }
      if let place = entry.origin.place {
        line.member("file", place.roleName)
        line.member("length", place.extent.count)
        line.member("offset", place.extent.offset)
      }
      line.member("path", path)
      if let raw = entry.origin.raw { line.member("raw_hex") { $0.hexadecimal(raw.storageSpan) } }
      line.member("value") { $0.value(entry.value) }
    }
  }
}
