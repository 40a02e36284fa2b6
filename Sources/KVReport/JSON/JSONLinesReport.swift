import KVBytes
import KVCryptography
public import KVModel
public import KVRecovery
import KVSystem
import SystemPackage

/// A report as JSON, one object a line, for programs; `Docs/JSON.md` has the fields.
///
/// The fields of a line are sorted by name and the lines come in a fixed order, so that equal stores
/// give equal reports.
public struct JSONLinesReport {
  /// The version of the fields, which the first line states.
  public static let schema = 1

  private let emit: ([UInt8]) -> Void
  private let encoder = LineEncoder()

  /// A report that hands each line, without its line feed, to `emit`.
  public init(_ emit: @escaping (String) -> Void) {
    var line: [UInt8] = []
    self.init(forTerminal: false) { piece in
      line += piece
      // Within a line, line feeds are escaped.
      guard piece.last == UInt8(ascii: "\n") else { return }
      emit(String(decoding: line.dropLast(), as: UTF8.self))
      line.removeAll(keepingCapacity: true)
    }
  }

  /// A report that hands its text to `emit` piece by piece, line feeds included, so that no long line
  /// is in memory as a whole.
  ///
  /// Where it goes to a terminal, characters that a terminal obeys, or that change the direction of
  /// writing, are spelled `\u` and four digits, which means the same in JSON.
  public init(forTerminal isForTerminal: Bool, pieces emit: @escaping ([UInt8]) -> Void) {
    self.emit = isForTerminal ? { emit(DisplayText.escapedJSON($0)) } : emit
  }

  /// The store: its format and its files.
  public func store<S: Store>(_ store: S) {
    write(
      StoreLine(
        schema: JSONLinesReport.schema,
        path: store.files.first?.path.text ?? "",
        format: store.formatName,
        files: store.files.map(StoreLine.File.init),
        encrypted: store.isEncrypted,
        version: store.version))
  }

  /// What is remarkable.
  public func findings(_ findings: [Finding]) {
    for finding in findings { write(FindingLine(finding)) }
  }

  /// The states that the files hold evidence for.
  public func states(_ states: [StoreState]) {
    for state in states {
      write(
        StateLine(
          name: state.name.rawValue, entries: state.snapshot.live.count,
          evidence: state.weakestEvidence.rawValue, message: state.message,
          rules: state.rules.map(\.text)))
    }
  }

  /// What the engine does at its next start.
  public func predictions(_ predictions: [EnginePrediction], isAppAsked: Bool) {
    for prediction in predictions {
      let forecast = EngineForecast(prediction, isAppAsked: isAppAsked)
      write(
        PredictionLine(
          strategy: prediction.answer.rawValue, callbacks: prediction.load.callbacks,
          outcome: prediction.load.outcome.rawValue, keys: prediction.keyCount,
          lost: prediction.lostKeys.count, unsupported: prediction.unsupportedCount,
          lostKeysHex: prediction.lostKeys.map { Hexadecimal.text($0.bytes) },
          writes: prediction.load.writes, message: forecast.text))
    }
  }

  /// How the bytes of the files divide.
  public func coverage(_ tally: ByteTally) {
    write(
      CoverageLine(
        live: tally.live, superseded: tally.superseded, removed: tally.removed, lost: tally.lost,
        slack: tally.slack, copies: tally.copies, structure: tally.structure, total: tally.total))
  }

  /// The entries that a plan keeps.
  public func entries<S: Store>(_ plan: RepairPlan, of store: S, now: UInt32) {
    for entry in plan.kept {
      record(
        "entry", entry.record, of: store, Fate(assessment: entry.assessment), now: now)
    }
  }

  /// The entries that a plan sets aside.
  public func aside<S: Store>(_ plan: RepairPlan, of store: S, now: UInt32) {
    for entry in plan.aside {
      record(
        "aside", entry.record, of: store, Fate(assessment: entry.assessment), now: now)
    }
  }

  /// The entries that a plan leaves out.
  public func dropped<S: Store>(_ plan: RepairPlan, of store: S, now: UInt32) {
    for entry in plan.dropped {
      record("dropped", entry.record, of: store, Fate(reason: entry.reason), now: now)
    }
  }

  /// What becomes of an entry that is converted.
  public func note(_ loss: Loss, key: Key, at extent: Extent?) {
    write(
      NoteLine(
        code: loss.code, severity: loss.severity.rawValue, key: key.text,
        keyHex: Hexadecimal.text(key.bytes), file: extent?.file.name, offset: extent?.offset,
        length: extent?.count, message: loss.message))
  }

  /// What a conversion comes to.
  public func conversion(
    to format: String, paths: [String]?, written: Int, leftOut: Int, losses: Int, notes: Int,
    exit: Int32
  ) {
    write(
      ConversionLine(
        to: format, paths: paths, written: written, leftOut: leftOut, losses: losses, notes: notes,
        exit: Int(exit)))
  }

  /// What a file of a format without a log holds.
  public func table(_ table: EntryTable, withEntries: Bool) {
    write(
      StoreLine(
        schema: JSONLinesReport.schema, path: table.files.first?.path.text ?? "",
        format: table.formatName, files: table.files.map(StoreLine.File.init), encrypted: false,
        version: 0))
    if withEntries { for entry in table.entries { self.entry(entry) } }
    findings(table.findings)
  }

  /// The questions that a plan answers.
  public func decisions(_ plan: RepairPlan) {
    for decision in plan.decisions {
      write(
        DecisionLine(
          question: decision.question, answer: decision.answer.rawValue, reason: decision.reason,
          state: plan.state.rawValue, origin: plan.origin))
    }
  }

  /// One event of a store's history.
  public func event<S: Store>(_ event: HistoryEvent, of store: S, now: UInt32) {
    switch event {
    case .record(let found, let state, let assessment):
      record(
        "record", found, of: store, Fate(assessment: assessment, state: state.rawValue), now: now)
    case .gap(let gap):
      write(
        GapLine(
          file: gap.extent.file.name, offset: gap.extent.offset, length: gap.extent.count,
          cause: gap.cause.code))
    }
  }

  /// A part of a file, and what it is.
  public func region(_ region: Region) {
    write(
      RegionLine(
        file: region.extent.file.name, offset: region.extent.offset, length: region.extent.count,
        owner: region.name, meaning: region.meaning.isEmpty ? nil : region.meaning))
  }

  /// A file that was written.
  public func written(path: String, size: Int, sha256: String?) {
    write(WrittenLine(path: path, size: size, sha256: sha256))
  }

  /// The backup of what was replaced.
  public func backup(path: String) { write(BackupLine(path: path)) }

  /// A store that could not be looked at.
  public func failure(path: String, message: String) {
    write(FailureLine(path: path, message: message))
  }

  /// The outcome; the last line of a store.
  public func summary(verdict: String, entries: Int, findings: Int, exit: Int32, cautioned: Int) {
    write(
      SummaryLine(
        verdict: verdict, entries: entries, findings: findings, exit: Int(exit),
        cautioned: cautioned == 0 ? nil : cautioned))
  }

  func write(_ line: some Encodable) { emit(Array((encoder.text(line) + "\n").utf8)) }

  func writeLine(_ body: (inout JSONLine) -> Void) { JSONLine.write(to: emit, body) }
}
