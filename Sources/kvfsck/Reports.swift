import KVBytes
import KVConversion
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The reporters of a command: the printer, and the documents that the options request.
final class Reports {
  // A class, because closures that several passes share report to it.

  /// The stream for results.
  let output: Output
  /// Whether each result is printed as a line as soon as it is reported.
  let printsLines: Bool
  private let printer: any Reporter
  private let advice: Advice
  private let documents: [DocumentFile]
  /// A closure that receives each event and returns whether to report it.
  var filter: ((ReportEvent) -> Bool)?
  /// Whether ``complain(_:)`` prints anything; set to `false` if the results have the reason.
  var complains = true
  /// The files that no document may replace: those that were read, and those that the user named.
  private var inputs: (read: [FilePath], named: [FilePath]) = ([], [])

  /// Creates the reporters of the command `job`.
  ///
  /// - Parameters:
  ///   - options: The options of the command.
  ///   - job: The command.
  ///   - output: The stream for results.
  ///   - width: The pointer width, in bytes, of a store that is written.
  ///   - storeCount: The number of stores that the user named: a key for several is used where it
  ///     fits.
  ///   - documents: The files with documents to write.
  ///   - named: The files that the command reads in addition to the stores.
  ///   - isPiped: Whether to print for programs even if the options do not request it.
  ///   - values: The detail in which values are shown.
  ///   - namesStores: Whether each line for programs has the path of its store.
  ///   - redaction: What is hidden of the stores that are reported.
  init(
    _ options: StoreOptions, _ job: TextReporter.Job, to output: Output = .standard,
    width: Int? = nil, storeCount: Int = 1, documents: [DocumentFile] = [],
    named: [String] = [], isPiped: Bool = false, values: ValueDetail = ValueDetail(),
    namesStores: Bool = false, redaction: Redaction? = nil
  ) {
    self.redaction = redaction
    self.options = options
    self.output = output
    self.width = width
    self.storeCount = storeCount
    printsLines = isPiped || options.printing.json
    printer =
      isPiped
      ? output.json(values, namesStores: namesStores)
      : options.printer(job, output, values, namesStores: namesStores)
    advice = Advice(options: options)
    self.documents = documents
    inputs.named = named.map(ProcessArguments.path)
  }

  /// Creates reports about one of several stores that are worked on at once, which pass on all that they
  /// are told: see ``repeat(_:)``.
  init(_ basis: Basis, passingOn relay: @escaping (Told) -> Void) {
    (options, redaction, knownSettings) = (basis.options, basis.redaction, basis.settings)
    (width, storeCount, printsLines, documents) = (nil, 1, true, [])
    output = .standard
    printer = SilentReporter(listsTypes: basis.listsTypes)
    advice = Advice(options: options)
    self.relay = relay
  }

  /// What is hidden; stores are reported as ``shown(_:by:in:)`` returns them.
  let redaction: Redaction?
  private let options: StoreOptions
  /// The pointer width, in bytes, of a store that is written.
  private let width: Int?
  private let storeCount: Int
  private var knownSettings: FormatOptions?
  /// Where everything goes, if not to the user.
  private var relay: ((Told) -> Void)?

  /// Returns how the formats read the stores of this run; key files, which may be pipes, are read
  /// only once.
  ///
  /// - Throws: If the file with the keys, or that with candidate keys, cannot be read.
  func settings() throws(DiscoveryError) -> FormatOptions {
    if let knownSettings { return knownSettings }
    var settings = try options.formatOptions()
    settings.pointerWidth = width
    if storeCount > 1 { settings.keys = settings.keys.tried }
    knownSettings = settings
    return settings
  }

  /// The files that no output may replace: those that were read, and those that the user named.
  var allInputs: [FilePath] { inputs.read + inputs.named }

  /// The files of the stores that were read so far.
  var filesRead: [FilePath] { inputs.read }

  /// Whether notes about types that were taken are shown.
  var listsTypes: Bool { printer.listsTypes }

  /// Whether no one will see further reports.
  var areUnread: Bool { output.isClosed && documents.isEmpty }

  /// Reports `event`.
  func callAsFunction(_ event: ReportEvent) {
    if let relay { return relay(.event(event)) }
    switch event {
    case .begun(let path): inputs.named.append(ProcessArguments.path(path.text))
    case .opened(let store, _): inputs.read += store.files.map(\.path)
    case .read(let table, _): inputs.read += table.files.map(\.path)
    default: break
    }
    let event = advice.adding(to: redaction?.event(event) ?? event)
    if let filter, !filter(event) { return }
    printer.report(event)
    for document in documents { document.contents.report(event) }
  }

  /// Returns `store`, read in `state`, with what is to be hidden of it hidden; `typing` tells the types
  /// of its values.
  func shown(
    _ store: some Store, by typing: StoreTyping, in state: StoreState?
  ) -> any Store {
    redaction?.store(store, by: typing, in: state) ?? store
  }

  /// Returns `table` as it is to be reported: with its keys and values hidden if that is asked for.
  func shown(_ table: EntryTable) -> EntryTable { redaction?.table(table) ?? table }

  /// Reports why the command cannot go on, after what it has printed.
  func complain(_ message: String) {
    if let relay { return relay(.complaint(message)) }
    guard complains else { return }
    output.flush()
    StoreOpening.complain(message)
  }

  // MARK: Several stores at once

  /// What the reports about a store need to know on another thread.
  struct Basis: Sendable {
    fileprivate let options: StoreOptions
    fileprivate let settings: FormatOptions
    fileprivate let redaction: Redaction?
    fileprivate let listsTypes: Bool
  }

  /// What reports are told.
  enum Told: Sendable {
    case event(ReportEvent)
    case complaint(String)
    /// Lines for stderr.
    case messages([UInt8])
  }

  /// Returns what reports on other threads need to know.
  ///
  /// - Throws: If the file with the keys, or that with candidate keys, cannot be read.
  func basis() throws(DiscoveryError) -> Basis {
    Basis(
      options: options, settings: try settings(), redaction: redaction, listsTypes: listsTypes)
  }

  /// Reports what the reports of another thread were told.
  func `repeat`(_ told: Told) {
    switch told {
    case .event(let event): self(event)
    case .complaint(let message): complain(message)
    case .messages(let lines): Output.error.write(bytes: lines)
    }
  }

  /// Notes the lines with keys that matched no store: they are easily misspelled.
  func noteUnusedKeys() {
    guard let words = knownSettings?.keys.unusedLines else { return }
    Output.note(words)
  }

  /// Ends a run with `status` and writes the documents; errors in writing are reported.
  ///
  /// - Returns: `status` combined with that of the failures.
  func end(_ status: ExitStatus) -> ExitStatus {
    printer.finish()
    var status = status.union(output.finish())
    let permissions = PendingWrite.usualPermissions.intersection(
      Folder.newFilePermissions(like: inputs.read) ?? .ownerReadWrite)
    for document in documents {
      do throws(DocumentFile.Failure) {
        try document.write(
          exit: status.rawValue, beside: allInputs, permissions: permissions)
      } catch {
        StoreOpening.complain(error.message)
        status.formUnion(.failed)
      }
    }
    return status
  }
}

/// A reporter that prints nothing.
private final class SilentReporter: Reporter {
  let listsTypes: Bool

  init(listsTypes: Bool) { self.listsTypes = listsTypes }

  func report(_ event: ReportEvent) {}
}
