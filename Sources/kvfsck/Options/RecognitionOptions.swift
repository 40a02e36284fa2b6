import ArgumentParser

/// The options for what a store's bytes and name do not show.
struct RecognitionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The format of the store; recognized from the bytes if omitted. One of \(ReadableFormat.allValueStrings.joined(separator: ", ")).",
      valueName: "format"),
    completion: .list(ReadableFormat.allValueStrings), transform: ReadableFormat.parse)
  var format: ReadableFormat?

  @Option(
    help: ArgumentHelp(
      "The id of an MMKV store to find below the folder STORE; may be repeated. For a file whose name is a hash, an id that it may have.",
      valueName: "name"))
  var id: [String] = []

  @Option(
    help: ArgumentHelp(
      "The clock by which entries expire, in seconds since 1970; the present if omitted.",
      valueName: "unix-seconds"))
  var now: UInt32?
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
      "A file with one key on each line: keys that YYCache files without a row may belong to.",
      valueName: "file"), completion: .file())
  var candidateKeys: String?
}

/// The options for how a store is written.
struct WritingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The pointer width, in bytes, for a FastKV store of iOS; that of the input if omitted.",
      valueName: "4|8"))
  var width: Int?

  func validate() throws {
    if let width, width != 4, width != 8 { throw ValidationError("--width is 4 or 8.") }
  }
}
