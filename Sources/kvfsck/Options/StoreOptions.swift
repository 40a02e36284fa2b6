import ArgumentParser
import ExchangeFormats
import KVBytes
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// How a store is opened: its format, its key, its name, the clock.
struct StoreOptions: ParsableArguments {
  @Option(help: "The format of the store; recognized from the bytes if omitted.")
  var format: ReadableFormat?

  @Option(
    help: ArgumentHelp(
      "The id of an MMKV store to find below the folder STORE; may be repeated. For a file whose name is a hash, an id that it may have.",
      valueName: "name"))
  var id: [String] = []

  @OptionGroup var key: KeyOptions

  @Option(
    help: ArgumentHelp(
      "The pointer width, in bytes, for a FastKV store of iOS that is written; that of the input if omitted.",
      valueName: "4|8"))
  var width: Int?

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

  @Option(
    help: ArgumentHelp(
      "The clock by which entries expire, in seconds since 1970; the present if omitted.",
      valueName: "unix-seconds"))
  var now: UInt32?

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  func validate() throws {
    let columns = [table, keyColumn, valueColumn].count { $0 != nil }
    if columns != 0 && columns != 3 || columns == 0 && format == .table {
      throw ValidationError("--table, --key-column and --value-column go together.")
    }
    if columns == 3, let format, ![.table, .wcdb].contains(format) {
      throw ValidationError(
        "--table is for databases of SQLite: --format sqlite3 or wcdb, or none.")
    }
    if let width, width != 4, width != 8 {
      throw ValidationError("--width is 4 or 8.")
    }
  }

  /// The clock.
  var clock: UInt32 { now ?? SystemClock.secondsSince1970 }

  /// The formats that the store may have.
  func formats(_ settings: FormatOptions) -> [any StoreFormat] {
    Kvfsck.formats.stores(settings, named: format?.name)
  }

  /// The formats without a log that the store may have.
  func readers(_ settings: FormatOptions) -> [any EntryReader] {
    let name = table == nil ? format?.name : (format ?? .table).name
    return Kvfsck.formats.readers(settings, named: name)
  }

  /// How the formats read, with the keys.
  ///
  /// They may come from a pipe: see ``Reports/settings()``.
  ///
  /// - Throws: When the file with the keys, or that of candidate keys, cannot be read.
  func formatOptions() throws(DiscoveryError) -> FormatOptions {
    var options = FormatOptions(now: clock)
    options.keys = try key.ring()
    options.isAES256 = key.cipherSize.map { $0 == .aes256 }
    options.ids = id
    options.pointerWidth = width
    options.candidateKeys = try givenCandidates()
    if let table, let keyColumn, let valueColumn {
      options.table = SQLiteTableReader(
        table: table, keyColumn: keyColumn, valueColumn: valueColumn)
    }
    return options
  }

  private func givenCandidates() throws(DiscoveryError) -> [String] {
    guard let candidateKeys else { return [] }
    do throws(FileError) {
      let text = String(
        decoding: try FileImage.read(ProcessArguments.path(candidateKeys)).bytes, as: UTF8.self)
      return text.split(whereSeparator: \.isNewline).map(String.init)
    } catch {
      throw .file(error)
    }
  }

  /// What prints the results of the command `job` to `output`, with as much of `values`.
  func printer(
    _ job: TextReporter.Job, _ output: Output, _ values: ValueDetail, namesStores: Bool
  ) -> any Reporter {
    if json { return output.json(values, namesStores: namesStores) }
    let errors = Output.error
    let advice = Advice(options: self)
    var folders = NewFolders()
    return TextReporter(
      job,
      to: .init(
        inColour: Terminals.usesColour, isTerminal: Terminal.isInteractive(.output)
      ) { output.write($0) },
      errors: .init(inColour: Terminals.usesColourOnError) { errors.write($0) },
      values: values, advice: { advice.text($0, &folders) })
  }

  /// Says that a key on a command line is not a secret.
  func warnOfVisibleKey(and other: String? = nil) {
    if key.text != nil || key.hex != nil || other != nil {
      Output.error.write(
        "kvfsck: note: other users can see a key on a command line; one in a file is safer")
    }
  }
}
