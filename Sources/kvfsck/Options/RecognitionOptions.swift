import ArgumentParser
import FastKVFormat
import KVModel

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
      "The time used to judge expiry: seconds since 1970, or a date such as 2026-01-31 or 2026-01-31T12:00:00+01:00, in UTC if it has no offset; default: now.",
      valueName: "time"), transform: RecognitionOptions.time)
  var now: UInt32?

  /// Returns the seconds since 1970 of `text`.
  ///
  /// - Throws: `ValidationError` if it is no time, or not one that MMKV can store.
  private static func time(_ text: String) throws -> UInt32 {
    guard let seconds = UTCDate.seconds(parsing: text) else {
      throw ValidationError(
        "'\(text)' is no time: give seconds since 1970, or a date and time such as 2026-01-31T12:00:00Z."
      )
    }
    guard let time = UInt32(exactly: seconds) else {
      throw ValidationError("'\(text)' is not between the years 1970 and 2106.")
    }
    return time
  }

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
