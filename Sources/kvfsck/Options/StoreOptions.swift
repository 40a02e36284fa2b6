import ArgumentParser
import ExchangeFormats
import KVBytes
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// How a store is opened: its format, its key, its name, the clock; and how it is printed.
struct StoreOptions: ParsableArguments {
  @OptionGroup(title: "Store Options") private var recognition: RecognitionOptions
  @OptionGroup(title: "Options for Encrypted Stores") var key: KeyOptions
  @OptionGroup(title: "Options for Databases") private var database: DatabaseOptions
  @OptionGroup(title: "Output Options") var printing: PrintOptions

  /// The format that was named.
  var format: ReadableFormat? { recognition.format }
  /// The ids that the store may have.
  var id: [String] { recognition.id }
  /// The table of a database to read.
  var table: String? { database.table }
  /// The file with keys that files of a cache may belong to.
  var candidateKeys: String? { database.candidateKeys }

  func validate() throws {
    let columns = [table, database.keyColumn, database.valueColumn].count { $0 != nil }
    if columns != 0 && columns != 3 || columns == 0 && format == .table {
      throw ValidationError("--table, --key-column and --value-column go together.")
    }
    if columns == 3, let format, ![.table, .wcdb].contains(format) {
      throw ValidationError(
        "--table is for databases of SQLite: --format sqlite3 or wcdb, or none.")
    }
  }

  /// Throws where a path of `stores` is empty, or standard input would be read twice.
  func validate(stores: [String]) throws {
    if stores.contains("") { throw ValidationError("A store's path is empty.") }
    let count = stores.count { $0 == "-" }
    if count + (key.takeStandardInput ? 1 : 0) > 1 {
      throw ValidationError("Standard input is read once: it is one store, or the key.")
    }
  }

  /// The clock.
  var clock: UInt32 { recognition.now ?? SystemClock.secondsSince1970 }

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
    options.candidateKeys = try givenCandidates()
    if let table, let keyColumn = database.keyColumn, let valueColumn = database.valueColumn {
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
    if printing.json { return output.json(values, namesStores: namesStores) }
    let errors = Output.error
    let advice = Advice(options: self)
    var folders = NewFolders()
    return TextReporter(
      job,
      to: .init(
        inColor: Terminals.usesColor, isTerminal: Terminal.isInteractive(.output),
        width: Terminals.width(of: .output)
      ) { output.write($0) },
      errors: .init(inColor: Terminals.usesColorOnError, width: Terminals.width(of: .error)) {
        errors.write($0)
      },
      values: values, isBrief: printing.quiet, advice: { advice.text($0, &folders) })
  }

  /// Says that a key on a command line is not a secret.
  func warnOfVisibleKey(and other: String? = nil) {
    if key.text != nil || key.hex != nil || other != nil {
      Output.note("other users can see a key on a command line; one in a file is safer")
    }
  }
}

/// A command that opens stores, and prints what it reads.
protocol OpensStores {
  /// How it opens them, and how it prints.
  var options: StoreOptions { get }
}
