import KVConversion
import KVCryptography
import KVModel
import KVReport

/// What `convert` prints, as text or as JSON.
final class ConversionReport {
  // A class because notes are counted in a closure that several passes hand on.

  /// How many notes of a kind are listed before the rest is only counted.
  private static let listLimit = 5

  private let isJSON: Bool
  private let output: Output
  private var counts: [String: Int] = [:]

  init(isJSON: Bool, _ output: Output) {
    self.isJSON = isJSON
    self.output = output
  }

  private var json: JSONLinesReport { output.json }

  /// What was found in the files of a store.
  func findings(_ findings: [Finding], in source: TypedSource) {
    if isJSON {
      json.findings(findings)
    } else {
      TextReport(inColour: Terminals.usesColour) { [output] in output.write($0) }
        .findings(findings.filter { $0.severity > .note }, in: source.files, limit: 12)
    }
  }

  /// What becomes of an entry.
  func note(_ note: ConversionNote) {
    if isJSON {
      json.note(note.loss, key: note.key, at: note.extent)
      return
    }
    let count = counts[note.loss.code, default: 0]
    counts[note.loss.code] = count + 1
    guard count < ConversionReport.listLimit else { return }
    TextReport(inColour: Terminals.usesColour) { [output] in output.write($0) }
      .note(note.loss, key: note.key)
  }

  /// How many notes there are beyond those listed.
  func endNotes() {
    guard !isJSON else { return }
    for (code, count) in counts.sorted(by: { $0.key < $1.key })
    where count > ConversionReport.listLimit {
      output.write(
        "… and \(count - ConversionReport.listLimit) more of [\(code)]; --json lists all")
    }
  }

  /// What the conversion comes to.
  func end(_ summary: Conversion.Summary, to format: String, paths: [String]?, _ status: ExitStatus)
  {
    if isJSON {
      json.conversion(
        to: format, paths: paths, written: summary.written, leftOut: summary.leftOut,
        losses: summary.losses, notes: summary.notes, exit: status.rawValue)
      return
    }
    var line =
      paths.map { "Wrote \(TextReport.printable($0.joined(separator: ", "))): " }
      ?? "Nothing is written; this is what would be: "
    line += "\(summary.written) entries as \(format)"
    if summary.leftOut > 0 { line += ", \(summary.leftOut) left out" }
    if summary.losses > 0 { line += "; \(summary.losses) losses" }
    output.write(line)
  }
}
