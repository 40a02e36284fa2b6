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
      let format = try format(options)
      return body(format, try files(at: FilePath(path), options, format))
    } catch {
      complain(error.message)
      if options.json {
        JSONLinesReport { output.write($0) }.failure(path: path, message: error.message)
      }
      return .failed
    }
  }

  private static func format(_ options: StoreOptions) throws(DiscoveryError) -> MMKVFormat {
    do throws(FileError) {
      return try options.mmkv()
    } catch {
      throw .file(error)
    }
  }

  private static func files(
    at path: FilePath, _ options: StoreOptions, _ format: MMKVFormat
  ) throws(DiscoveryError) -> [StoreFile] {
    if !options.id.isEmpty, Folder.exists(path) {
      return try format.discover(ids: options.id, below: path)
    }
    return try format.discover(at: path)
  }

  /// Prints an error.
  static func complain(_ message: String) { Output.error.write("kvfsck: error: \(message)") }
}
