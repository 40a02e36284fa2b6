import KVReport

extension TextReporter.Sink {
  /// Returns a sink that passes single lines to `emit`, without their line feeds.
  static func ofLines(
    inColor: Bool = false, width: Int? = nil, _ emit: @escaping (String) -> Void
  ) -> Self {
    Self(inColor: inColor, width: width) { lines in
      for line in String(decoding: lines.dropLast(), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false)
      {
        emit(String(line))
      }
    }
  }
}
