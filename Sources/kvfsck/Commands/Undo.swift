import ArgumentParser
import KVBytes
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck undo`: restores what an in-place repair replaced.
struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Restore the files replaced by `repair --in-place`.",
    discussion: """
      Refuses if the store was written to after the repair, or if a file in the backup has changed. The backup \
      itself is kept. Exit status: 0 restored, 8 refused or failed, 32 cancelled.
      """)

  @Argument(
    help: ArgumentHelp("The backup folder, as printed by the repair.", valueName: "backup"),
    completion: .file())
  var backup: String

  func run() throws {
    let output = Output.standard
    do throws(BackupError) {
      let restoration = try Backup(at: ProcessArguments.path(backup)).restore(
        writer: StoreWriter())
      for path in restoration.restored {
        output.write("Restored \(TextReporter.printable(path.text))")
      }
      for path in restoration.removed {
        output.write("Removed \(TextReporter.printable(path.text)), which the repair added")
      }
    } catch {
      OpenedStore.complain(error.message)
      throw RepairFailure.backup(error).status
    }
    throw output.finish()
  }
}
