import ArgumentParser
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck fixture damage`: damages a copy of a healthy store.
struct FixtureDamage: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "damage",
    abstract: "Damage a copy of a healthy store, and list what must be recoverable.",
    discussion: """
      Writes the files to `store` in DIR and the answer key to `answer.json`, which lists what \
      the store held, and its encryption key if it has one. The store itself is only read. Exit status: 0 \
      damaged, 8 not a healthy store or the operator does not apply, 32 cancelled.
      """)

  @OptionGroup(title: "Store Options") private var recognition: RecognitionOptions
  @OptionGroup(title: "Options for Encrypted Stores") private var key: KeyOptions

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp(
      "The way to damage it; `kvfsck fixture --list` lists them.", valueName: "name"),
    completion: .list(
      (DamageOperator.all + DamageOperator.further).map(\.name)
        + TableDamageOperator.all.map(\.name)))
  var damage: String

  @Option(help: "The random seed, which decides where.")
  var seed: UInt64 = 0

  @Option(help: ArgumentHelp("The folder to write.", valueName: "dir"), completion: .directory)
  var out: String

  @Option(
    help: ArgumentHelp(
      "The same store in an earlier state, for operators that need one.", valueName: "store"),
    completion: .file())
  var earlier: String?

  @Option(
    help: ArgumentHelp(
      "Another store of the format, for operators that need one.", valueName: "store"),
    completion: .file())
  var foreign: String?

  @Argument(help: ArgumentHelp("The healthy store.", valueName: "store"), completion: .file())
  var store: String

  var options: StoreOptions { .of(recognition, key) }

  func validate() throws {
    if store.isEmpty { throw ValidationError("A store's path is empty.") }
    try checkFolder(out)
    if DamageOperator.named(damage) == nil, TableDamageOperator.named(damage) == nil {
      throw ValidationError(
        "Unknown operator '\(damage)'; `kvfsck fixture --list` lists them.")
    }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .dump)
    func carryOut(_ body: () throws(FixtureError) -> Void) -> ExitStatus {
      do throws(FixtureError) {
        try body()
        return []
      } catch {
        report.complain(error.message)
        return error.status
      }
    }
    let table = { (table: EntryTable) in
      carryOut { () throws(FixtureError) in try write(table, report.output) }
    }
    let status = StoreOpening.open(store, options, report, table: table) { found in
      carryOut { () throws(FixtureError) in
        try write(type(of: found.format).name, found.files, report.output)
      }
    }
    throw report.end(status)
  }

  private func write(_ table: EntryTable, _ output: Output) throws(FixtureError) {
    let target = try TableTarget(table)
    guard let damage = TableDamageOperator.named(damage),
      let damaged = damage.apply(to: target, seed: seed)
    else {
      throw .notApplicable(
        operator: damage,
        TableDamageOperator.named(damage) == nil
          ? "it does not apply to \(table.formatName)" : "it has nothing to act on there")
    }
    try write(damaged, by: damage.name, output)
  }

  private func write(
    _ format: String, _ files: [StoreFile], _ output: Output
  ) throws(FixtureError) {
    guard let format = Kvfsck.formats.fixtureFormats.first(where: { $0.name == format }),
      let damage = DamageOperator.named(damage)
    else {
      throw .unsuitable(
        "\(damage) does not apply to stores of the format \(format)")
    }
    let key: [UInt8]?
    do throws(FileError) {
      key = try options.key.bytes()
    } catch {
      throw .file(error)
    }
    let image = DiskImage(files)
    let target = try DamageTarget(
      image, as: format,
      key: key.flatMap {
        $0.isEmpty ? nil : StoreKey($0, isAES256: options.key.cipherSize == .aes256)
      },
      now: options.clock, earlier: try other(earlier, format, named: image),
      foreign: try other(foreign, format, named: nil))
    guard let damaged = damage.apply(to: target, seed: seed) else {
      throw .notApplicable(
        operator: damage.name,
        damage.isFor(format) ? damage.requirement : "it does not apply to \(format.name)")
    }
    try write(damaged, by: damage.name, output)
  }

  private func write(
    _ damaged: DamagedStore, by name: String, _ output: Output
  ) throws(FixtureError) {
    try FixtureWriter().write(damaged, to: ProcessArguments.path(out))
    let answer = damaged.answer
    output.write(
      "Wrote \(TextReporter.printable(ProcessArguments.path(out).text)): \(name), seed \(seed); of \(answer.truth.count.counted("entry", "entries")) "
        + "\(answer.must.count.grouped) must be recoverable, \(answer.lost.count.grouped) \(answer.lost.count == 1 ? "is" : "are") lost"
    )
  }

  /// Returns the files of another store, named like the files of `image` with the same role.
  private func other(
    _ path: String?, _ format: FixtureFormat, named image: DiskImage?
  ) throws(FixtureError) -> DiskImage? {
    guard let path else { return nil }
    do throws(DiscoveryError) {
      let files = DiskImage(try format.storeFiles(at: ProcessArguments.path(path)))
      return image.map { files.named(like: $0) } ?? files
    } catch .file(let error) {
      throw .file(error)
    } catch {
      throw .unsuitable(error.message)
    }
  }
}

extension FixtureError {
  /// The exit status for the error.
  var status: ExitStatus {
    if case .file(.interrupted) = self { .cancelled } else { .failed }
  }
}
