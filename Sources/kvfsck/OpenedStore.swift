import KVBytes
import KVModel
import KVReport
import MMKVFormat
import SystemPackage

/// Opens what a command names, and says so when that cannot be done.
enum OpenedStore {
  /// What files are: a store with a log, or a format without one.
  private enum Kind {
    case store(any StoreFormat, [StoreFile])
    case table(any EntryReader, [StoreFile])
  }

  /// Finds the store at `path`, reads its files and hands them to `body` with their format, or, where
  /// the format has no log, what they hold to `table`.
  ///
  /// Why that cannot be done is printed, and handed to `failed`.
  ///
  /// - Returns: The status of what was called, or that of the failure.
  static func open(
    _ path: String, _ options: StoreOptions, _ output: Output,
    table: ((EntryTable) -> ExitStatus)? = nil,
    failed: (String) -> Void = { _ in },
    _ body: (any StoreFormat, [StoreFile]) -> ExitStatus
  ) -> ExitStatus {
    let message: String
    do throws(DiscoveryError) {
      switch try find(FilePath(path), options) {
      case .store(let format, let files): return body(format, files)
      case .table(let reader, let files):
        if let table { return table(reader.read(files)) }
        message =
          "\(path) is of the format \(type(of: reader).name), which has no log; "
          + "check, dump and convert read it"
      }
    } catch {
      message = error.message
    }
    output.flush()
    complain(message)
    failed(message)
    if options.json {
      JSONLinesReport { output.write($0) }.failure(path: path, message: message)
    }
    return .failed
  }

  private static func find(
    _ path: FilePath, _ options: StoreOptions
  ) throws(DiscoveryError) -> Kind {
    if !options.id.isEmpty, Folder.exists(path) {
      let mmkv = try options.mmkv()
      return .store(mmkv, try mmkv.discover(ids: options.id, below: path))
    }
    let readers = Readers(try options.readers())
    if options.table != nil || options.format.map({ !$0.hasLog }) ?? false {
      let (reader, files) = try readers.first(at: path)
      return .table(reader, files)
    }
    let table = options.format == nil ? readers.likeliest(at: path) : nil
    let best: Formats.Candidate
    let others: [Formats.Possibility]
    do throws(DiscoveryError) {
      (best, others) = try Formats(try options.formats()).candidates(at: path)
    } catch {
      if let table { return .table(table.reader, table.files) }
      throw error
    }
    let likelihood = best.possibility.recognition.likelihood
    // What lies beside a store in its folder is not meant.
    let isMeant = !Folder.exists(path) || likelihood < Formats.recognized
    if let table, isMeant, table.likelihood > likelihood {
      return .table(table.reader, table.files)
    }
    if likelihood < Formats.recognized, options.format == nil {
      Output.error.write(
        "kvfsck: note: \(TextReport.printable(path.string)) looks like no store of "
          + "\(StoreOptions.Format.allCases.map(\.rawValue).joined(separator: ", ")); it is read as "
          + best.possibility.name + adviceForDatabase(best.files))
    }
    for other in others {
      Output.error.write(
        "kvfsck: note: \(path) is taken for \(best.possibility.name) "
          + "(\(best.possibility.reasons)), but may be \(other.name) (\(other.reasons)); "
          + "--format decides")
    }
    return .store(best.format, best.files)
  }

  /// What else to call for a database of SQLite whose tables no format knows; nothing for other files.
  private static func adviceForDatabase(_ files: [StoreFile]) -> String {
    guard let image = files.first?.image, image.bytes.starts(with: "SQLite format 3\0".utf8) else {
      return ""
    }
    return ". It is a database of SQLite: --table NAME --key-column NAME --value-column NAME reads "
      + "a table of it, --format wcdb one that WCDB keeps"
  }

  /// Prints an error; what a file's name could do to a terminal is taken out of it.
  static func complain(_ message: String) {
    Output.error.write("kvfsck: error: \(TextReport.printable(message))")
  }
}
