import KVBytes
import KVConversion
import KVModel

extension TextReporter {
  /// Prints the differences of two stores: a line for each key, with the values and their places.
  func comparison(_ comparison: Comparison) {
    for difference in comparison.differences {
      let key = (difference.after ?? difference.before).map { DisplayText.key($0.key) } ?? ""
      let (before, after) = (
        TextReporter.value(difference.before), TextReporter.value(difference.after)
      )
      let line =
        switch difference.change {
        case .added: "+ \(key) = \(after)"
        case .removed: "- \(key) = \(before)"
        case .changed: "~ \(key): \(before) → \(after)"
        case .retyped: "≈ \(key): \(before) → \(after)"
        }
      emit(colors.change(difference.change, line))
    }
    emit(
      Comparison.Difference.Change.allCases
        .map { "\(comparison.count(of: $0).grouped) \($0.rawValue)" }.joined(separator: ", ")
        + ", \(comparison.sameCount.grouped) unchanged")
  }

  private static func value(_ entry: TypedEntry?) -> String {
    guard let entry else { return "" }
    let place = entry.origin.place.map {
      " (\($0.roleName) \(Hexadecimal.text($0.extent.offset, digits: 1)))"
    }
    return DisplayText.value(entry.value)
      + (entry.expiry == 0 ? "" : ", expires \(UTCDate(Double(entry.expiry)).text)")
      + (place ?? "")
  }
}
