import KVBytes
import KVConversion
import KVModel
import KVSystem
import SystemPackage

extension TextReporter {
  func note(_ note: ConversionNote) {
    let loss = note.loss
    // Types concern most keys, so they have one line at the end.
    guard !loss.isOfUnstoredType else { return }
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
      } ?? "Dry run; nothing is written. Plan: "
    line += "\(Plural.count(summary.written, "entry", "entries")) as \(format)"
    if summary.leftOut > 0 { line += ", \(summary.leftOut.grouped) left out" }
    if summary.losses > 0 { line += "; \(Plural.count(summary.losses, "loss", "losses"))" }
    emit(line)
    if summary.likely > 0 {
      emit(
        "\(Plural.count(summary.likely, "untyped value was given its", "untyped values were given their")) "
          + "likeliest type; \(advice(.correctTypes))")
    }
    if summary.undecided > 0 {
      emit(
        "\(Plural.count(summary.undecided, "value of undecided type was", "values of undecided type were")) "
          + "written as bytes; "
          + advice(.decideTypes))
    }
  }
}
