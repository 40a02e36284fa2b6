import ArgumentParser
import KVConversion
import KVModel
import KVReport

/// `kvfsck compare`: says how the entries of two stores differ.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say which keys were added, removed and changed from one store to another.",
    discussion: """
      Typed values are compared, so the stores may be of different formats. MMKV stores no types: beside \
      a store that has them, an MMKV store is read with those. Of a damaged store it takes what `dump` \
      shows. The key options are for both stores. Exit status: 0, also if they differ; 4 if one is \
      damaged. With --exit-code, 1 is added if they differ.
      """)

  @OptionGroup(title: "Store Options") var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var choices: ChoiceOptions

  @Option(
    help: ArgumentHelp("A JSON file that says which types the values have.", valueName: "file"),
    completion: .file())
  var types: String?

  @Flag(help: "Exit with 1 where the stores differ, as `git diff` does.")
  var exitCode = false

  @Argument(help: ArgumentHelp("The store before.", valueName: "a"), completion: .file())
  var first: String

  @Argument(help: ArgumentHelp("The store after.", valueName: "b"), completion: .file())
  var second: String

  func validate() throws {
    if first.isEmpty || second.isEmpty { throw ValidationError("A store's path is empty.") }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .compare)
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
    let schema = try SourceOpener.schema(inFile: types)
    let opener = SourceOpener(
      options: options, choices: choices, includesGuesses: true, assumesLikeliest: false)
    var (before, status) = opener.open(first, schema, report)
    var (after, statusAfter) = opener.open(second, schema, report)
    // A format without types borrows those of the other store.
    if let one = before, let two = after, one.storesTypes != two.storesTypes {
      if one.storesTypes {
        (after, statusAfter) = opener.open(
          second, TypeSchema(schema.rules + one.types()), report)
      } else {
        (before, status) = opener.open(first, TypeSchema(schema.rules + two.types()), report)
      }
    }
    guard let before, let after else { return .failed }
    status.formUnion(statusAfter)
    let comparison: Comparison
    do throws(ConversionError) {
      comparison = try Comparison(before, after)
    } catch {
      throw .conversion(error)
    }
    // Nothing was repaired: what is damaged is left so.
    var result: ExitStatus = status.isEmpty ? [] : .damaged
    if exitCode, !comparison.differences.isEmpty { result.formUnion(.repaired) }
    report(.compared(comparison, exit: result.rawValue))
    return result
  }
}
