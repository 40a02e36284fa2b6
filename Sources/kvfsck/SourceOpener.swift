import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// Reads stores for the commands that work on typed entries, `convert` and `compare`.
struct SourceOpener {
  let options: StoreOptions
  let choices: ChoiceOptions
  /// How likely an entry must be to be included; `nil` to include all.
  let confidence: ConfidenceOptions?

  /// Reads the store at `path`; `nil` after a message, or if `several`, which is called for a folder
  /// or an archive with several stores, is given.
  ///
  /// `result` is what a scan has found there, if the user did not give the path.
  func open(
    _ path: String, found result: TreeScan.Result? = nil, _ report: Reports,
    several: (() -> Void)? = nil
  ) -> (source: ReadSource?, status: ExitStatus) {
    var source: ReadSource?
    let status = StoreOpening.open(
      path, found: result, options, report,
      table: { table in
        let (read, status) = read(table)
        source = read
        return status
      }, several: several,
      { found in
        let (read, status) = read(planned(found), found.files)
        source = read
        return status
      })
    return (source, status)
  }

  /// Reads a store that a scan has found, from its contents if they were kept; what could not be read
  /// is not opened again.
  func open(
    _ result: TreeScan.Result, _ report: Reports
  ) -> (source: ReadSource?, status: ExitStatus) {
    if let found = result.found { return read(planned(found, result.content), found.files) }
    if case .table(let table) = result.content { return read(table) }
    if result.outcome.isUnread { return (nil, StoreOpening.fail(result.outcome, report)) }
    return open(result.outcome.path.text, found: result, report)
  }

  /// Reads a store that a scan has found and kept; `nil` if it cannot be read.
  func source(_ result: TreeScan.Result) -> ReadSource? {
    if let found = result.found { return planned(found, result.content).source }
    if case .table(let table) = result.content { return source(table) }
    return nil
  }

  private func source(_ table: EntryTable) -> ReadSource? {
    table.verdict == .unreadable ? nil : .table(choices.kept(table, now: options.clock))
  }

  /// Returns `table`, and the status of a command that reads past its damage, because what was damaged
  /// is missing; `nil` after a message if nothing can be read.
  private func read(_ table: EntryTable) -> (ReadSource?, ExitStatus) {
    if let reason = table.reasonForNoEntries {
      StoreOpening.complain("\(table.files.first?.path.text ?? ""): \(reason)")
      return (nil, .failed)
    }
    return (source(table), table.verdict == .clean ? [] : [.repaired, .damaged])
  }

  /// Checks that the choices concern at least one of `sources`, which are all that were named.
  ///
  /// - Throws: `.noLog` if an option has no effect.
  func checkChoices(for sources: [ReadSource]) throws(ConvertFailure) {
    let isEffective = sources.contains { if case .store = $0 { true } else { false } }
    if !isEffective, let option = choices.optionAboutLog { throw .noLog(option: option) }
  }

  /// Returns the store that was planned, and its status; `nil` after a message.
  private func read(_ planned: Planned, _ files: [StoreFile]) -> (ReadSource?, ExitStatus) {
    guard case .store(_, _, let plan) = planned.source else {
      let path = files.first?.path.text ?? ""
      if case .unreadable(let code, let reason) = planned.access {
        StoreOpening.complain("\(path): \(reason)" + Advice(options: options).access(code))
      } else if let state = choices.state {
        StoreOpening.complain(StoreOpening.lacking(state, path))
      } else {
        StoreOpening.complain("\(path): no entries can be read; see kvfsck check")
      }
      return (nil, .failed)
    }
    var status: ExitStatus = plan.isNeeded ? .repaired : []
    if plan.isLossy { status.formUnion(.damaged) }
    return (planned.source, status)
  }

  /// A store with the plan of what to keep of it; without the store if nothing can be kept.
  private typealias Planned = (source: ReadSource?, access: Access)

  /// Returns the plan for a store, which `content` may have as it is read without choices.
  private func planned(
    _ found: some FoundStore, _ content: TreeScan.Result.Content? = nil
  ) -> Planned {
    if case .log(let store, let diagnosis) = content, !choices.likeEngine {
      return planned(store, diagnosis)
    }
    let (store, diagnosis) = choices.examined(found.open(), now: options.clock)
    return planned(store, diagnosis)
  }

  private func planned(_ store: some Store, _ diagnosis: Diagnosis) -> Planned {
    var planner = choices.planner(now: options.clock, otherwise: .recover)
    planner.leastProbability = confidence?.least
    planner.keepsSoundStates = confidence?.minConfidence == nil
    let plan = planner.plan(store, given: diagnosis)
    return (plan.map { .store(store, diagnosis, $0) }, store.access)
  }

  /// Returns the schema in a file; an empty one if no file is given.
  ///
  /// - Throws: If the file cannot be read, or names an unknown type.
  static func schema(inFile path: String?) throws(ConvertFailure) -> TypeSchema {
    guard let path else { return .empty }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileImage.read(ProcessArguments.path(path)).bytes
    } catch {
      throw .file(error)
    }
    do throws(TypeSchemaError) {
      return try TypeSchema(parsing: bytes)
    } catch {
      throw .types(path: path, error)
    }
  }
}
