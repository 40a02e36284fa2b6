import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The conversion of all stores in folders and archives, each to a file of its own.
extension Convert {
  /// Converts each store below the paths, as if it had been named; one that cannot be converted does
  /// not keep the others from it.
  func convertTrees(
    to format: WritableFormat, _ report: Reports
  ) throws(ConvertFailure) -> ExitStatus {
    if isStreamed {
      throw .conversion(.library("--out - takes one store; name a folder for those below \(names)"))
    }
    let work = TreeWork(
      roots: stores.map(ProcessArguments.path), out: dryRun ? nil : out.map(ProcessArguments.path),
      isExecuted: !dryRun, verb: "converted",
      cancelled: "kvfsck: error: cancelled; the remaining stores were not converted\n",
      report: report)
    if let reason = work.refusal { throw .conversion(.library(reason)) }
    if let path = typesOut.map(ProcessArguments.path), !resume, Folder.isTaken(path) {
      throw .file(.exists(path: path))
    }
    report(.several)
    var conversion = TreeConversion(
      self, format, try typing.schema(), try chosenCipher(), work)
    do throws(DiscoveryError) {
      try conversion.learn()
      let status = try work.forEachStore(options) { conversion.convert($0) }
      guard conversion.totals.storeCount > 0 else {
        return ScanRun.foundNothing(in: work.roots, report)
      }
      return try conversion.end(status)
    } catch {
      throw .discovery(error)
    }
  }

  private var names: String { stores.joined(separator: ", ") }
}

/// A run of `convert` over all stores of folders and archives.
private struct TreeConversion {
  private let command: Convert
  private let format: WritableFormat
  /// The types that the user gives.
  private let schema: TypeSchema
  /// How new stores are encrypted as the options say.
  private let chosen: CipherChoice
  private let work: TreeWork
  /// The types that the stores have, and those with which they were converted.
  private var (learned, used) = (LearnedTypes(), LearnedTypes())
  /// The permissions that all files that were read have in common.
  private var permissions: FilePermissions?
  private(set) var totals: ConversionTotals

  init(
    _ command: Convert, _ format: WritableFormat, _ schema: TypeSchema, _ chosen: CipherChoice,
    _ work: TreeWork
  ) {
    (self.command, self.format, self.schema) = (command, format, schema)
    (self.chosen, self.work) = (chosen, work)
    totals = ConversionTotals(isExecuted: work.isExecuted)
  }

  private var report: Reports { work.report }

  /// Returns `source` without what is to be hidden.
  private func shown(_ source: ReadSource) -> ReadSource {
    report.redaction?.sources([source], by: schema)[0] ?? source
  }

  // MARK: Types

  /// Learns the types of the keys from all stores.
  mutating func learn() throws(DiscoveryError) {
    let progress = ScanProgress(of: work.roots)
    var (count, keys) = (0, Set<Key>())
    let scan = try ScanOptions.scanOfAll(command.options, report, keepingStores: true)
    scan.results(
      of: TreeWalk(work.roots), overlapping: work.roots.count > 1, passed: progress.pass
    ) { result in
      if let source = command.opener.source(result) {
        if !schema.rules.isEmpty { keys.formUnion(source.keys) }
        let typed = LearnedTypes().typed(
          shown(source), by: schema, assumesLikeliest: command.assumeLikeliest)
        learned.add(typed.types(), areStated: typed.storesTypes)
      }
      count += 1
      progress.report(count)
      return work.isExecuted || !report.areUnread
    }
    StatusLine.current?.erase()
    command.typing.noteUnmatched(schema, among: keys)
  }

  /// Writes the file of types, if one was requested: a rule for each key that has the same type in all
  /// stores.
  private func writeTypes() throws(FileError) {
    guard let path = command.typesOut.map(ProcessArguments.path) else { return }
    let bytes = used.common.bytes
    if command.resume, (try? FileImage.read(path).bytes) == bytes { return }
    var pending = PendingWrite(existing: .keep, permissions: permissions ?? .ownerReadWrite)
    try pending.add(bytes, at: path)
    try pending.commit()
    let differing = used.differing
    guard !differing.isEmpty else { return }
    Output.note(
      "\(path.text) has no rule for \(Plural.count(differing.count, "key", "keys")) whose type is not "
        + "the same in all stores: "
        + differing.prefix(8).map { Value.mentioned($0) }.joined(separator: ", ")
        + (differing.count > 8 ? ", …" : ""))
  }

  // MARK: Stores

  /// Converts the store of `result`.
  ///
  /// - Returns: `.failed` if it could not be converted, `.damaged` if it was not to be.
  mutating func convert(_ result: TreeScan.Result) -> ExitStatus {
    let place = result.outcome.path
    var source: ReadSource?
    var status: ExitStatus
    if MemberPath.isMember(place), result.content != nil {
      report(.begun(path: place.text))
      (source, status) = command.opener.open(result, report)
    } else {
      (source, status) = command.opener.open(place.text, at: place, report)
    }
    guard let source else {
      totals.add(.unread)
      return .failed
    }
    do throws(ConvertFailure) {
      return try convert(source, status, of: place)
    } catch {
      return fail(place, error.message)
    }
  }

  /// Reports that the store at `place` was not converted.
  private mutating func fail(_ place: FilePath, _ reason: String) -> ExitStatus {
    totals.add(.failed)
    return StoreOpening.fail(place.text, "\(place.text): \(reason)", report)
  }

  private mutating func convert(
    _ source: ReadSource, _ status: ExitStatus, of place: FilePath
  ) throws(ConvertFailure) -> ExitStatus {
    let cipher = try command.cipher(of: format, like: [source], chosen: chosen)
    let typed = learned.typed(
      shown(source), by: schema, assumesLikeliest: command.assumeLikeliest)
    do throws(ConversionError) {
      return try convert(typed, cipher, status, of: place)
    } catch {
      throw .conversion(error)
    }
  }

  private mutating func convert(
    _ source: TypedSource, _ cipher: CipherChoice, _ status: ExitStatus, of place: FilePath
  ) throws(ConversionError) -> ExitStatus {
    report(.findings(source.findings.map(\.finding), in: source.files))
    let encoder = format.encoder(command.writing(cipher))
    let conversion = Conversion(of: source, by: encoder, listsTypes: report.listsTypes)
    used.add(
      try command.rules(of: source, conversion, keepsTypes: type(of: encoder).keepsTypes),
      areStated: source.storesTypes)
    let own = Folder.newFilePermissions(like: source.files.map(\.path)) ?? .ownerReadWrite
    permissions = permissions?.intersection(own) ?? own
    let folder = work.folder(for: place)
    if work.out != nil, folder == nil {
      throw .library("its name leads out of the new folder")
    }
    let target = folder.map { $0.appending(source.name + type(of: encoder).suffix) }
    // Leftovers of a killed run must not pass for complete files.
    if let folder { UnfinishedOutput.removeAbandoned(in: folder) }
    if let target, command.resume, Folder.isTaken(target) {
      if let reason = difference(of: target, from: conversion, cipher) {
        throw .library("\(target.text) is there, and \(reason); move it away")
      }
      totals.add(.present, try conversion.survey { _ in })
      return []
    }
    return try write(
      conversion, to: target, cipher, permissions: own, status, of: place)
  }

  /// Writes the new files, and compares what is read from them with what was to be written.
  private mutating func write(
    _ conversion: Conversion, to target: FilePath?, _ cipher: CipherChoice,
    permissions: FilePermissions, _ status: ExitStatus, of place: FilePath
  ) throws(ConversionError) -> ExitStatus {
    if let target {
      do throws(FileError) {
        try Folder.makeAll(
          target.removingLastComponent().lexicallyNormalized().removingLastComponent())
      } catch {
        throw .file(error)
      }
    }
    let outcome = try command.carryOut(
      conversion, permissions, isDamaged: status.contains(.damaged), report
    ) { target ?? ProcessArguments.path($0) }
    var own = status
    let isWithheld = outcome.paths == nil && work.isExecuted
    if isWithheld { own = command.complain(outcome.summary.losses, status, report) }
    if let target, !isWithheld, let reason = difference(of: target, from: conversion, cipher) {
      throw .library("\(target.text) was written, but \(reason)")
    }
    own.formUnion(command.undecided(outcome.summary))
    report(
      .converted(outcome.summary, to: format.name, paths: outcome.paths, exit: own.rawValue))
    totals.add(isWithheld ? .withheld : .converted, isWithheld ? nil : outcome.summary)
    return isWithheld ? .damaged : []
  }

  // MARK: Reading back

  /// Returns why the files at `path` are not those that `conversion` writes; `nil` if they are.
  private func difference(
    of path: FilePath, from conversion: Conversion, _ cipher: CipherChoice
  ) -> String? {
    do throws(ConversionError) {
      guard Kvfsck.formats[format.name]?.isReadable ?? false else {
        let (image, _) = try command.streamed(conversion) { _ in }
        let isSame = (try? FileImage.read(path).bytes) == image.bytes
        return isSame ? nil : "its bytes differ from what the store gives"
      }
      guard let new = try readBack(path, cipher) else {
        return "it cannot be read as a clean store"
      }
      let keys = try conversion.keysThatDiffer(in: new)
      return keys.isEmpty
        ? nil
        : "\(Plural.count(keys.count, "entry differs", "entries differ")) from what the store gives"
    } catch {
      return "it cannot be read back: \(error.message)"
    }
  }

  /// Reads the new files at `path`; `nil` if they are not a clean store of the format.
  private func readBack(
    _ path: FilePath, _ cipher: CipherChoice
  ) throws(ConversionError) -> ReadSource? {
    let settings = command.writing(cipher)
    do throws(DiscoveryError) {
      guard Kvfsck.formats[format.name]?.hasLog ?? false else {
        let readers = Readers(Kvfsck.formats.readers(settings, named: format.name))
        let (reader, files) = try readers.first(at: path, in: DiskSource())
        return .table(try reader.table(files))
      }
      let formats = Formats(Kvfsck.formats.stores(settings, named: format.name))
      return source(try formats.candidates(at: path, in: DiskSource()).best.found)
    } catch {
      throw .library(error.message)
    }
  }

  private func source(_ found: some FoundStore) -> ReadSource? {
    let (store, diagnosis) = found.open().examined(now: command.options.clock)
    guard diagnosis.verdict == .clean,
      let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
    else { return nil }
    return .store(store, diagnosis, plan)
  }

  // MARK: The end

  /// Writes the types, and reports the totals.
  func end(_ status: ExitStatus) throws(DiscoveryError) -> ExitStatus {
    Interruption.hold()
    do throws(FileError) {
      if !status.contains(.cancelled) { try writeTypes() }
    } catch {
      throw .file(error)
    }
    report(.convertedAll(totals))
    if !report.areUnread { report.noteUnusedKeys() }
    return status
  }
}
