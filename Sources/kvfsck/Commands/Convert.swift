import ArgumentParser
import KVBytes
import KVConversion
import KVInput
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// `kvfsck convert`: writes the contents of stores in another format.
struct Convert: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert stores to another format, and list every loss first.",
    discussion: """
      For a damaged store, converts the entries that are more likely right than wrong, as `repair -y` \
      keeps them. MMKV stores no types: each value gets its likeliest type, judged from the whole store. A value of undecided type is written as bytes, \
      counted at the end, and makes the exit status 4, unless --accept-bytes is given. Several stores \
      are merged in order. If a path is a folder or an archive with several stores, each store below the \
      paths gets its own file below --out, which is read back; a key then has the type that most of \
      the stores have. Nothing is overwritten. Exit status: 0 written, 1 written despite damage, 4 \
      some values are undecided, or --strict wrote nothing, or --dry-run found damage, 5 entries are \
      missing, 8 could not write; of a folder, 0 whatever was lost, 4 --strict left out a store, 8 a \
      store was not read or written.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Options for Damaged Stores") var choices: ChoiceOptions

  @OptionGroup var output: WritingOptions
  @OptionGroup var newKey: NewKeyOptions

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "The format to write; default: from the extension of --out. One of \(WritableFormat.allValueStrings.joined(separator: ", ")).",
      valueName: "format"),
    completion: .list(WritableFormat.allValueStrings), transform: WritableFormat.parse)
  var givenFormat: WritableFormat?

  @Option(
    help: ArgumentHelp(
      "The file to write (the first one, if the format has several). For an existing folder, a file in it with the store's name; - for standard output.",
      valueName: "path"), completion: .file())
  var out: String?

  @OptionGroup var typing: TypeOptions

  @Option(
    help: ArgumentHelp(
      "Write the types that were used to this file, to correct and pass to --types. Works with --dry-run.",
      valueName: "file"), completion: .file())
  var typesOut: String?

  @Flag(help: "Give values of undecided type the likeliest type that fits.")
  var assumeLikeliest = false

  @Flag(
    help: "Accept values of undecided type as bytes: they do not change the exit status.")
  var acceptBytes = false

  @Flag(
    help: "Of the stores below folders, pass over those whose new files are there and complete.")
  var resume = false

  @Option(
    help: ArgumentHelp(
      "Of the stores below folders, the maximum number that are converted at once; default: the number of processors.",
      valueName: "number"))
  var jobs: Int?

  @Flag(help: "Write nothing if anything would be lost, in reading or in writing; exit status 4.")
  var strict = false

  @Flag(help: "List all losses and write nothing.")
  var dryRun = false

  @OptionGroup var confidence: ConfidenceOptions
  @OptionGroup var redacting: RedactionOptions

  @Flag(
    help: "Write JSON as an object of keys and values, without types.")
  var plainJson = false

  @Flag(help: "Write a property list as XML instead of the binary form.")
  var xml = false

  @Option(
    help: ArgumentHelp(
      "Which value to keep if merged stores disagree.", valueName: "first|last|error"),
    completion: .list(Name.all(ConflictRule.self)), transform: Name.parse)
  var onConflict: ConflictRule = .error

  @Argument(
    help: ArgumentHelp("The stores, or folders and archives of stores.", valueName: "store"),
    completion: .file())
  var stores: [String]

  var statusWhenUnread: ExitStatus? { (dryRun || isStreamed) && typesOut == nil ? [] : .cancelled }

  /// Whether the new file is written to standard output, and messages to stderr.
  var isStreamed: Bool { out == "-" && !dryRun }

  func validate() throws {
    try options.validate(stores: stores)
    if out == "" { throw ValidationError("--out takes the path of a file.") }
    if out == nil, !dryRun {
      throw ValidationError("Name the output: --out PATH, or use --dry-run.")
    }
    let to = try format()
    if let out, !to.writesFolder, !dryRun { try checkFile(out) }
    if xml, !to.variants.contains(.xml) { throw ValidationError("--xml needs --to plist.") }
    if plainJson, !to.variants.contains(.plainJSON) {
      throw ValidationError("--plain-json needs --to json.")
    }
    if newKey.areGiven, !to.variants.contains(.encrypted) {
      throw ValidationError("--plain, --rekey and --rekey-file need --to mmkv.")
    }
    if output.width != nil, !WritingOptions.haveWidth(to.name) {
      throw ValidationError("--width needs --to fastkv-apple.")
    }
    try checkFile(typesOut, "--types-out")
    try ScanOptions.validate(jobs: jobs)
  }

  /// Returns the format to write.
  ///
  /// - Throws: `ValidationError` if neither an option nor the file name determines it.
  private func format() throws -> WritableFormat {
    try givenFormat ?? WritableFormat.written(to: out ?? "")
  }

  func run() throws {
    options.warnOfVisibleKey(and: newKey.rekey)
    let to = try format()
    let report = Reports(
      options, .convert, to: isStreamed ? .error : .standard, storeCount: stores.count,
      redaction: redacting.redaction)
    let status: ExitStatus
    do throws(ConvertFailure) {
      status = try convert(to: to, report)
    } catch {
      report.complain(error.message)
      status = error.status
    }
    throw report.end(status)
  }

  private func convert(
    to format: WritableFormat, _ report: Reports
  ) throws(ConvertFailure) -> ExitStatus {
    if resume { return try convertTrees(to: format, report) }
    let schema = try typing.schema()
    var read: [ReadSource] = []
    var status: ExitStatus = []
    for path in stores {
      var hasSeveral = false
      let opened = opener.open(path, report) { hasSeveral = true }
      if hasSeveral { return try convertTrees(to: format, report) }
      if let source = opened.source { read.append(source) }
      status.formUnion(opened.status)
    }
    // Reading errors have been reported; half a merge is of no use.
    guard read.count == stores.count else { return status.union(.failed) }
    try opener.checkChoices(for: read)
    if options.key.isForNamedStores, !read.contains(where: \.isEncrypted) {
      throw .keyUnneeded(stores)
    }
    let cipher = try cipher(of: format, like: read, chosen: try chosenCipher())
    if !newKey.areGiven, cipher != .plain {
      Output.note("the new store is encrypted under the key of \(stores.joined(separator: ", "))")
    }
    typing.noteUnmatched(schema, in: read)
    if let redaction = report.redaction { read = redaction.sources(read, by: schema) }
    let sources = SharedTypes.typed(read, by: schema, assumesLikeliest: assumeLikeliest)
    do throws(ConversionError) {
      return try convert(sources, to: format, cipher, status, report)
    } catch {
      throw .conversion(error)
    }
  }

  /// Reads the stores.
  var opener: SourceOpener {
    SourceOpener(options: options, choices: choices, confidence: confidence)
  }

  /// Returns how new stores are encrypted as the options say; `.keep` if they do not.
  func chosenCipher() throws(ConvertFailure) -> CipherChoice {
    do throws(FileError) {
      return try newKey.choice(options.key.cipherSize)
    } catch {
      throw .file(error)
    }
  }

  /// Returns how a new store of `format` is encrypted: as was chosen, or else like `sources`.
  ///
  /// - Throws: If they do not tell how.
  func cipher(
    of format: WritableFormat, like sources: [ReadSource], chosen choice: CipherChoice
  ) throws(ConvertFailure) -> CipherChoice {
    let encrypted = sources.compactMap { source -> (any Store)? in
      if case .store(let store, _, _) = source, store.isEncrypted { store } else { nil }
    }
    guard choice == .keep else { return choice }
    // Whoever gets it does not have the key.
    if redacting.isAsked { return .plain }
    guard format.variants.contains(.encrypted) else { return .plain }
    let choices = Set(encrypted.map(\.encryption))
    guard choices.count <= 1, !choices.contains(.keep) else { throw .severalKeys }
    return choices.first ?? .plain
  }

  /// Returns the options for writing.
  func writing(_ cipher: CipherChoice) -> FormatOptions {
    var written = FormatOptions(now: options.clock)
    if case .rekey(let key, let isAES256) = cipher {
      written.keys = KeyRing(key)
      written.isAES256 = isAES256
    }
    written.pointerWidth = output.width
    if plainJson { written.variants.insert(.plainJSON) }
    if xml { written.variants.insert(.xml) }
    return written
  }

  private func convert(
    _ sources: [TypedSource], to format: WritableFormat, _ cipher: CipherChoice,
    _ status: ExitStatus, _ report: Reports
  ) throws(ConversionError) -> ExitStatus {
    var status = status
    for source in sources {
      report(.findings(source.findings.map(\.finding), in: source.files))
    }
    let merge = try merged(sources, report)
    let encoder = format.encoder(writing(cipher))
    let conversion = Conversion(
      of: merge.source, by: encoder, listsTypes: report.listsTypes)
    let permissions =
      Folder.newFilePermissions(like: sources.flatMap(\.files).map(\.path)) ?? .ownerReadWrite
    let types = try types(
      of: merge.source, conversion, keepsTypes: type(of: encoder).keepsTypes, permissions)
    let outcome = try carryOut(
      conversion, permissions, isDamaged: status.contains(.damaged), report
    ) { destination(ProcessArguments.path($0), of: merge.source, type(of: encoder).suffix) }
    guard outcome.failure.isEmpty else { return status.union(outcome.failure) }
    let summary = outcome.summary
    if strict, !isLossless(summary, isDamaged: status.contains(.damaged)) {
      status = complain(summary.losses, status, report)
    }
    status.formUnion(undecided(summary))
    // A run that writes nothing repairs nothing.
    if outcome.paths == nil, !status.isEmpty { status = .damaged }
    try complete(types)
    report(.converted(summary, to: format.name, paths: outcome.paths, exit: status.rawValue))
    return status
  }

  /// The result of a conversion.
  struct Outcome {
    var summary: Conversion.Summary
    /// The new files; `nil` if none were requested, or none are written because of losses.
    var paths: [FilePath]?
    /// The status of writing to standard output.
    var failure: ExitStatus = []
  }

  /// Lists the losses and, if requested, writes the rest to the path that `destination` returns for
  /// `--out`.
  func carryOut(
    _ conversion: Conversion, _ permissions: FilePermissions, isDamaged: Bool, _ report: Reports,
    to destination: (String) -> FilePath
  ) throws(ConversionError) -> Outcome {
    func list(_ note: ConversionNote) { report(.note(note)) }
    func isRefused(_ summary: Conversion.Summary) -> Bool {
      report(.surveyed)
      return strict && !isLossless(summary, isDamaged: isDamaged)
    }
    guard !dryRun, let out else {
      let summary = try conversion.survey(list)
      report(.surveyed)
      return Outcome(summary: summary)
    }
    if isStreamed {
      let (image, summary) = try streamed(conversion, list)
      guard !isRefused(summary) else { return Outcome(summary: summary) }
      let output = Output.standard
      output.write(bytes: image.bytes)
      return Outcome(summary: summary, paths: ["-"], failure: output.finish())
    }
    let files = try conversion.write(to: destination(out), permissions: permissions, list)
    var outcome = Outcome(summary: files.summary)
    guard !isRefused(files.summary) else { return outcome }
    if let typesOut, files.paths.contains(where: { Self.isSame($0, typesOut) }) {
      throw .library("--types-out and --out name the same file: \(typesOut); name another one")
    }
    let new = files.paths + (typesOut.map { [ProcessArguments.path($0)] } ?? [])
    if let store = StoreNames.store(joinedBy: new) {
      throw .library(
        "by its name, a new file would belong to the store with \(store.text); name another one")
    }
    outcome.paths = files.paths
    try files.commit()
    return outcome
  }

  private static func isSame(_ path: FilePath, _ argument: String) -> Bool {
    Folder.absolute(path).lexicallyNormalized()
      == Folder.absolute(ProcessArguments.path(argument)).lexicallyNormalized()
  }

  /// Returns whether nothing is lost, in reading or in writing.
  private func isLossless(_ summary: Conversion.Summary, isDamaged: Bool) -> Bool {
    summary.losses == 0 && !isDamaged
  }

  /// Returns the entries of `sources` merged, and reports conflicts.
  private func merged(
    _ sources: [TypedSource], _ report: Reports
  ) throws(ConversionError) -> Merge {
    let merge = try Merge(sources, onConflict: onConflict)
    for conflict in merge.conflicts where onConflict != .error { report(.note(conflict)) }
    if onConflict == .error, !merge.conflicts.isEmpty {
      var keys: [Key] = []
      for conflict in merge.conflicts where !keys.contains(conflict.key) {
        keys.append(conflict.key)
      }
      throw .library(disagreement(keys))
    }
    return merge
  }

  /// Returns the status for values that are written as bytes because their type is undecided.
  func undecided(_ summary: Conversion.Summary) -> ExitStatus {
    summary.undecided > 0 && !acceptBytes ? .damaged : []
  }

  /// Reports why `--strict` writes nothing, and returns the status.
  func complain(
    _ losses: Int, _ status: ExitStatus, _ report: Reports
  ) -> ExitStatus {
    let reason =
      status.contains(.damaged)
      ? "not everything could be read" : Plural.count(losses, "loss", "losses")
    report.complain("--strict: \(reason); nothing was written")
    return status.union(.damaged)
  }

  // MARK: Writing

  private func destination(
    _ path: FilePath, of source: TypedSource, _ suffix: String
  ) -> FilePath {
    // Standard input has no name.
    let name = source.name == "-" ? "store" : source.name
    return Folder.exists(path) ? path.pushing(name.appending(suffix: suffix)) : path
  }

  /// Returns the result of `conversion`, which must be a single file.
  ///
  /// - Throws: If the format has more than one file, or if the conversion fails.
  func streamed(
    _ conversion: Conversion, _ list: @escaping (ConversionNote) -> Void
  ) throws(ConversionError) -> (FileImage, Conversion.Summary) {
    let parent = ProcessEnvironment["TMPDIR"] ?? ""
    let result: Result<(FileImage, Conversion.Summary), ConversionError>
    do throws(FileError) {
      result = try Folder.withTemporary(in: FilePath(parent.isEmpty ? "/tmp" : parent)) { folder in
        Result { () throws(ConversionError) in try Self.file(of: conversion, in: folder, list) }
      }
    } catch {
      throw .file(error)
    }
    return try result.get()
  }

  private static func file(
    of conversion: Conversion, in folder: FilePath, _ list: @escaping (ConversionNote) -> Void
  ) throws(ConversionError) -> (FileImage, Conversion.Summary) {
    let files = try conversion.write(
      to: folder.appending("store"), permissions: .ownerReadWrite, list)
    let (summary, paths) = (files.summary, files.paths)
    try files.commit()
    guard paths.count == 1, !Folder.exists(paths[0]) else {
      throw .library("the format has more than one file; give --out the path of the first")
    }
    do throws(FileError) {
      return (try FileImage.read(paths[0]), summary)
    } catch {
      throw .file(error)
    }
  }

  /// Returns the types of the converted values; as written, if only the new files lack types.
  func rules(
    of source: TypedSource, _ conversion: Conversion, keepsTypes: Bool
  ) throws(ConversionError) -> [TypeSchema.Rule] {
    source.storesTypes && !keepsTypes ? try conversion.writtenTypes() : source.types()
  }

  /// Prepares the file with the types of the converted values, if it was requested; it is committed
  /// last.
  private func types(
    of source: TypedSource, _ conversion: Conversion, keepsTypes: Bool,
    _ permissions: FilePermissions
  ) throws(ConversionError) -> PendingWrite {
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    guard let typesOut else { return pending }
    let rules = try rules(of: source, conversion, keepsTypes: keepsTypes)
    do throws(FileError) {
      try pending.add(TypeSchema(rules).bytes, at: ProcessArguments.path(typesOut))
    } catch {
      throw .file(error)
    }
    return pending
  }

  private func complete(_ pending: consuming PendingWrite) throws(ConversionError) {
    do throws(FileError) {
      try pending.commit()
    } catch {
      throw .file(error)
    }
  }

  private func disagreement(_ keys: [Key]) -> String {
    "the stores disagree on \(Plural.count(keys.count, "key", "keys")) (\(some(keys))); use --on-conflict "
      + "first or last"
  }

  private func some(_ keys: [Key]) -> String {
    keys.prefix(8).map { Value.mentioned($0) }.joined(separator: ", ")
      + (keys.count > 8 ? ", …" : "")
  }
}
