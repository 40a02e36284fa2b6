package import KVSystem
package import SystemPackage

/// A form of report that is written to an output of its own: a page, a database, a folder of
/// tables.
///
/// A form receives the events of a ``Reporter``, store after store. For each store, they come in
/// this order:
///
///     begun(path)
///     opened(store, clock) or read(table)       files, sizes, format; neither if unreadable
///     typed, findings, states, predictions, coverage
///     history …                                 every record and gap, in file order
///     typedEntry …                              for a format without a log, instead of the history
///     map                                       the owner of every byte
///     summary
///     scanned(outcome)                          always, as the last event of the store
///
/// After the last store comes `totals`. The entries of a state are in its snapshot;
/// `assessment(of:)` returns the evidence for each.
package protocol ReportForm: Sendable {
  /// The form's name, as `--to` takes it.
  static var name: String { get }

  /// Writes what `body` reports about the run to a new output at `path`.
  ///
  /// The output appears complete or not at all; if `body` returns `nil`, not at all. Until it is
  /// complete, only its owner can read it. Then it gets the permissions that `body` returns, which
  /// knows only at the end what the report contains.
  ///
  /// - Throws: `.exists` if something else than such a report is at `path`, `.system`, or
  ///   `.interrupted`.
  func write(
    to path: FilePath, of run: ReportRun, _ body: (any Reporter) -> FilePermissions?
  ) throws(FileError)
}

extension ReportForm {
  /// Writes new files at `paths`: `fill` gets empty files in their places, and returns the permissions
  /// that they get; none appears if it returns `nil`.
  func fill(
    _ paths: [FilePath], in folders: [FilePath] = [],
    _ fill: ([FilePath]) throws(FileError) -> FilePermissions?
  ) throws(FileError) {
    var pending = PendingWrite(existing: .keep, permissions: .ownerReadWrite)
    for folder in folders { try pending.makeFolder(at: folder) }
    var granted: FilePermissions?
    try pending.fill(paths) { (temporary) throws(FileError) in granted = try fill(temporary) }
    if let granted { try pending.commit(granting: granted) }
  }

  /// Writes a single file at `path`, to which `body` writes text, and whose permissions it returns.
  ///
  /// `body` also gets the path of the file until it is complete.
  func writeText(
    to path: FilePath, _ body: (FileStream, FilePath) -> FilePermissions?
  ) throws(FileError) {
    try fill([path]) { (temporary) throws(FileError) in
      var granted: FilePermissions?
      try FileStream.fill(temporary) { granted = body($0[0], temporary[0]) }
      return granted
    }
  }
}

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
