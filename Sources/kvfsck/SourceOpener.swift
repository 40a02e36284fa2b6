import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// Reads stores for the commands that work on typed entries, `convert` and `compare`.
struct SourceOpener {
  let options: StoreOptions
  let choices: ChoiceOptions
  /// The probability from which an entry is included; `nil` to include all.
  let leastProbability: Probability?

  /// Reads the store at `path`; `nil` after a message.
  func open(_ path: String, _ report: Reports) -> (source: ReadSource?, status: ExitStatus) {
    var source: ReadSource?
    let status = StoreOpening.open(
      path, options, report,
      table: { table in
        source = .table(table)
        // The command reads past the damage, and what was damaged is missing then.
        return TableStatus(of: table).verdict == .clean ? [] : [.repaired, .damaged]
      },
      { found in
        let (read, status) = read(found)
        source = read
        return status
      })
    return (source, status)
  }

  /// Checks that the choices concern at least one of `sources`, which are all that were named.
  ///
  /// - Throws: `.noLog` if an option has no effect.
  func checkChoices(for sources: [ReadSource]) throws(ConvertFailure) {
    let isEffective = sources.contains { if case .store = $0 { true } else { false } }
    if !isEffective, let option = choices.optionAboutLog { throw .noLog(option: option) }
  }

  private func read(_ found: some FoundStore) -> (ReadSource?, ExitStatus) {
    let (store, diagnosis) = choices.examined(found.open(), now: options.clock)
    var planner = choices.planner(now: options.clock, otherwise: .recover)
    planner.leastProbability = leastProbability
    guard let plan = planner.plan(store, given: diagnosis) else {
      let path = found.files.first?.path.text ?? ""
      if case .unreadable(let code, let reason) = store.access {
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
    return (.store(store, diagnosis, plan), status)
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
