import ArgumentParser
import KVConversion
import KVReport

/// Which readings of a value are shown.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which readings of a value whose type is not stored are shown: the best, which JSON has otherwise, or all.",
      valueName: "best|all"),
    completion: .list(Name.all(ValueDetail.Readings.self)), transform: Name.parse)
  var readings: ValueDetail.Readings?
}

/// What a person states about the types of values.
struct TypeOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A JSON file that says which types the values have.", valueName: "file"),
    completion: .file())
  var types: String?

  /// What the file says; nothing said where there is none.
  ///
  /// - Throws: When it cannot be read, or says what is no type.
  func schema() throws(ConvertFailure) -> TypeSchema { try SourceOpener.schema(inFile: types) }

  /// What the file says; `nil` after a message, and with the status of it, where it cannot be used.
  func schema(_ report: Reports) -> (TypeSchema?, ExitStatus) {
    do throws(ConvertFailure) {
      return (try schema(), [])
    } catch {
      report.complain(error.message)
      return (nil, error.status)
    }
  }
}
