import KVReport

extension JSONLinesReporter {
  /// Returns a reporter that passes each line, without its line feed, to `emit`.
  static func ofLines(
    _ values: ValueDetail = ValueDetail(), _ emit: @escaping (String) -> Void
  ) -> JSONLinesReporter {
    let lineFeed = UInt8(ascii: "\n")
    var lines: [UInt8] = []
    return JSONLinesReporter(forTerminal: false, values: values) { piece in
      lines += piece
      // Line feeds within a line are escaped.
      guard piece.last == lineFeed else { return }
      for line in lines.dropLast().split(separator: lineFeed) {
        emit(String(decoding: line, as: UTF8.self))
      }
      lines.removeAll(keepingCapacity: true)
    }
  }
}
