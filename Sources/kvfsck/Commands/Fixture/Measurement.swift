import KVModel
import KVReport

/// A part of a measurement by a `fixture` command.
///
/// Commands create parts, and a ``MeasurementReporter`` prints those that its output format has a
/// place for.
enum MeasurementPart {
  /// A line of text for people, an object for programs, or both with the same content.
  case line(String? = nil, MeasuredObject? = nil)
  /// Rows under headings.
  case table([String], [Row])

  /// A row of a table: its cells for people, and the same data for programs.
  struct Row {
    let cells: [String]
    var object: MeasuredObject?
  }

  /// Returns a heading, after an empty line.
  static func title(_ text: String) -> [MeasurementPart] { [.line(""), .line(text)] }
}

/// Named numbers and strings that form one line of JSON.
struct MeasuredObject {
  private var members: [Value.Member]

  /// Creates an object with the given type field.
  init(type: String) { members = [Value.Member("type", .string(type))] }

  /// Adds a field; does nothing for `nil`.
  mutating func add(_ name: String, _ text: String?) { add(name, text.map { .string($0) }) }
  /// Adds a field; does nothing for `nil`.
  mutating func add(_ name: String, _ count: Int?) {
    add(name, count.map { .int64(Int64($0)) })
  }
  /// Adds a field.
  mutating func add(_ name: String, _ texts: [String]) {
    add(name, .array(texts.map { .string($0) }))
  }
  /// Adds a field; does nothing for `nil`.
  mutating func add(_ name: String, _ value: Value?) {
    if let value { members.append(Value.Member(name, value)) }
  }

  /// Adds the fields of `counts`.
  mutating func add(_ counts: KeyValuePairs<String, Int>) {
    for (name, count) in counts { add(name, count) }
  }

  /// The object as a line of JSON.
  var line: String {
    // Strings, numbers and lists of them always have a JSON form.
    Value.dictionary(members).plainJSON ?? ""
  }
}

/// A printer of measurements in one output format.
protocol MeasurementReporter {
  /// Prints `part`.
  func report(_ part: MeasurementPart)
}

extension MeasurementReporter {
  /// Prints `parts` in order.
  func report(_ parts: [MeasurementPart]) { for part in parts { report(part) } }
}

/// A printer for people: lines, and tables with aligned columns.
struct MeasurementText: MeasurementReporter {
  let output: Output

  func report(_ part: MeasurementPart) {
    switch part {
    case .line(let text, _): if let text { output.write(TextReporter.printable(text)) }
    case .table(let headings, let rows):
      var columns = Columns(headings)
      for row in rows { columns.add(row.cells.map(TextReporter.printable)) }
      for line in columns.lines { output.write(line.trimmingSpaces()) }
    }
  }
}

/// A printer for programs: one object per line.
struct MeasurementLines: MeasurementReporter {
  let output: Output

  func report(_ part: MeasurementPart) {
    switch part {
    case .line(_, let object): write(object)
    case .table(_, let rows): rows.forEach { write($0.object) }
    }
  }

  private func write(_ object: MeasuredObject?) {
    if let object { output.write(object.line) }
  }
}
