import ArgumentParser
import KVBytes
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck undo`: restores what in-place repairs replaced.
struct Undo: ParsableCommand, KeepsEvidence {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Restore the files replaced by `repair --in-place`.",
    discussion: """
      For a folder that is not a backup, undoes all repairs of which it finds backups in it and below \
      it, the newest of each store first. Refuses if a store was written to after the repair, or if a \
      file in its backup has changed; other stores are restored. The backups themselves are kept. Exit \
      status: 0 restored, 8 refused or failed, 32 cancelled.
      """)

  @Argument(
    help: ArgumentHelp(
      "The backup folder, as printed by the repair, or a folder with the stores.",
      valueName: "backup"),
    completion: .file())
  var backup: String

  @OptionGroup(title: "Options for Evidence") var evidence: EvidenceOptions

  func validate() throws { try evidence.validate(outside: [backup]) }

  func run() throws {
    let output = Output.standard
    let path = ProcessArguments.path(backup)
    let named = Backup(at: path)
    let isBackup = path.lastComponent.map(BackupName.matches) ?? false
    let status =
      named.isThere || isBackup || !Folder.exists(path)
      ? restore([named], output) : restoreAll(below: path, output)
    throw output.finish().union(status)
  }

  /// Undoes all repairs of the stores in `folder` and below it.
  private func restoreAll(below folder: FilePath, _ output: Output) -> ExitStatus {
    var status: ExitStatus = []
    let stores = Backup.all(below: folder) { error in
      StoreOpening.complain(error.message)
      status = .failed
    }
    guard !stores.isEmpty else {
      StoreOpening.complain("no backup written by kvfsck is in \(folder.text) or below it")
      return .failed
    }
    var restored = 0
    for (index, backups) in stores.enumerated() {
      let own = restore(backups, output)
      if own == [] { restored += 1 }
      status.formUnion(own)
      output.flush()
      if own.contains(.cancelled) { break }
      let goesOn = Interruption.goOn(
        saying: "kvfsck: error: cancelled; the remaining stores were not restored\n")
      if !goesOn, index + 1 < stores.count {
        StoreOpening.complain("cancelled; the remaining stores were not restored")
        status.formUnion(.cancelled)
        break
      }
    }
    Interruption.hold()
    let count = Plural.count(stores.count, "store", "stores")
    let rest = stores.count - restored
    output.write(
      "\(count) with backups in \(TextReporter.printable(folder.text)); \(restored.grouped) restored"
        + (rest == 0 ? "" : "; \(rest.grouped) not restored"))
    return status
  }

  /// Restores a store from `backups`, the newest first.
  ///
  /// An older backup is of no use where the store was written to between the repairs: the app's
  /// changes would be lost. A newer one is of no use where its repair has been undone, and an older
  /// one after it.
  private func restore(_ backups: [Backup], _ output: Output) -> ExitStatus {
    var isRestored = false
    var refusal: BackupError?
    for backup in backups {
      do throws(BackupError) {
        print(try backup.restore(writer: StoreWriter()), output)
        isRestored = true
      } catch .storeChanged(let path) {
        if isRestored {
          Output.note("\(path.text) was written to before that; \(backup.folder.text) is not used")
          break
        }
        refusal = refusal ?? .storeChanged(path)
      } catch {
        StoreOpening.complain(error.message)
        return RepairFailure.backup(error).status
      }
    }
    guard !isRestored, let refusal else { return [] }
    StoreOpening.complain(refusal.message)
    return RepairFailure.backup(refusal).status
  }

  private func print(_ restoration: Backup.Restoration, _ output: Output) {
    for path in restoration.restored {
      output.write("Restored \(TextReporter.printable(path.text))")
    }
    for path in restoration.removed {
      output.write("Removed \(TextReporter.printable(path.text)), which the repair added")
    }
  }
}
