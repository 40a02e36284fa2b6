import KVBytes
import KVModel
import KVReport
import MMKVFormat
import SystemPackage

/// Opens what a command names, and says so when that cannot be done.
enum OpenedStore {
  /// Finds the store at `path`, reads its files and hands them to `body` with their format.
  ///
  /// - Returns: The status of `body`, or that of the failure.
  static func open(
    _ path: String, _ options: StoreOptions, _ output: Output,
    _ body: (any StoreFormat, [StoreFile]) -> ExitStatus
  ) -> ExitStatus {
    do throws(DiscoveryError) {
      let (format, files) = try find(FilePath(path), options)
      return body(format, files)
    } catch {
      output.flush()
      complain(error.message)
      if options.json {
        JSONLinesReport { output.write($0) }.failure(path: path, message: error.message)
      }
      return .failed
    }
  }

  private static func find(
    _ path: FilePath, _ options: StoreOptions
  ) throws(DiscoveryError) -> (any StoreFormat, [StoreFile]) {
    if !options.id.isEmpty, Folder.exists(path) {
      let mmkv = try options.mmkv()
      return (mmkv, try mmkv.discover(ids: options.id, below: path))
    }
    let (best, others) = try Formats(try options.formats()).candidates(at: path)
    if best.possibility.recognition.likelihood < Formats.recognized, options.format == nil {
      Output.error.write(
        "kvfsck: note: \(TextReport.printable(path.string)) looks like no store of "
          + "\(StoreOptions.Format.allCases.map(\.rawValue).joined(separator: ", ")); it is read as "
          + best.possibility.name)
    }
    for other in others {
      Output.error.write(
        "kvfsck: note: \(path) is taken for \(best.possibility.name) "
          + "(\(best.possibility.reasons)), but may be \(other.name) (\(other.reasons)); "
          + "--format decides")
    }
    return (best.format, best.files)
  }

  /// Prints an error; what a file's name could do to a terminal is taken out of it.
  static func complain(_ message: String) {
    Output.error.write("kvfsck: error: \(TextReport.printable(message))")
  }
}
