import ArgumentParser
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `kvfsck scan`: finds every store below some paths, and reports its condition.
struct Scan: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Find every store in folders and archives, and say how each is: one line a store.",
    discussion: """
      Looks into folders and the folders in them. Files of one store are one line; what is no store \
      is passed over; links are not followed. Archives (ZIP, TAR, backups of Android and iOS) are looked \
      into; what is in them reads ARCHIVE!MEMBER. On a terminal it prints a table, worst last; into a \
      pipe, or with --json, one object of JSON a store, in the order of the paths. Exit status 0 \
      whatever is found, 8 where a path cannot be read.
      """)

  @OptionGroup var options: StoreOptions
  @OptionGroup(title: "Scan Options") var extent: ScanOptions

  @Argument(
    help: ArgumentHelp(
      "Folders and files; - for a list of paths on standard input, one a line.",
      valueName: "path"), completion: .file())
  var paths: [String] = []

  func validate() throws {
    if paths.contains("") { throw ValidationError("A path is empty.") }
    if paths.isEmpty == (extent.files0From == nil) {
      throw ValidationError("Name folders or files, or a list of them with --files0-from.")
    }
    if paths.contains("-"), paths.count > 1 {
      throw ValidationError("- stands alone: the list on standard input has all paths.")
    }
    if paths == ["-"] || extent.files0From == "-", options.key.takeStandardInput {
      throw ValidationError("Standard input cannot have both the list of paths and a key.")
    }
    if options.table != nil || options.format.map({ !$0.hasLog }) ?? false {
      throw ValidationError("A scan looks for one format only if that has a log; name the files.")
    }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .scan, isPiped: !Terminal.isInteractive(.output))
    let status: ExitStatus
    do throws(DiscoveryError) {
      let scan = try extent.scan(options, report)
      let run = ScanRun(scan, report)
      status = run.status(of: try roots())
    } catch {
      report.complain(error.message)
      status = .failed
    }
    throw report.end(status)
  }

  /// Returns the source of the paths.
  private func roots() throws(DiscoveryError) -> ScanRun.Roots {
    if let file = extent.files0From {
      return .list(try descriptor(of: file), separator: 0)
    }
    return paths == ["-"]
      ? .list(.standardInput, separator: UInt8(ascii: "\n"))
      : .paths(paths.map(ProcessArguments.path))
  }

  private func descriptor(of file: String) throws(DiscoveryError) -> FileDescriptor {
    guard file != "-" else { return .standardInput }
    let path = ProcessArguments.path(file)
    do {
      return try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
    } catch {
      throw .file(
        .system(operation: "read", path: path, errno: error as? Errno ?? .ioError))
    }
  }
}
