import KVBytes
import KVConversion
import KVModel
import KVSystem
import SystemPackage

extension TextReporter {
  func note(_ note: ConversionNote) {
    let loss = note.loss
    if loss.isUndecided, undecidedKeys.count < TextReporter.noteLimit {
      undecidedKeys.append(note.key)
    }
    // Types concern most keys, so they have one line at the end.
    if loss.isOfUnstoredType || isBrief && loss.severity == .note { return }
    noteCounts[loss.code, default: 0] += 1
    guard noteCounts[loss.code, default: 0] <= TextReporter.noteLimit else { return }
    emit(
      "\(DisplayText.key(note.key)): \(colors.severity(loss.severity)): [\(loss.code)] "
        + TextReporter.printable(loss.message))
  }

  /// Prints the number of notes beyond those listed.
  func endNotes() {
    for (code, count) in noteCounts.sorted(by: { $0.key < $1.key })
    where count > TextReporter.noteLimit {
      emit(
        "… and \((count - TextReporter.noteLimit).grouped) more of [\(code)]; \(advice(.listAllNotes))"
      )
    }
  }

  func converted(
    _ summary: Conversion.Summary, to format: String, _ paths: [FilePath]?
  ) {
    var line =
      paths.map { paths in
        "Wrote \(TextReporter.printable(paths.map(\.text).joined(separator: ", "))): "
      } ?? "Nothing was written. Plan: "
    line += "\(Plural.count(summary.written, "entry", "entries")) as \(format)"
    if summary.leftOut > 0 { line += ", \(summary.leftOut.grouped) left out" }
    if summary.losses > 0 { line += "; \(Plural.count(summary.losses, "loss", "losses"))" }
    // What was written is no result that anyone has asked to see.
    if !isBrief || paths == nil { emit(line) }
    if summary.likely > 0, !isBrief {
      emit(
        "\(Plural.count(summary.likely, "untyped value was given its", "untyped values were given their")) "
          + "likeliest type; \(advice(.correctTypes))")
    }
    if summary.undecided > 0 {
      emit(undecided(summary.undecided, isWritten: paths != nil))
    }
  }

  /// Returns the line about `count` values of undecided type, with some of their keys.
  private func undecided(_ count: Int, isWritten: Bool) -> String {
    let verb = isWritten ? (count == 1 ? "was" : "were") : "would be"
    let keys = undecidedKeys.map { DisplayText.key($0, limit: 30) }.joined(separator: ", ")
    let rest = count - undecidedKeys.count
    return "\(Plural.count(count, "value", "values")) of undecided type \(verb) written as bytes: "
      + keys + (rest > 0 ? " and \(rest.grouped) more" : "")
      + (isBrief ? "" : "; \(advice(.decideTypes))")
  }
}
