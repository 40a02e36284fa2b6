import ArgumentParser
import FastKVFormat

/// The options for what a store's bytes and name do not show.
struct RecognitionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The format of the store; default: recognized from the bytes. One of \(ReadableFormat.allValueStrings.joined(separator: ", ")).",
      valueName: "format"),
    completion: .list(ReadableFormat.allValueStrings), transform: ReadableFormat.parse)
  var format: ReadableFormat?

  @Option(
    help: ArgumentHelp(
      "The id of an MMKV store to find in the folder STORE; may be repeated. For a file named by a hash, an id to try.",
      valueName: "name"))
  var id: [String] = []

  @Option(
    help: ArgumentHelp(
      "The time used to judge expiry, in seconds since 1970; default: now.",
      valueName: "unix-seconds"))
  var now: UInt32?

  /// The options if none is given.
  static var unset: RecognitionOptions {
    var options = RecognitionOptions()
    options.format = nil
    options.id = []
    options.now = nil
    return options
  }
}

/// The options for which part of a database is the store.
struct DatabaseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The table of an SQLite or WCDB database to read, with --key-column and --value-column.",
      valueName: "name"))
  var table: String?

  @Option(help: ArgumentHelp("The column with the keys.", valueName: "name"))
  var keyColumn: String?

  @Option(help: ArgumentHelp("The column with the values.", valueName: "name"))
  var valueColumn: String?

  @Option(
    help: ArgumentHelp(
      "A file with one key per line, to match value files of AsyncStorage and YYCache without an index.",
      valueName: "file"), completion: .file())
  var candidateKeys: String?

  /// The options if none is given.
  static var unset: DatabaseOptions {
    var options = DatabaseOptions()
    options.table = nil
    options.keyColumn = nil
    options.valueColumn = nil
    options.candidateKeys = nil
    return options
  }
}

/// The options for how a store is written.
struct WritingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The pointer width in bytes for a FastKV store of iOS; default: that of the input.",
      valueName: "4|8"))
  var width: Int?

  /// Returns whether pointers have a width in stores of the format with this name.
  static func haveWidth(_ format: String) -> Bool { format == AppleFastKVFormat.name }

  func validate() throws {
    if let width, width != 4, width != 8 { throw ValidationError("--width takes 4 or 8.") }
  }
}
