import ArgumentParser
import KVBytes
import KVFixtures
import KVModel
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck fixture make`: creates a store from a script.
struct FixtureMake: ParsableCommand, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "make",
    abstract: "Make a healthy store from a script, as the app's own engine would write it.",
    discussion: """
      A script has one operation per line: `string token abc`, `remove token`, `clearall`. \
      Docs/FIXTURES.md lists them all. Exit status: 0 made, 8 cannot write, 16 the script has an \
      error, 32 cancelled.
      """)

  @Argument(help: ArgumentHelp("The script.", valueName: "script"), completion: .file())
  var script: String

  @Option(
    help: ArgumentHelp(
      "The folder for the files. It is created if its parent exists; nothing in it is overwritten.",
      valueName: "dir"), completion: .directory)
  var out: String

  @OptionGroup var format: ScriptFormat

  @Option(
    help: ArgumentHelp("The random seed.", valueName: "number"))
  var seed: UInt64 = 0

  @Flag(help: "Write the files after each operation, into numbered folders.")
  var each = false

  @Option(
    help: ArgumentHelp(
      "Write the entries of the store to this file, in the form of `dump --json`.",
      valueName: "file"),
    completion: .file())
  var expected: String?

  func validate() throws {
    try checkFolder(out)
    if expected == "" { throw ValidationError("--expected takes the path of a file.") }
  }

  func run() throws {
    let output = Output.standard
    do throws(ScriptFile.Failure) {
      try make(output)
    } catch {
      output.flush()
      StoreOpening.complain(error.message)
      throw error.status
    }
    throw output.finish()
  }

  private func make(_ output: Output) throws(ScriptFile.Failure) {
    let path = ProcessArguments.path(script)
    let parsed = try ScriptFile.read(path, seed: seed, format)
    var images: [DiskImage] = []
    let simulation = try ScriptFile.carrying(path) { () throws(ScriptError) in
      var simulation = try Simulation(parsed, seed: seed)
      guard each else {
        try simulation.finish()
        return simulation
      }
      while let step = try simulation.next() { images.append(step.after) }
      return simulation
    }
    let paths: [FilePath]
    do throws(FileError) {
      paths = try write(images, simulation)
    } catch {
      throw .file(error)
    }
    output.write(
      Plural.count(parsed.statements.count, "operation", "operations") + ", "
        + Plural.count(simulation.entries.count, "entry", "entries") + ", "
        + "format \(parsed.settings.formatName)")
    for path in paths { output.write("Wrote \(TextReporter.printable(path.text))") }
  }

  /// Writes the files after each operation, or only the final ones if there are no `images`; all or
  /// nothing.
  private func write(
    _ images: [DiskImage], _ simulation: Simulation
  ) throws(FileError) -> [FilePath] {
    let folder = ProcessArguments.path(out)
    var pending = PendingWrite(existing: .keep)
    if each || !Folder.isTaken(folder) { try pending.makeFolder(at: folder) }
    let width = String(images.count).count
    for (index, image) in images.enumerated() {
      let number = String(index + 1)
      let name = String(repeating: "0", count: width - number.count) + number
      try pending.makeFolder(at: folder.appending(name))
      try add(image, to: folder.appending(name), &pending)
    }
    if !each { try add(simulation.image, to: folder, &pending) }
    if let expected {
      let lines = Self.lines(of: simulation.entriesAtLaunch)
      try pending.add(lines, at: ProcessArguments.path(expected))
    }
    let paths = pending.paths
    try pending.commit()
    return paths
  }

  private func add(
    _ image: DiskImage, to folder: FilePath, _ pending: inout PendingWrite
  ) throws(FileError) {
    for file in image.files { try pending.add(file.bytes, at: folder.appending(file.name)) }
  }

  /// Returns the entries as `dump --json` prints them, sorted by key; for none, the line that says so.
  private static func lines(
    of entries: (stored: [Key: [UInt8]], typed: [TypedEntry]?)
  ) -> [UInt8] {
    guard !entries.stored.isEmpty else {
      return line {
        $0.member("entries", 0)
        $0.member("type", "summary")
      }
    }
    if let typed = entries.typed {
      return typed.sorted { $0.key < $1.key }.flatMap { entry in
        line(about: entry.key) { line in line.member("value") { $0.value(entry.value) } }
      }
    }
    return entries.stored.sorted { $0.key < $1.key }.flatMap { key, value in
      line(about: key) { $0.member("raw_hex", hexadecimal: value) }
    }
  }

  private static func line(about key: Key, _ body: (inout JSONLine) -> Void) -> [UInt8] {
    line {
      $0.member("key", key.text)
      $0.member("key_hex", hexadecimal: key.bytes)
      body(&$0)
      $0.member("type", "entry")
    }
  }

  private static func line(_ body: (inout JSONLine) -> Void) -> [UInt8] {
    JSONLine.lines(to: nil) { $0.line(body) }
  }
}
