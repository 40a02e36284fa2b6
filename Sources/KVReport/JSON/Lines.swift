import KVBytes
import KVConversion
import KVCryptography
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// The lines of a JSON report, each with the fields of `Docs/JSON.md`.
extension JSONObject {
  /// The version of the schema, which the first line states.
  static let schema = 1

  static func store(_ store: some Store) -> JSONObject {
    Self.store(
      store.files, format: store.formatName, isEncrypted: store.isEncrypted,
      version: store.version)
  }

  static func store(_ table: EntryTable) -> JSONObject {
    store(table.files, format: table.formatName, isEncrypted: false, version: 0)
  }

  private static func store(
    _ files: [StoreFile], format: String, isEncrypted: Bool, version: Int
  ) -> JSONObject {
    [
      "type": "store", "schema": schema, "path": files.first.map { ReportedPath($0.path) } ?? "",
      "format": format,
      "files": files.map(Self.file), "encrypted": isEncrypted, "version": version,
    ]
  }

  private static func file(_ file: StoreFile) -> JSONObject {
    [
      "file": file.roleName, "path": ReportedPath(file.path), "size": file.foundImage.count,
      "sha256": file.sha256,
    ]
  }

  static func finding(_ finding: Finding, of files: RoleNames, path: ReportedPath?) -> JSONObject {
    [
      "type": "finding", "code": finding.code, "severity": finding.severity.rawValue,
      "file": finding.file.map { files[$0.role] }, "path": path,
      "offset": finding.extent?.offset, "length": finding.extent?.count,
      "message": finding.message,
      "rules": finding.rules.isEmpty ? nil : finding.rules.map(\.text),
      "odds_bits": finding.odds?.bits,
    ]
  }

  static func state(_ state: StoreState) -> JSONObject {
    [
      "type": "state", "name": state.name.rawValue, "entries": state.entries.entries,
      "guesses": state.entries.guessesIfAny, "evidence": state.weakestEvidence.rawValue,
      "message": state.message, "rules": state.rules.map(\.text),
    ]
  }

  /// Returns the line of a version of a file without a log.
  static func version(_ version: EntryVersion) -> JSONObject {
    let count = EntryCount(version.entries.lazy.map(\.origin.evidence))
    let message =
      "the contents of \(version.path.text)" + (version.isWhole ? "" : ", which is damaged")
    return [
      "type": "state", "name": version.name, "entries": count.entries,
      "guesses": count.guessesIfAny, "evidence": Evidence.structure.rawValue,
      "message": message, "rules": [String](),
    ]
  }

  static func prediction(_ prediction: EnginePrediction, isAppAsked: Bool) -> JSONObject {
    [
      "type": "prediction", "strategy": prediction.answer.rawValue,
      "callbacks": prediction.load.callbacks, "outcome": prediction.load.outcome.rawValue,
      "keys": prediction.keyCount, "lost": prediction.lostKeys.count,
      "lost_guesses": prediction.lost.guessesIfAny, "unsupported": prediction.unsupportedCount,
      "expired": prediction.expiredCount == 0 ? nil : prediction.expiredCount,
      "lost_keys_hex": prediction.lostKeys.map { Hexadecimal.text($0.bytes) },
      "writes": prediction.load.writes, "premise": prediction.load.premise,
      "message": EngineForecast(prediction, isAppAsked: isAppAsked).text,
    ]
  }

  static func coverage(_ tally: ByteTally) -> JSONObject {
    [
      "type": "coverage", "live": tally.live, "superseded": tally.superseded,
      "removed": tally.removed, "lost": tally.lost, "slack": tally.slack, "copies": tally.copies,
      "structure": tally.structure, "total": tally.total,
    ]
  }

  static func unmet(_ difference: Difference) -> JSONObject {
    [
      "type": "unmet", "line": difference.line, "change": difference.change.rawValue,
      "subject": difference.subject.isEmpty ? nil : difference.subject,
      "field": difference.field, "key_hex": difference.keyHex, "expected": difference.expected,
      "found": difference.found, "message": difference.message,
    ]
  }

  static func decision(_ decision: RepairPlan.Decision, of plan: RepairPlan) -> JSONObject {
    [
      "type": "decision", "question": decision.question, "answer": decision.answer.rawValue,
      "reason": decision.reason, "state": plan.state.rawValue, "origin": plan.origin,
    ]
  }

  static func gap(_ gap: Gap, of files: RoleNames, _ remains: Remains?) -> JSONObject {
    let text = remains?.text ?? ""
    return [
      "type": "gap", "file": files[gap.extent.file], "offset": gap.extent.offset,
      "length": gap.extent.count, "cause": gap.cause.code,
      "raw_hex": remains.map { Hexadecimal.text($0.bytes) }, "text": text.isEmpty ? nil : text,
      "left_out": remains.flatMap { $0.leftOutCount > 0 ? $0.leftOutCount : nil },
    ]
  }

  static func order(_ order: RepairOrder) -> JSONObject {
    let cipher =
      switch order.cipher {
      case .keep: "keep"
      case .plain: "plain"
      case .rekey(_, let isAES256): isAES256 ? "aes256" : "aes128"
      }
    let files = zip(order.paths, order.files).map { path, file -> JSONObject in
      ["path": ReportedPath(path), "size": file.bytes.count]
    }
    return [
      "type": "order", "cipher": cipher, "files": files,
      "backup": order.backup.map { ReportedPath($0.folder) },
      "removed": order.removed.isEmpty ? nil : order.removed.map { ReportedPath($0) },
    ]
  }

  static func written(_ path: FilePath, _ file: EncodedFile) -> JSONObject {
    [
      "type": "written", "path": ReportedPath(path), "size": file.bytes.count,
      "sha256": Cryptography.sha256(file.bytes).map { Hexadecimal.text($0) },
    ]
  }

  static func totals(_ totals: RepairTotals, in folder: FilePath) -> JSONObject {
    [
      "type": "totals", "path": ReportedPath(folder), "stores": totals.stores,
      "repaired": totals[.repaired], "repaired_in_part": totals[.partly],
      "restored": totals[.restored], "clean": totals[.clean], "emptied": totals[.emptied],
      "left_out": totals[.leftOut], "failed": totals.failures,
    ]
  }

  static func summary(_ summary: ReportSummary) -> JSONObject {
    [
      "type": "summary", "verdict": summary.verdict.rawValue,
      "entries": summary.entries.entries, "guesses": summary.entries.guessesIfAny,
      "findings": summary.findings, "recoverable": summary.recoverable.entries,
      "recoverable_guesses": summary.recoverable.guessesIfAny,
      "superseded": summary.past?.superseded, "removed": summary.past?.removed,
      "residual": summary.past?.residual, "residual_bytes": summary.past?.residualBytes,
      "exit": Int(summary.exit), "cautioned": summary.cautioned == 0 ? nil : summary.cautioned,
    ]
  }

  static func conversion(
    _ summary: Conversion.Summary, to format: String, paths: [FilePath]?, exit: Int32
  ) -> JSONObject {
    let stores = summary.stores.count > 1 ? summary.stores.map { ReportedPath($0) } : nil
    return [
      "type": "conversion", "to": format, "path": stores?.first, "stores": stores,
      "paths": paths?.map { ReportedPath($0) }, "written": summary.written,
      "left_out": summary.leftOut,
      "losses": summary.losses, "notes": summary.notes, "likely": summary.likely,
      "undecided": summary.undecided, "exit": Int(exit),
    ]
  }

  static func comparison(_ comparison: Comparison, exit: Int32) -> JSONObject {
    let paths = comparison.stores.map { $0.map { ReportedPath($0) } ?? "" }
    return [
      "type": "comparison", "path": paths[0], "stores": paths,
      "added": comparison.count(of: .added), "removed": comparison.count(of: .removed),
      "changed": comparison.count(of: .changed), "retyped": comparison.count(of: .retyped),
      "same": comparison.sameCount, "exit": Int(exit),
    ]
  }

  /// Returns the totals over all stores of a scan, as its last line.
  static func totals(_ totals: ScanTotals) -> JSONObject {
    [
      "type": "totals", "schema": schema, "stores": totals.storeCount,
      "failures": totals.failureCount, "others": totals.otherCount,
      "entries": totals.entries.entries, "guesses": totals.entries.guessesIfAny,
      "lost_at_next_launch": totals.lost.entries, "lost_guesses": totals.lost.guessesIfAny,
      "recoverable": totals.recoverable.entries,
      "recoverable_guesses": totals.recoverable.guessesIfAny,
      "superseded": totals.past?.superseded, "removed": totals.past?.removed,
      "residual": totals.past?.residual, "residual_bytes": totals.past?.residualBytes,
      "emptied": totals.emptiedCount == 0 ? nil : totals.emptiedCount,
      "verdicts": JSONObject(totals.verdicts),
      "formats": JSONObject(totals.formats),
      "findings": JSONObject(totals.codes),
    ]
  }
}

extension StoreFile {
  /// The SHA-256 of the file; `nil` in a build without it.
  var sha256: String? {
    isRedacted ? nil : Cryptography.sha256(foundImage.bytes).map { Hexadecimal.text($0) }
  }
}

extension EntryCount {
  /// The number of guesses; `nil`, so that there is no such field, if there are none.
  var guessesIfAny: Int? { guesses == 0 ? nil : guesses }
}
