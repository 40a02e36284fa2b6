import ArgumentParser
import KVConversion
import KVReport

/// The options for which readings of a value are shown.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which readings of a value whose type is not stored are shown: the best, which JSON has otherwise, or all.",
      valueName: "best|all"),
    completion: .list(Name.all(ValueDetail.Readings.self)), transform: Name.parse)
  var readings: ValueDetail.Readings?
}

/// The options for what the user states about the types of values.
struct TypeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A JSON file that says which types the values have.", valueName: "file"),
    completion: .file())
  var types: String?

  /// Returns the schema in the file; an empty one if no file is given.
  ///
  /// - Throws: If the file cannot be read, or names an unknown type.
  func schema() throws(ConvertFailure) -> TypeSchema { try SourceOpener.schema(inFile: types) }

  /// Returns the schema; `nil` and the exit status, after a message, if the file cannot be used.
  func schema(_ report: Reports) -> (TypeSchema?, ExitStatus) {
    do throws(ConvertFailure) {
      return (try schema(), [])
    } catch {
      report.complain(error.message)
      return (nil, error.status)
    }
  }
}
