import ArgumentParser

/// Options that take the name of a case of a library's type.
enum Name {
  /// The names of all cases.
  static func all<T: CaseIterable & RawRepresentable<String>>(_ type: T.Type) -> [String] {
    T.allCases.map(\.rawValue)
  }

  /// The case called `text`.
  ///
  /// - Throws: `ValidationError`, which names the cases, where there is none.
  static func parse<T: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> T {
    guard let value = T(rawValue: text) else { throw unknown(text, all(T.self)) }
    return value
  }

  /// Why `text` is refused, which is none of `names`.
  static func unknown(_ text: String, _ names: [String]) -> ValidationError {
    let meant = NearestName.meant(by: text, among: names)
    return ValidationError(
      "'\(text)' is none of \(names.joined(separator: ", "))."
        + (meant.map { " Did you mean \($0)?" } ?? ""))
  }
}
