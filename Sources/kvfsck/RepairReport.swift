import KVBytes
import KVCryptography
import KVModel
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

/// What `repair` prints, as text or as JSON.
struct RepairReport<S: Store> {
  private let options: StoreOptions
  private let store: S
  private let output: Output

  init(_ options: StoreOptions, _ store: S, _ output: Output) {
    self.options = options
    self.store = store
    self.output = output
  }

  private var json: JSONLinesReport { output.json }
  private var text: TextReport {
    TextReport(inColour: Terminals.usesColour) { output.write($0) }
  }

  func begin(_ diagnosis: Diagnosis) {
    if options.json {
      json.store(store)
      json.findings(diagnosis.findings)
    } else {
      text.findings(diagnosis.findings.filter { $0.severity > .note }, of: store, limit: 12)
    }
  }

  func plan(_ plan: RepairPlan, isExecuted: Bool) {
    if options.json {
      json.decisions(plan)
      json.entries(plan, of: store, now: options.clock)
      json.aside(plan, of: store, now: options.clock)
      json.dropped(plan, of: store, now: options.clock)
    } else {
      if !isExecuted { output.write("Nothing is written; this is what would be:") }
      text.plan(plan, of: store)
    }
  }

  /// The file with the entries that are set aside, in the form of the JSON report; nothing where none
  /// are.
  func lostAndFound(_ plan: RepairPlan, in folder: FilePath) -> EncodedFile? {
    guard !plan.aside.isEmpty else { return nil }
    var text = ""
    let report = JSONLinesReport { text += $0 + "\n" }
    report.store(store)
    report.aside(plan, of: store, now: options.clock)
    let name = store.files.first?.path.lastComponent?.string ?? store.formatName
    return LostAndFound.file(Array(text.utf8), of: name, in: folder)
  }

  func written(_ paths: [FilePath], _ files: [EncodedFile]) {
    for (path, file) in zip(paths, files) {
      if options.json {
        json.written(
          path: path.text, size: file.bytes.count,
          sha256: Cryptography.sha256(file.bytes).map { Hexadecimal.text($0) })
      } else {
        output.write("Wrote \(TextReport.printable(path.text)), \(file.bytes.count) bytes")
      }
    }
  }

  func replaced(_ files: [EncodedFile], _ backup: Backup) {
    let home = backup.folder.removingLastComponent()
    written(files.map { home.appending($0.name) }, files)
    if options.json {
      json.backup(path: backup.folder.string)
    } else {
      let folder = TextReport.printable(backup.folder.string)
      output.write("The old files are in \(folder); kvfsck undo \(folder) restores them")
    }
  }

  func end(_ diagnosis: Diagnosis, _ plan: RepairPlan?, _ status: ExitStatus) {
    guard options.json else {
      if diagnosis.verdict == .unreadable { text.check(store, diagnosis) }
      return
    }
    json.summary(
      verdict: diagnosis.verdict.rawValue, entries: plan?.kept.count ?? 0,
      findings: diagnosis.findings.count, exit: status.rawValue,
      cautioned: plan?.kept.count { !$0.cautions.isEmpty } ?? 0)
  }
}
