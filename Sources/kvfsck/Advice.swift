import FastKVFormat
import KVConversion
import KVCryptography
import KVModel
import KVReport
import MMKVFormat

/// What this tool offers for what the libraries report: they name causes, and this its commands and
/// options.
struct Advice {
  let options: StoreOptions

  /// What the reader of a text can do next.
  static func text(_ advice: TextReporter.Advice) -> String {
    switch advice {
    case .listAllFindings: "--json has them all"
    case .listAllNotes: "--json lists all"
    case .correctTypes: "--types-out FILE lists them all, for --types"
    case .decideTypes:
      "say the types with --types (--types-out FILE writes a list to correct), or give "
        + "--assume-likeliest or --accept-bytes"
    case .keepGuesses: "--include-guesses keeps what is set aside"
    case .repair(let store): "kvfsck repair \(store) --out DIR -y (first with --dry-run)"
    case .restoreBeforeReset(let store): "kvfsck repair \(store) --out DIR --state before-reset"
    case .undo(let backup): "kvfsck undo \(backup) restores them"
    }
  }

  /// What can be done about why a store cannot be read, after its reason; empty where the reason says all.
  func access(_ code: FindingCode) -> String {
    switch code {
    case MMKVFindings.keyNeeded,
      AndroidFindings.keyNeeded where Cryptography.isAvailable:
      options.key.list == nil
        ? ". Give the app's key with --key, --key-hex or --key-file"
        : ". Add a line with the app's key: PATH = KEY"
    case MMKVFindings.nothingDecodes where options.key.areEmpty: ". Give the key with --key"
    case MMKVFindings.cipherMismatch:
      options.key.cipherSize.map { ". Leave --\($0.rawValue) out" } ?? ""
    default: ""
    }
  }

  /// `event` with what can be done about it.
  func adding(to event: ReportEvent) -> ReportEvent {
    switch event {
    case .findings(let findings, let files):
      return .findings(findings.map { $0.adding(access($0.kind)) }, in: files)
    case .note(let note) where note.loss == .guess:
      return .note(note.adding("; --include-guesses converts it too"))
    case .note(let note) where note.loss.kind == ConversionFindings.ambiguousType:
      return .note(note.adding(": say which with --types (--types-out writes a file to correct)"))
    default: return event
    }
  }
}
