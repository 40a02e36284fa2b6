import KVModel
public import KVRecovery

extension TextReport {
  /// Where the store at `path` is not as the file `expectations` says.
  public func differences(
    _ differences: [Difference], of path: String, from expectations: String, verdict: Verdict
  ) {
    let (path, file) = (TextReport.printable(path), TextReport.printable(expectations))
    guard !differences.isEmpty else {
      emit("\(path): \(verdict.rawValue), as \(file) says")
      return
    }
    emit(
      "\(path): \(verdict.rawValue), "
        + "\(Plural.count(differences.count, "difference", "differences")) from \(file)")
    for difference in differences { emit(difference.message) }
  }
}
