import KVModel
import KVRecovery

extension TextReporter {
  /// Prints the differences between the store at `path` and the expectations.
  func differences(_ expectation: ExpectationResult, of path: String, _ verdict: Verdict) {
    let path = TextReporter.printable(path)
    let file = TextReporter.printable(expectation.file)
    let differences = expectation.differences
    if differences.isEmpty {
      emit("\(path): \(verdict.rawValue), as expected by \(file)")
    } else {
      emit(
        "\(path): \(verdict.rawValue), "
          + "\(Plural.count(differences.count, "difference", "differences")) from \(file)")
      for difference in differences { emit(verbatim: difference.message) }
    }
    if expectation.hasUnexpectedFindings {
      emit("Not listed in \(file):")
    }
  }
}
