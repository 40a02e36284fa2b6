import KVBytes
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// Hands what a command does to the reporters that the options ask for.
final class Reports {
  // A class because closures that several passes hand on report to it.

  /// Where results go.
  let output: Output
  private let printer: any Reporter
  private let advice: Advice
  private let documents: [ReportFile]
  /// Takes in what is to be reported, and says whether it is.
  var filter: ((ReportEvent) -> Bool)?
  /// Files that no document may replace: those that were read, and those that the user named.
  private var inputs: (read: [FilePath], named: [FilePath]) = ([], [])

  /// Reports of the command `job`, which go to `output`, of stores that are written with pointers of `width`
  /// bytes; `named` are files that it reads beside the stores; where it `isPiped`, they are for programs
  /// without being asked for.
  ///
  /// They show as much of `values`. If the report `namesStores`, each line for programs has the path of its
  /// store.
  init(
    _ options: StoreOptions, _ job: TextReporter.Job, to output: Output = .standard,
    width: Int? = nil, documents: [ReportFile] = [],
    named: [String] = [], isPiped: Bool = false, values: ValueDetail = ValueDetail(),
    namesStores: Bool = false
  ) {
    self.options = options
    self.output = output
    self.width = width
    printer =
      isPiped
      ? output.json(values, namesStores: namesStores)
      : options.printer(job, output, values, namesStores: namesStores)
    advice = Advice(options: options)
    self.documents = documents
    inputs.named = named.map(ProcessArguments.path)
  }

  private let options: StoreOptions
  /// The pointer width of a store that is written.
  private let width: Int?
  private var knownSettings: FormatOptions?

  /// How the formats read the stores of this run; files with keys, which may be pipes, are read once.
  ///
  /// - Throws: When the file with the key, or that of candidate keys, cannot be read.
  func settings() throws(DiscoveryError) -> FormatOptions {
    if let knownSettings { return knownSettings }
    var settings = try options.formatOptions()
    settings.pointerWidth = width
    knownSettings = settings
    return settings
  }

  /// The files that no output may replace: those that were read, and those that the user named.
  var allInputs: [FilePath] { inputs.read + inputs.named }

  /// Whether nobody will see what is reported from now on.
  var areUnread: Bool { output.isClosed && documents.isEmpty }

  /// Reports `event`.
  func callAsFunction(_ event: ReportEvent) {
    switch event {
    case .begun(let path): inputs.named.append(ProcessArguments.path(path))
    case .opened(let store, _): inputs.read += store.files.map(\.path)
    case .read(let table): inputs.read += table.files.map(\.path)
    default: break
    }
    let event = advice.adding(to: event)
    if let filter, !filter(event) { return }
    printer.report(event)
    for document in documents { document.reporter.report(event) }
  }

  /// Says why a command cannot go on, after what it has printed.
  func complain(_ message: String) {
    output.flush()
    OpenedStore.complain(message)
  }

  /// Says which lines with keys no store has matched: a slip in one is easily made.
  func noteUnusedKeys() {
    guard let words = knownSettings?.keys.unusedLines else { return }
    Output.note(words)
  }

  /// Ends a run with `status`, and writes the documents; reports what cannot be written.
  ///
  /// - Returns: `status`, and that of the failures.
  func end(_ status: ExitStatus) -> ExitStatus {
    var status = status.union(output.finish())
    let permissions = PendingWrite.usualPermissions.intersection(
      Folder.commonPermissions(of: inputs.read) ?? .ownerReadWrite)
    for document in documents {
      do throws(ReportFile.Failure) {
        try document.write(
          exit: status.rawValue, beside: allInputs, permissions: permissions)
      } catch {
        OpenedStore.complain(error.message)
        status.formUnion(.failed)
      }
    }
    return status
  }
}
