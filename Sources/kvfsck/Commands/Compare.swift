import ArgumentParser
import KVConversion
import KVModel
import KVReport

/// `kvfsck compare`: prints how the entries of two stores differ.
struct Compare: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "List the keys added, removed and changed between two stores or trees.",
    discussion: """
      Compares typed values, so the stores may have different formats. MMKV stores no types: an MMKV \
      store is read with the types of the other store, if it has any; in two MMKV stores, each key gets \
      its likeliest type, the same in both. For a damaged store, compares the entries that `dump` \
      shows. The key options apply to both stores. Of folders and archives with several stores, those at the \
      same place in each are compared, and those that only one has are listed. Exit status: 0, even if they differ; 4 if one is \
      damaged. With --exit-code, 1 is added if they differ.
      """,
    aliases: ["diff"])

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var choices: ChoiceOptions

  @OptionGroup var typing: TypeOptions

  @Flag(help: "Exit with 1 if the stores differ, as `git diff` does.")
  var exitCode = false

  @Argument(
    help: ArgumentHelp("The first (older) store or tree.", valueName: "a"), completion: .file())
  var first: String

  @Argument(
    help: ArgumentHelp("The second (newer) store or tree.", valueName: "b"), completion: .file())
  var second: String

  func validate() throws {
    try options.validate(stores: [first, second])
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .compare, storeCount: 2)
    let status: ExitStatus
    do throws(ConvertFailure) {
      status = try compare(report)
    } catch {
      report.complain(error.message)
      status = error.status
    }
    throw report.end(status)
  }

  private func compare(_ report: Reports) throws(ConvertFailure) -> ExitStatus {
    let schema = try typing.schema()
    let opener = SourceOpener(options: options, choices: choices, confidence: nil)
    var isTree = false
    let (before, statusBefore) = opener.open(first, report) { isTree = true }
    let (after, statusAfter) = opener.open(second, report) { isTree = true }
    if isTree { return try compareTrees(report) }
    guard let before, let after else { return .failed }
    try opener.checkChoices(for: [before, after])
    let status = statusBefore.union(statusAfter)
    let comparison: Comparison
    do throws(ConversionError) {
      comparison = try Comparison(before, after, schema: schema)
    } catch {
      throw .conversion(error)
    }
    typing.noteUnmatched(schema, in: [before, after])
    noteSharedTypes(before, after)
    // Nothing was repaired, so damage remains.
    var result: ExitStatus = status.isEmpty ? [] : .damaged
    if exitCode, !comparison.differences.isEmpty { result.formUnion(.repaired) }
    report(.compared(comparison, exit: result.rawValue))
    return result
  }

  /// Notes that a store without types was read with the types of the other one: after a conversion,
  /// its wrong types would not show.
  private func noteSharedTypes(_ before: ReadSource, _ after: ReadSource) {
    guard typing.types == nil, before.storesTypes != after.storesTypes else { return }
    let (untyped, typed) = before.storesTypes ? (second, first) : (first, second)
    Output.note(
      "\(untyped) stores no types and was read with those of \(typed), so wrong types are not "
        + "detected; to compare with known types, use --types FILE")
  }
}
