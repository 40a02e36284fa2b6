import ArgumentParser
import ExchangeFormats
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVScreen
import KVSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `kvfsck view`: shows a store on the full screen of the terminal.
struct View: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "view",
    abstract: "Browse a store in the terminal.",
    discussion: """
      Lists the keys as `dump` does. Enter opens a value, r lists all records of a key, x shows the bytes \
      of the file, s shows the next recoverable state, / filters, ? shows help, and q \
      quits. Of a folder or an archive with several stores, lists the stores. Nothing is written. Exit status: 0 clean, 4 damaged, 8 unreadable, 16 no terminal, \
      32 interrupted.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup var typing: TypeOptions

  @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
  var store: String

  func validate() throws {
    try options.validate(stores: [store])
    if options.printing.json {
      throw ValidationError("view is interactive; use kvfsck dump --json for the entries.")
    }
  }

  func run() throws {
    guard Screen.isBuilt else { throw refused(.notBuilt) }
    guard Terminals.hasScreen else { throw refused(.noTerminal) }
    options.warnOfVisibleKey()
    let report = Reports(options, .dump)
    let (schema, failure) = typing.schema(report)
    guard let schema else { throw report.end(failure) }
    let status = StoreOpening.open(
      store, options, report, listed: { listStores(in: store, for: "view", report) }
    ) { found in show(found.open(), schema, report) }
    throw report.end(status)
  }

  private func show(_ opened: some Store, _ schema: TypeSchema, _ report: Reports) -> ExitStatus {
    let now = options.clock
    let (store, diagnosis) = opened.examined(now: now)
    let planner = RepairPlanner(
      strategy: FixedStrategy(EngineAnswers(onChecksumMismatch: .recover, onLengthError: .recover)))
    let viewer = Viewer(
      store, diagnosis, planner, schema, detail: ValueDetail(opening: true))
    guard var viewer else {
      if case .unreadable(let code, let reason) = store.access {
        report.complain("\(self.store): \(reason)" + Advice(options: options).access(code))
      } else {
        report.complain("\(self.store): no entries can be read; see kvfsck check")
      }
      return .failed
    }
    noteUnmatched(schema, store, diagnosis, planner)
    StatusLine.current?.end()
    do throws(Screen.Failure) {
      try Screen.show(&viewer, inColor: Terminals.usesColor)
    } catch {
      return refused(error)
    }
    return diagnosis.verdict.exitStatus
  }

  /// Notes the rules of `schema` that match no key of the state that is shown first.
  private func noteUnmatched(
    _ schema: TypeSchema, _ store: some Store, _ diagnosis: Diagnosis, _ planner: RepairPlanner
  ) {
    guard !schema.rules.isEmpty, let plan = planner.plan(store, given: diagnosis) else { return }
    typing.noteUnmatched(schema, in: [.store(store, diagnosis, plan)])
  }

  /// Reports why there is no screen, and returns the status.
  private func refused(_ failure: Screen.Failure) -> ExitStatus {
    switch failure {
    case .notBuilt:
      StoreOpening.complain("this kvfsck was built without the trait Viewer; use kvfsck dump")
      return .failed
    case .noTerminal:
      StoreOpening.complain(
        "view needs a terminal with a movable cursor; use kvfsck dump to print the entries")
      return .usage
    case .interrupted:
      StoreOpening.complain("cancelled; nothing was written")
      return .cancelled
    }
  }
}
