import KVSystem

/// The facts about a run that a report states.
package struct ReportRun: Sendable {
  /// The explanation of a finding, a rule or a state.
  package struct Explanation: Sendable {
    /// The name.
    package let name: String
    /// What kind of thing has the name.
    package let kind: String
    /// The paragraphs, each with a title.
    let paragraphs: [(title: String, text: String)]

    /// Creates the explanation of `name`.
    package init(_ name: String, _ kind: String, _ paragraphs: [(title: String, text: String)]) {
      self.name = name
      self.kind = kind
      self.paragraphs = paragraphs
    }
  }

  /// The version of the tool.
  package let version: String
  /// The command line, without keys.
  package let arguments: [String]
  /// When the run began, in seconds since 1970.
  package let start: UInt32
  /// A number that names the run: random, or the same for each repetition of a reproducible run.
  let id: UInt64
  /// Whether the run can be repeated to the byte, so that it takes no time.
  let isReproducible: Bool
  /// The explanations of the tool's names.
  let explanations: [Explanation]

  /// When the output is complete, in seconds since 1970.
  var end: UInt32 { isReproducible ? start : SystemClock.secondsSince1970 }

  /// Creates the facts about a run.
  package init(
    version: String, arguments: [String], start: UInt32, id: UInt64, isReproducible: Bool,
    explanations: [Explanation]
  ) {
    self.version = version
    self.arguments = arguments
    self.start = start
    self.id = id
    self.isReproducible = isReproducible
    self.explanations = explanations
  }
}
