import ArgumentParser
import KVBytes
import KVCryptography
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// `kvfsck carve`: finds stores in disk images and other sources without names.
struct Carve: ParsableCommand, WritesFiles, KeepsEvidence {
  static let configuration = CommandConfiguration(
    commandName: "carve",
    abstract: "Find stores in disk images and memory dumps, and write them as files.",
    discussion: """
      Looks for the stores of MMKV and FastKV at every sector, whatever file system there is or was. \
      What a checksum of 32 bits or more shows is written into DIR/proven; what only the form of \
      its records shows, into DIR/inferred, with its probability. DIR/manifest.jsonl and \
      DIR/manifest.dfxml say where each file was. Encrypted MMKV stores are found with their .crc \
      files, without a key; with a key, also without those, and in parts. The sources are only read. Exit status: 0 whatever is found, 8 if a \
      source cannot be read or DIR cannot be written, 32 cancelled.
      """)

  @Argument(
    help: ArgumentHelp("Disk images, dumps or other files, or block devices.", valueName: "source"),
    completion: .file())
  var sources: [String]

  @Option(
    help: ArgumentHelp(
      "The folder for what is found. It is created if its parent exists; otherwise it must be empty.",
      valueName: "dir"), completion: .directory)
  var out: String

  @Option(
    help: ArgumentHelp(
      "Also find single records with the keys of this store, of its format. May be repeated.",
      valueName: "store"), completion: .file())
  var keysFrom: [String] = []

  @Option(
    help: ArgumentHelp(
      "Note in this file how far the search has come, and resume one that was stopped. It is removed at the end.",
      valueName: "file"), completion: .file())
  var resume: String?

  @OptionGroup(title: "Options for Encrypted Stores") var key: KeyOptions
  @OptionGroup(title: "Output Options") var printing: PrintOptions
  @OptionGroup(title: "Options for Evidence") var evidence: EvidenceOptions

  func validate() throws {
    try checkFolder(out)
    if sources.contains("") || resume == "" { throw ValidationError("A path is empty.") }
    if sources.contains("-") {
      throw ValidationError(
        "carve reads each source up to three times, which no pipe allows: write it to a file first, and "
          + "name that.")
    }
    try evidence.validate(outside: sources + keysFrom)
    if key.takeStandardInput { try Answer.refuseStandardInput() }
    if !key.areEmpty, !Cryptography.isAvailable {
      throw ValidationError("A key needs a kvfsck that was built with the trait Encryption.")
    }
  }

  func run() throws {
    try Manner.$current.withValue(printing.manner) {
      let output = Output.standard
      key.warnIfVisible()
      try failing(output) { () throws(FileError) in try checkProgressFile() }
      let (sweep, job) = try self.sweep()
      try failing(output) { () throws(FileError) in try carve(by: sweep, job, output) }
      throw output.finish()
    }
  }

  /// Calls `body`, and complains of its error.
  private func failing(_ output: Output, _ body: () throws(FileError) -> Void) throws {
    do throws(FileError) {
      try body()
    } catch {
      output.flush()
      StoreOpening.complain(error.message)
      throw error == .interrupted ? ExitStatus.cancelled : ExitStatus.failed
    }
  }

  /// Checks that no file that the command reads, or logs to, is also that of `--resume`.
  private func checkProgressFile() throws(FileError) {
    guard let path = resume.map(ProcessArguments.path) else { return }
    let place = Folder.located(Folder.absolute(path))
    let log = evidence.evidence.map { ProcessArguments.path($0).appending(EvidenceLog.name) }
    let others =
      (sources + keysFrom + key.allFiles).map(ProcessArguments.path) + (log.map { [$0] } ?? [])
    for other in others
    where Folder.isSame(path, other) || Folder.located(Folder.absolute(other)) == place {
      throw .member(
        path: path, reason: "the search also uses this file; name another one for --resume")
    }
  }

  private func carve(
    by sweep: Sweep, _ job: CarvingProgress.Job, _ output: Output
  ) throws(FileError) {
    let folder = ProcessArguments.path(out)
    let paths = sources.map(ProcessArguments.path)
    let readers = Folder.newFilePermissions(like: paths) ?? .ownerReadWrite
    var pending = PendingWrite(
      existing: .keep, permissions: PendingWrite.usualPermissions.intersection(readers))
    try pending.makeFolder(at: folder)
    for tier in CarvedStore.Tier.allCases {
      try pending.makeFolder(at: folder.appending(tier.rawValue))
    }
    var progress = try CarvingProgress(resume.map(ProcessArguments.path), job)
    var finds: [CarvedFind] = []
    for (number, path) in paths.enumerated() {
      let prefix = paths.count > 1 ? "\(number + 1)-" : ""
      try RawSource.open(path) { (source) throws(FileError) in
        try noteKind(of: source)
        let found = try progress.finds(in: source, number, by: sweep)
        if found.isLimited {
          Output.note("\(path.text) has too much that may be a store; not all of it was compared")
        }
        for store in found.stores {
          finds.append(try Self.write(store, prefix, of: source, into: folder, &pending))
        }
      }
    }
    let lines = finds.flatMap(CarvingManifest.line)
    try pending.add(lines, at: folder.appending("manifest.jsonl"))
    try pending.add(
      CarvingManifest.dfxml(finds, of: ReportRun()), at: folder.appending("manifest.dfxml"))
    try pending.commit()
    try progress.remove()
    printing.chosen(
      forPrograms: { output.write(bytes: lines) }, forPeople: { print(finds, output) })()
  }

  /// Returns the search, which knows the keys that the user gave, and those of records; and what tells
  /// it from others.
  private func sweep() throws -> (Sweep, CarvingProgress.Job) {
    var knowledge = CarvingKnowledge()
    let ring: KeyRing
    do throws(DiscoveryError) {
      ring = try key.ring()
    } catch {
      StoreOpening.complain(error.message)
      throw ExitStatus.failed
    }
    knowledge.secrets = ring.keys
    knowledge.isAES256 = key.cipherSize.map { $0 == .aes256 }
    /// The keys of records, each with the format that they are from, if that can be searched for.
    var known: [(format: String?, keys: [[UInt8]])] = []
    do throws(StoreError) {
      for path in keysFrom {
        let store = try store(at: path, ring)
        let format = Kvfsck.formats[store.format]?.carver == nil ? nil : store.format
        known.append((format, store.entries.map(\.key.bytes)))
      }
    } catch {
      StoreOpening.complain(error.message)
      throw ExitStatus.failed
    }
    let size = knowledge.isAES256.map { $0 ? "256" : "128" } ?? ""
    let job = CarvingProgress.Job(
      sources: sources, keysFrom: keysFrom,
      keys: Self.check(ring.keys + [Array(size.utf8)]),
      recordKeys: Self.check(known.flatMap { [Array(($0.format ?? "").utf8)] + $0.keys }))
    let sweep = Sweep { [knowledge, known, formats = Kvfsck.formats] in
      formats.entries.compactMap { entry in
        var own = knowledge
        own.keys = known.filter { $0.format ?? entry.name == entry.name }.flatMap(\.keys)
        return entry.carver?(own)
      }
    }
    return (sweep, job)
  }

  /// Returns a checksum of `keys` that is too short to tell what they are.
  private static func check(_ keys: [[UInt8]]) -> UInt16 {
    var writer = ByteWriter()
    for key in keys {
      writer.writeInteger(UInt64(key.count), as: .little)
      writer.writeBytes(key)
    }
    let image = FileImage(writer.bytes)
    return CRC16.digest(of: image, in: 0..<image.count)
  }

  /// Opens the store at `path`, which may be encrypted.
  private func store(at path: String, _ ring: KeyRing) throws(StoreError) -> KeyValueStore {
    var options = OpeningOptions()
    options.isAES256 = key.cipherSize == .aes256
    let secret = ring.choice(for: [ProcessArguments.path(path)]).key
    do throws(StoreError) {
      return try KeyValueStore(at: path, options: options)
    } catch {
      guard let secret, error.reason == .unreadable else { throw error }
      options.key = secret
      return try KeyValueStore(at: path, options: options)
    }
  }

  /// Says which file system or database a source holds: it names files that need no search.
  private func noteKind(of source: RawSource) throws(FileError) {
    let head = try source.read(0..<ArchiveKind.headCount)
    let path = source.path.text
    if case .diskImage(let name) = ArchiveKind(head.bytes) {
      Output.note(
        "\(path) begins like a disk image (\(name)); mount it read-only and scan the folder for the "
          + "files that it names")
    } else if let name = ForeignFile.name(of: head) {
      Output.note("\(path) looks like \(name); its pages are searched for stores all the same")
    }
  }

  /// Adds the files of `store` to `pending`.
  private static func write(
    _ store: CarvedStore, _ prefix: String, of source: RawSource, into folder: FilePath,
    _ pending: inout PendingWrite
  ) throws(FileError) -> CarvedFind {
    let digits = String(store.offset, radix: 16)
    let zeros = String(repeating: "0", count: max(0, 8 - digits.count))
    let name = "\(prefix)\(store.format)-0x\(zeros)\(digits)"
    var files: [CarvedFind.File] = []
    for file in store.files {
      let path = FilePath(store.tier.rawValue).appending(name + file.suffix)
      let runs = file.runs.map { $0.clamped(to: 0..<source.count) }
      var bytes = file.head
      for run in runs { bytes += try source.read(run).bytes }
      try pending.add(bytes, at: folder.pushing(path))
      files.append(CarvedFind.File(path, runs, after: file.head.count, bytes))
    }
    return CarvedFind(store, in: source.path, files)
  }

  private func print(_ finds: [CarvedFind], _ output: Output) {
    var columns = Columns(["TIER", "PROBABILITY", "FORMAT", "ENTRIES", "FILE"])
    for find in finds {
      columns.add([
        find.store.tier.rawValue, find.store.probability.text, find.store.format,
        find.store.entryCount?.grouped ?? "encrypted", find.files[0].path.text,
      ])
    }
    for line in finds.isEmpty ? [] : columns.lines { output.write(TextReporter.printable(line)) }
    let proven = finds.count { $0.store.tier == .proven }
    output.write(
      "\(Plural.count(finds.count, "store", "stores")): \(proven.grouped) proven, "
        + "\((finds.count - proven).grouped) inferred, in \(TextReporter.printable(out))")
  }
}
