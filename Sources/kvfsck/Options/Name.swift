import ArgumentParser

/// Parsing of options that take the name of a case of a library's type.
enum Name {
  /// Returns the names of all cases.
  static func all<T: CaseIterable & RawRepresentable<String>>(_ type: T.Type) -> [String] {
    T.allCases.map(\.rawValue)
  }

  /// Returns the case named `text`.
  ///
  /// - Throws: `ValidationError`, which lists the cases, if there is none.
  static func parse<T: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> T {
    guard let value = T(rawValue: text) else { throw unknown(text, all(T.self)) }
    return value
  }

  /// Returns the error for `text`, which is not one of `names`.
  static func unknown(_ text: String, _ names: [String]) -> ValidationError {
    let meant = NearestName.meant(by: text, among: names)
    return ValidationError(
      "'\(text)' is not one of \(names.joined(separator: ", "))."
        + (meant.map { " Did you mean \($0)?" } ?? ""))
  }
}
