import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// The conversion of one of many stores, on any thread.
struct StoreConversion: Sendable {
  /// What became of a store.
  struct Outcome: Sendable {
    /// The types with which it was converted.
    var types: [TypeSchema.Rule] = []
    var areTypesStated = false
    /// The permissions that its files have in common.
    var permissions: FilePermissions?
    /// `.failed` if it could not be converted, `.damaged` if it was not to be.
    var status: ExitStatus = []
    var kind = ConversionTotals.Kind.failed
    var summary: Conversion.Summary?
  }

  let command: Convert
  let format: WritableFormat
  /// The types that the user gives.
  let schema: TypeSchema
  /// How new stores are encrypted as the options say.
  let chosen: CipherChoice
  let work: TreeWork
  /// The types that the stores have.
  var learned = LearnedTypes()

  private var suffix: String { type(of: format.encoder(command.writing(.plain))).suffix }

  /// Returns the types of a store, none if it cannot be read, and its keys if they are asked for.
  func types(
    of result: TreeScan.Result, _ report: Reports
  ) -> (rules: [TypeSchema.Rule], areStated: Bool, keys: Set<Key>) {
    guard let source = command.opener.source(result) else { return ([], false, []) }
    let typed = LearnedTypes().typed(
      shown(source, report), by: schema, assumesLikeliest: command.assumeLikeliest)
    return (typed.types(), typed.storesTypes, schema.rules.isEmpty ? [] : source.keys)
  }

  /// Returns `source` without what is to be hidden.
  private func shown(_ source: ReadSource, _ report: Reports) -> ReadSource {
    report.redaction?.sources([source], by: schema)[0] ?? source
  }

  /// Returns what is written for a store that a scan has found.
  func target(of result: TreeScan.Result) -> WriteTarget {
    guard work.out != nil, let folder = work.folder(for: result.outcome.path) else { return .none }
    guard let file = result.outcome.files.first else { return .unknown }
    return .file(folder.pushing(file.nameOfCopy.appending(suffix: suffix)))
  }

  /// Converts the store of `result`.
  func convert(_ result: TreeScan.Result, _ report: Reports) -> Outcome {
    let place = result.outcome.path
    var outcome = Outcome()
    let source: ReadSource?
    let status: ExitStatus
    if MemberPath.isMember(place) {
      report(.begun(path: ReportedPath(place)))
      (source, status) = command.opener.open(result, report)
    } else {
      (source, status) = command.opener.open(place.text, found: result, report)
    }
    guard let source else {
      (outcome.kind, outcome.status) = (.unread, .failed)
      return outcome
    }
    do throws(ConvertFailure) {
      try convert(source, status, of: place, &outcome, report)
    } catch {
      outcome.status = StoreOpening.fail(
        ReportedPath(place), "\(place.text): \(error.message)", report)
    }
    return outcome
  }

  private func convert(
    _ source: ReadSource, _ status: ExitStatus, of place: FilePath, _ outcome: inout Outcome,
    _ report: Reports
  ) throws(ConvertFailure) {
    let cipher = try command.cipher(of: format, like: [source], chosen: chosen)
    let typed = learned.typed(
      shown(source, report), by: schema, assumesLikeliest: command.assumeLikeliest)
    do throws(ConversionError) {
      try convert(typed, cipher, status, of: place, &outcome, report)
    } catch {
      throw .conversion(error)
    }
  }

  private func convert(
    _ source: TypedSource, _ cipher: CipherChoice, _ status: ExitStatus, of place: FilePath,
    _ outcome: inout Outcome, _ report: Reports
  ) throws(ConversionError) {
    report(.findings(source.findings.map(\.finding), in: source.files))
    let encoder = format.encoder(command.writing(cipher))
    let conversion = Conversion(of: source, by: encoder, listsTypes: report.listsTypes)
    outcome.types = try command.rules(
      of: source, conversion, keepsTypes: type(of: encoder).keepsTypes)
    outcome.areTypesStated = source.storesTypes
    let own = Folder.newFilePermissions(like: source.files.map(\.path)) ?? .ownerReadWrite
    outcome.permissions = own
    let folder = work.folder(for: place)
    if work.out != nil, folder == nil {
      throw .library("its name leads out of the new folder")
    }
    let target = folder.map { $0.pushing(source.name.appending(suffix: type(of: encoder).suffix)) }
    // Leftovers of a killed run must not pass for complete files.
    if let folder { UnfinishedOutput.removeAbandoned(in: folder) }
    if let target, command.resume, Folder.isTaken(target) {
      if let reason = difference(of: target, from: conversion, cipher) {
        throw .library("\(target.text) is there, and \(reason); move it away")
      }
      outcome.summary = try conversion.survey { _ in }
      outcome.kind = .present
      return
    }
    try write(conversion, to: target, cipher, status, &outcome, report)
  }

  /// Writes the new files, and compares what is read from them with what was to be written.
  private func write(
    _ conversion: Conversion, to target: FilePath?, _ cipher: CipherChoice, _ status: ExitStatus,
    _ outcome: inout Outcome, _ report: Reports
  ) throws(ConversionError) {
    if let target {
      do throws(FileError) {
        try Folder.makeAll(
          target.parent.lexicallyNormalized().parent)
      } catch {
        throw .file(error)
      }
    }
    let written = try command.carryOut(
      conversion, outcome.permissions ?? .ownerReadWrite, isDamaged: status.contains(.damaged),
      report
    ) { target ?? ProcessArguments.path($0) }
    var own = status
    let isWithheld = written.paths == nil && work.isExecuted
    if isWithheld { own = command.complain(written.summary.losses, status, report) }
    if let target, !isWithheld, let reason = difference(of: target, from: conversion, cipher) {
      throw .library("\(target.text) was written, but \(reason)")
    }
    own.formUnion(command.undecided(written.summary))
    report(
      .converted(written.summary, to: format.name, paths: written.paths, exit: own.rawValue))
    outcome.kind = isWithheld ? .withheld : .converted
    outcome.summary = isWithheld ? nil : written.summary
    outcome.status = isWithheld ? .damaged : []
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
}
