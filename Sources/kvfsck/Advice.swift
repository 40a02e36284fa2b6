import ExchangeFormats
import FastKVFormat
import KVConversion
import KVCryptography
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import MMKVFormat
import SystemPackage

/// The tool's advice on what the libraries report: they name causes, and this type adds commands
/// and options.
struct Advice {
  let options: StoreOptions

  /// Returns what the reader of a text report can do next; `folders` names new folders.
  func text(_ advice: TextReporter.Advice, _ folders: inout NewFolders) -> String {
    switch advice {
    case .listAllFindings: "--json has them all"
    case .listAllNotes: "--json lists all"
    case .correctTypes: "--types-out FILE lists all types for use with --types"
    case .decideTypes:
      "give the types with --types (--types-out FILE writes a list to correct), or use "
        + "--assume-likeliest or --accept-bytes"
    case .keepGuesses: "--include-guesses keeps them"
    case .writeAsidePlainly: "--lost-and-found writes them"
    case .repairBackup: "a repair of the backup with --out DIR writes them"
    case .check(let store): command("check", store, isOneOfMany: true)
    case .planRepair(let store): command("repair", store, ["--dry-run", "-y"])
    case .repair(let store):
      command("repair", store, ["--out", folders.next("repaired"), "-y"])
    case .restoreBeforeReset(let store, let isOneOfMany):
      command(
        "repair", store,
        ["--out", folders.next("restored"), "--state", StateName.beforeReset.rawValue],
        isOneOfMany: isOneOfMany)
    case .dump(let store): command("dump", store, isOneOfMany: true)
    case .rewrite(let file, let format) where Kvfsck.formats[format]?.isRestorable ?? false:
      command("repair", file, ["--out", folders.next("repaired"), "-y"])
    case .rewrite(let file, let format):
      command("convert", file, Self.rewriting(file, format, folders.next("new")))
    case .undo(let backup): "kvfsck undo \(ShellWord.text(backup))"
    }
  }

  /// Returns the options with which `convert` writes the file at `path` anew into `folder`: in its own
  /// format, so that the app can load it, or as JSON if that format is only read.
  static func rewriting(_ path: FilePath, _ format: String, _ folder: String) -> [String] {
    let target = try? WritableFormat.parse(format)
    let isWritable = target != nil
    // The app loads only the file without these suffixes. A format that is a folder has the name of
    // that.
    let main = [".tmp", ".bak"].lazy.compactMap { path.removing(suffix: $0) }.first ?? path
    let named = target?.writesFolder == true ? path.parent : main
    let name = (named.lastComponent?.string ?? "entries") + (isWritable ? "" : ".json")
    return [
      "--to", isWritable ? format : JSONFormat.name, "--out",
      ShellWord.text(FilePath(folder).appending(name)),
    ]
  }

  /// Returns a command line, ready to paste, that reads the store at `path` as this run did; it
  /// shows no key.
  func command(
    _ name: String, _ path: FilePath, _ words: [String] = [], isOneOfMany: Bool = false
  ) -> String {
    var line = ["kvfsck", name, ShellWord.text(path)]
    if let format = options.format { line += ["--format", format.name] }
    let database = options.database
    for (option, name) in [
      ("--table", database.table), ("--key-column", database.keyColumn),
      ("--value-column", database.valueColumn),
    ] {
      if let name { line += [option, ShellWord.text(FilePath(name))] }
    }
    let key = options.key
    if let list = key.list {
      line += ["--keys", word(for: list) ?? "KEYS"]
    } else if !key.areEmpty {
      let file = key.file.flatMap(word) ?? "KEYFILE"
      // A key for many stores is tried on each: this one may need none, or the other AES key size.
      if isOneOfMany {
        line.insert("\(KeyOptions.variable)=\(file)", at: 0)
      } else {
        line += ["--key-file", file]
      }
    }
    if let size = key.cipherSize { line.append("--\(size.rawValue)") }
    return (line + words).joined(separator: " ")
  }

  /// Returns the name of a file as a shell word; `nil` if it is a stream, which has been read by
  /// now.
  private func word(for file: String) -> String? {
    let path = ProcessArguments.path(file)
    return file != "-" && Folder.isRegularFile(path) ? ShellWord.text(path) : nil
  }

  /// Returns what to append to the reason why a store cannot be read, or should be copied again;
  /// empty if the reason says it all.
  func access(_ code: FindingCode) -> String {
    switch code {
    case MMKVFindings.keyNeeded,
      AndroidFindings.keyNeeded where Cryptography.isAvailable:
      options.key.list == nil
        ? ". Give the app's key with --key, --key-hex or --key-file"
        : ". Add a line with the app's key: PATH = KEY"
    case MMKVFindings.nothingDecodes where options.key.areEmpty:
      ". Give the app's key with --key-file"
    case MMKVFindings.wrongKey where options.key.looksHexadecimal,
      AndroidFindings.wrongKey where options.key.looksHexadecimal:
      ". If these are hexadecimal digits, use --key-hex"
    case MMKVFindings.wrongKey where options.key.hex != nil,
      AndroidFindings.wrongKey where options.key.hex != nil:
      ". If the digits themselves are the key, use --key"
    case LogFindings.copyUndone, LogFindings.copySuspected: ": kvfsck explain device"
    case MMKVFindings.cipherMismatch:
      options.key.cipherSize == .aes256 ? ". Omit --aes256" : ". Use --aes256"
    default: ""
    }
  }

  /// Returns `event` with advice added.
  func adding(to event: ReportEvent) -> ReportEvent {
    switch event {
    case .findings(let findings, let files):
      return .findings(findings.map { $0.adding(access($0.kind)) }, in: files)
    case .note(let note):
      switch note.loss.kind {
      case ConversionFindings.leftOut where note.loss == .unlikely:
        return .note(note.adding("; --include-guesses converts it too"))
      case ConversionFindings.ambiguousType:
        return .note(
          note.adding(": choose one with --types (--types-out writes a file to correct)"))
      default: return event
      }
    default: return event
    }
  }
}
