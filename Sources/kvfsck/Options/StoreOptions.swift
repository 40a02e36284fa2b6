import ArgumentParser
import ExchangeFormats
import KVBytes
import KVCryptography
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The options for how a store is opened (format, key, name and clock) and how results are printed.
struct StoreOptions: ParsableArguments {
  @OptionGroup(title: "Store Options") private var recognition: RecognitionOptions
  @OptionGroup(title: "Options for Encrypted Stores") var key: KeyOptions
  @OptionGroup(title: "Options for Databases") var database: DatabaseOptions
  @OptionGroup(title: "Output Options") var printing: PrintOptions
  @OptionGroup(title: "Options for Evidence") var evidence: EvidenceOptions

  // Not a group of their own, with which each command would take 5% longer to start.
  @Option(
    name: .customLong("keys-from"),
    help: ArgumentHelp(
      "Search for the keys of MMKV stores in this program (APK, IPA), folder, archive or file. May be repeated.",
      valueName: "path"), completion: .file())
  var keySources: [String] = []

  @Flag(help: "Print what is secret: keys that --keys-from finds, and the values of residue.")
  var show = false

  /// The options if none is given.
  static var unset: StoreOptions {
    var options = StoreOptions()
    options.recognition = .unset
    options.key = .unset
    options.keySources = []
    options.show = false
    options.database = .unset
    options.printing = .unset
    options.evidence = .unset
    return options
  }

  /// Returns the options of a command that prints one line in one form.
  static func of(_ recognition: RecognitionOptions, _ key: KeyOptions) -> StoreOptions {
    var options = unset
    options.recognition = recognition
    options.key = key
    return options
  }

  /// The format given by the user.
  var format: ReadableFormat? { recognition.format }
  /// The ids that the store may have.
  var id: [String] { recognition.id }
  /// The table of a database to read.
  var table: String? { database.table }
  /// The file with keys that the files of a cache may belong to.
  var candidateKeys: String? { database.candidateKeys }

  func validate() throws {
    let columns = [table, database.keyColumn, database.valueColumn].count { $0 != nil }
    if columns != 0 && columns != 3 || columns == 0 && format == .table {
      throw ValidationError("--table, --key-column and --value-column must be given together.")
    }
    if columns == 3, let format, ![.table, .wcdb].contains(format) {
      throw ValidationError(
        "--table needs an SQLite database: use --format sqlite3 or wcdb, or omit --format.")
    }
    guard !keySources.isEmpty else { return }
    if !key.areEmpty { throw ValidationError("Give either a key or --keys-from.") }
    if keySources.contains("") { throw ValidationError("--keys-from takes a path.") }
    try evidence.validate(outside: keySources)
    if !Cryptography.isAvailable {
      throw ValidationError("--keys-from needs a kvfsck that was built with the trait Encryption.")
    }
  }

  /// Checks that no path in `stores` is empty, that standard input is read at most once, and that
  /// nothing is logged into what is read.
  func validate(stores: [String]) throws {
    if stores.contains("") { throw ValidationError("A store's path is empty.") }
    let count = stores.count { $0 == "-" }
    if count + (key.takeStandardInput ? 1 : 0) > 1 {
      throw ValidationError("Standard input can be only one store or the key.")
    }
    if stores.contains("-") || key.takeStandardInput { try Answer.refuseStandardInput() }
    try evidence.validate(outside: stores)
  }

  /// The time by which expiry is judged, in seconds since 1970.
  var clock: UInt32 {
    get { recognition.now ?? SystemClock.secondsSince1970 }
    set { recognition.now = newValue }
  }
  /// Whether the user gave that time.
  var hasClock: Bool { recognition.now != nil }

  /// Returns the formats that the store may have.
  func formats(_ settings: FormatOptions) -> [any StoreFormat] {
    Kvfsck.formats.stores(settings, named: format?.name)
  }

  /// Returns the formats without a log that the store may have.
  func readers(_ settings: FormatOptions) -> [any EntryReader] {
    let name = table == nil ? format?.name : (format ?? .table).name
    return Kvfsck.formats.readers(settings, named: name)
  }

  /// Returns the options for the formats, with the keys.
  ///
  /// The keys may come from a pipe, so call this once; see ``Reports/settings()``.
  ///
  /// - Throws: If the file with the keys, or that with candidate keys, cannot be read.
  func formatOptions() throws(DiscoveryError) -> FormatOptions {
    var options = FormatOptions(now: clock)
    options.keys = keySources.isEmpty ? try key.ring() : KeyRing(among: try foundKeys())
    options.isAES256 = key.cipherSize.map { $0 == .aes256 }
    options.ids = id
    options.candidateKeys = try givenCandidates()
    if let table, let keyColumn = database.keyColumn, let valueColumn = database.valueColumn {
      options.table = SQLiteTableReader(
        table: table, keyColumn: keyColumn, valueColumn: valueColumn)
    }
    return options
  }

  /// Returns what may be the keys of the stores.
  private func foundKeys() throws(DiscoveryError) -> KeyCandidates {
    do throws(FileError) {
      let found = try KeyCandidates(
        from: keySources.map(ProcessArguments.path), by: Kvfsck.formats, shown: show)
      if found.isFull {
        Output.note(
          "only the first \(found.count.counted("candidate", "candidates")) for keys are tried")
      }
      return found
    } catch {
      throw .file(error)
    }
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

  /// Returns the reporter that prints the results of the command `job` to `output`, with the detail
  /// of `values`.
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
      ) { output.write(bytes: $0) },
      errors: .init(inColor: Terminals.usesColorOnError, width: Terminals.width(of: .error)) {
        errors.write(bytes: $0)
      },
      values: values, isBrief: printing.quiet, advice: { advice.text($0, &folders) })
  }

  /// Prints a note if a key was given on the command line, where it is not secret.
  func warnOfVisibleKey(and other: String? = nil) { key.warnIfVisible(and: other) }
}

/// A command that opens stores and prints what it reads.
protocol OpensStores {
  /// How the command opens stores and prints.
  var options: StoreOptions { get }
  /// Whether the command has values that only `--show` prints.
  static var hidesValues: Bool { get }
}

extension OpensStores {
  static var hidesValues: Bool { false }

  /// Checks that `--show` has something to show, which options that are parsed by themselves cannot
  /// know.
  func validateShow() throws {
    if options.show, options.keySources.isEmpty, !Self.hidesValues {
      throw ValidationError(
        "--show prints the keys that --keys-from finds: give --keys-from PATH too, or omit --show.")
    }
  }
}
