import ArgumentParser
import KVBytes
import KVInput
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// `kvfsck report`: writes all that is known about stores to a file for viewing or for other tools.
struct Report: ParsableCommand, OpensStores, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a full report on stores, as a web page or for other tools.",
    discussion: """
      FORMS
      \(ReportForm.listing)

      Each has the verdict, what the app will do at its next launch, every record with its \
      evidence, the findings, and the SHA-256 of the files. Folders and archives are searched as by \
      kvfsck scan, and the same lines are printed. With SOURCE_DATE_EPOCH in the environment, the same \
      command writes the same bytes. Exit status: 0 whatever is found, 8 if a path cannot be read or \
      the output cannot be written.
      """)

  @OptionGroup var options: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The form; by default from the output's extension, else html.", valueName: "form"),
    completion: .list(Name.reportForms), transform: Name.reportForm)
  var to: ReportForm?

  @Option(
    help: ArgumentHelp("The output; it must not exist yet.", valueName: "path"),
    completion: .file())
  var out: String

  @OptionGroup var redacting: RedactionOptions

  @Argument(
    help: ArgumentHelp("Stores, and folders and archives with stores.", valueName: "path"),
    completion: .file())
  var paths: [String]

  func validate() throws {
    try options.validate(stores: paths)
    if out.isEmpty || out == "-" { throw ValidationError("--out takes a path.") }
    if to?.writesFolder != true { try checkFile(out) }
    if let given = ReportRun.givenEpoch, ReportRun.epoch == nil {
      throw ValidationError(
        "SOURCE_DATE_EPOCH is '\(given)'; it takes a number of seconds from 0 to \(UInt32.max).")
    }
    if to == nil, let ending = ReportForm.foreignEnding(of: ProcessArguments.path(out)) {
      let forms = Name.reportForms.joined(separator: ", ")
      throw ValidationError(
        "No form of report ends in .\(ending). Name the form with --to: \(forms).")
    }
  }

  mutating func run() throws {
    // One time for the whole run: that of the report, if it is given.
    if !options.hasClock { options.clock = ReportRun.epoch ?? SystemClock.secondsSince1970 }
    options.warnOfVisibleKey()
    let target = ProcessArguments.path(out)
    let form = to ?? ReportForm.implied(by: target) ?? .html
    let report = Reports(
      options, .scan, storeCount: paths.count,
      named: [options.candidateKeys].compactMap { $0 } + options.key.files,
      isPiped: !Terminal.isInteractive(.output), redaction: redacting.redaction)
    let reporting = StoreReporting(options: options, report: report)
    var status: ExitStatus = []
    if let store = StoreNames.store(joinedBy: [target]) {
      report.complain(
        "by its name, \(target.text) would belong to the store with \(store.text); name another file"
      )
      throw report.end(.failed)
    }
    do throws(FileError) {
      var isRead = false
      try form.write(to: target, of: ReportRun()) { reporter in
        let (own, permissions) = reporting.run(paths, to: reporter)
        (status, isRead) = (own, permissions != nil)
        // Only those who may read everything in the report may read it.
        return permissions?.intersection(PendingWrite.usualPermissions)
      }
      if isRead {
        noteWritten(target, report)
      } else {
        report.complain("nothing could be read, so \(target.text) was not written")
      }
    } catch {
      report.complain(error.message)
      status.formUnion(.failed)
    }
    throw report.end(status)
  }

  /// Prints what was written to stderr: stdout has the lines of a scan.
  private func noteWritten(_ path: FilePath, _ report: Reports) {
    report.output.flush()
    guard !Manner.current.isQuiet else { return }
    let size = Folder.fileSize(at: path).map { ", \(Plural.count($0, "byte", "bytes"))" } ?? ""
    Output.error.write("Wrote \(TextReporter.printable(path.text))\(size)")
  }
}

extension Name {
  /// The names of all forms of report.
  fileprivate static var reportForms: [String] { ReportForm.all.map(\.name) }

  /// Returns the form of report named `text`.
  ///
  /// - Throws: `ValidationError`, which lists the forms, if there is none.
  fileprivate static func reportForm(_ text: String) throws -> ReportForm {
    let form = ReportForm.all.first { $0.name.utf8.elementsEqual(text.utf8) }
    guard let form else { throw unknown(text, reportForms) }
    return form
  }
}

extension ReportRun {
  /// Creates the description of this run, with the explanations; keys on the command line are left
  /// out.
  init() {
    let arguments = KeyOptions.hidingKeys(in: ProcessArguments.texts, behind: "…")
    let epoch = Self.epoch
    self.init(
      version: Kvfsck.version, arguments: arguments, start: epoch ?? SystemClock.secondsSince1970,
      id: epoch.map { Self.id(of: arguments, at: $0) } ?? UInt64.random(in: 0 ... .max),
      isReproducible: epoch != nil,
      explanations: Pages.all.map {
        Explanation($0.name, $0.kind, $0.paragraphs)
      })
  }

  /// The time that the environment gives for the run.
  ///
  /// As reproducible-builds.org has it: with that variable, the same run gives the same bytes.
  fileprivate static var epoch: UInt32? { givenEpoch.flatMap { UInt32($0) } }

  /// The text of that time; `nil` if the environment gives none.
  fileprivate static var givenEpoch: String? { ProcessEnvironment["SOURCE_DATE_EPOCH"] }

  /// Returns a number made of `arguments` and a time, by FNV-1a.
  private static func id(of arguments: [String], at time: UInt32) -> UInt64 {
    ("\(time)\0" + arguments.joined(separator: "\0")).utf8.reduce(0xcbf2_9ce4_8422_2325) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
  }
}
