import KVBytes
import KVConversion
import KVModel

extension TextReporter {
  /// Prints the differences of two stores: a line for each key, with the values and their places.
  func comparison(_ comparison: Comparison) {
    for difference in comparison.differences {
      let key = (difference.after ?? difference.before).map { DisplayText.key($0.key) } ?? ""
      let (before, after) = TextReporter.values(of: difference)
      let line =
        switch difference.change {
        case .added: "+ \(key) = \(after)"
        case .removed: "- \(key) = \(before)"
        case .changed: "~ \(key): \(before) → \(after)"
        case .retyped: "≈ \(key): \(before) → \(after)"
        }
      // If lines were folded between words, values that differ in spaces could look the same.
      emit(verbatim: colors.change(difference.change, line))
    }
    emit(
      Comparison.Difference.Change.allCases
        .map { "\(comparison.count(of: $0).grouped) \($0.rawValue)" }.joined(separator: ", ")
        + ", \(comparison.sameCount.grouped) unchanged")
  }

  /// Returns the texts of the values before and after a difference, which are not the same.
  private static func values(
    of difference: Comparison.Difference
  ) -> (before: String, after: String) {
    func text(_ entry: TypedEntry?, _ value: (TypedEntry) -> String) -> String {
      entry.map { value($0) + surroundings(of: $0) } ?? ""
    }
    if let before = difference.before, let after = difference.after, before.expiry == after.expiry,
      DisplayText.value(before.value) == DisplayText.value(after.value)
    {
      let parts = DisplayText.differingParts(before.value, after.value)
      return (text(before) { _ in parts.0 }, text(after) { _ in parts.1 })
    }
    return (
      text(difference.before) { DisplayText.value($0.value) },
      text(difference.after) { DisplayText.value($0.value) }
    )
  }

  /// Returns the expiry and the place of `entry`, to follow its value.
  private static func surroundings(of entry: TypedEntry) -> String {
    let place = entry.origin.place.map {
      " (\($0.roleName) \(Hexadecimal.text($0.extent.offset, digits: 1)))"
    }
    return (entry.expiry == 0 ? "" : ", expires \(UTCDate(Double(entry.expiry)).text)")
      + (place ?? "")
  }
}
