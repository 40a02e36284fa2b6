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
    abstract: "Bring back the files that `repair --in-place` has replaced.",
    discussion: """
      Refuses if the store was written to since, or if a copy in the backup has changed. The backup \
      itself is kept. Exit status: 0 restored, 8 refused or failed, 32 cancelled.
      """)

  @Argument(
    help: ArgumentHelp("The backup folder, which the repair has printed.", valueName: "backup"),
    completion: .file())
  var backup: String

  func run() throws {
    let output = Output.standard
    do throws(BackupError) {
      let restoration = try Backup(at: ProcessArguments.path(backup)).restore(
        writer: StoreWriter())
      for path in restoration.restored {
        output.write("Restored \(TextReporter.printable(path.string))")
      }
      for path in restoration.removed {
        output.write("Removed \(TextReporter.printable(path.string)), which the repair had added")
      }
    } catch {
      OpenedStore.complain(error.message)
      throw RepairFailure.backup(error).status
    }
    throw output.finish()
  }
}
