package import KVSystem
package import SystemPackage

/// A form of report that is written to an output of its own: a page, a database, a folder of tables.
///
/// A form takes the events of ``Reporter``, store after store. Of each store they come in this order:
///
///     begun(path)
///     opened(store, clock) or read(table)       files, sizes, format; not of a path that could not be read
///     typed, findings, states, predictions, coverage
///     history …                                 every record and gap, in file order
///     typedEntry …                              of a format without a log, instead of the history
///     map                                       the owner of every byte
///     summary
///     scanned(outcome)                          always, and the last of the store
///
/// After the last store come the `totals`. The entries of a state are those of its snapshot, and
/// `assessment(of:)` says what each is worth.
package protocol ReportForm {
  /// The form's name, as `--to` takes it.
  static var name: String { get }

  /// Writes what `body` reports about the run to a new output at `path`, which appears complete or not at
  /// all.
  ///
  /// - Throws: `.exists` where something is at `path` that is no such report; `.system`; `.interrupted`.
  func write(
    to path: FilePath, of run: ReportRun, permissions: FilePermissions,
    _ body: (any Reporter) -> Void
  ) throws(FileError)
}

/// What a report states about the run that made it.
package struct ReportRun: Sendable {
  /// The explanation of a finding, a rule or a state.
  package struct Explanation: Sendable {
    /// The name.
    package let name: String
    /// What has the name.
    package let kind: String
    /// The paragraphs, each under a title.
    package let paragraphs: [(title: String, text: String)]

    /// The explanation of `name`.
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
  /// What the tool's names mean.
  package let explanations: [Explanation]

  /// A run of the tool.
  package init(
    version: String, arguments: [String], start: UInt32, explanations: [Explanation]
  ) {
    self.version = version
    self.arguments = arguments
    self.start = start
    self.explanations = explanations
  }
}
