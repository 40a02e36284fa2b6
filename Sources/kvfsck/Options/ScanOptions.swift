import ArgumentParser
import KVBytes
import KVConversion
import KVModel
import KVSystem
import KVToolkit
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options for which stores a scan examines, and how many at a time.
struct ScanOptions: ParsableArguments {
  @Option(
    name: .customLong("files0-from"),
    help: ArgumentHelp(
      "Read the paths from this file, each terminated by a zero byte as by find -print0; - for standard input.",
      valueName: "file"), completion: .file())
  var files0From: String?

  @Option(
    help: ArgumentHelp(
      "Maximum number of stores processed at once; default and limit: the number of processors.",
      valueName: "number"))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "Scan only part n of t of the stores; the parts are the same on every machine.",
      valueName: "n/t"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "Maximum size of a file in bytes; a store with a larger file is reported as not read.",
      valueName: "number"))
  var maxBytes: Int?

  @Option(
    help: ArgumentHelp(
      "Maximum time per store; a store that takes longer is reported as not read.",
      valueName: "seconds"))
  var timeout: Double?

  @Option(
    help: ArgumentHelp(
      "Skip the stores listed in this file, the JSON output of an earlier, interrupted scan.",
      valueName: "file"), completion: .file())
  var resume: String?

  func validate() throws {
    try Self.validate(jobs: jobs)
    if let maxBytes, maxBytes < 1 { throw ValidationError("--max-bytes must be at least 1.") }
    if let timeout, !(0.001...1e6).contains(timeout) {
      throw ValidationError("--timeout takes 0.001 to 1000000 seconds.")
    }
    if shard != nil, part == nil {
      throw ValidationError("--shard takes n/t with n from 1 to t, such as 1/4.")
    }
  }

  /// Checks the number that `--jobs` takes.
  static func validate(jobs: Int?) throws {
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs takes a number from 1 to 1024.")
    }
  }

  /// Checks that `paths` name something, that standard input is read at most once, that `store` has no
  /// options without effect on `command`, and that nothing is logged into what is read.
  func validate(_ paths: [String], _ store: StoreOptions, of command: String) throws {
    if store.table != nil {
      throw ValidationError(
        "\(command) reads no tables of databases; name the database: kvfsck check --table ….")
    }
    if store.format.map({ !$0.hasLog }) ?? false {
      throw ValidationError(
        "\(command) --format needs a format with a log; name the files instead.")
    }
    if paths.contains("") { throw ValidationError("A path is empty.") }
    if paths.isEmpty == (files0From == nil) {
      throw ValidationError("Name folders or files, or a list of them with --files0-from.")
    }
    if paths.contains("-"), paths.count > 1 {
      throw ValidationError("- must be the only path: the list on standard input has all paths.")
    }
    if paths == ["-"] || files0From == "-", store.key.takeStandardInput {
      throw ValidationError("Standard input cannot hold both the list of paths and a key.")
    }
    if paths == ["-"] || files0From == "-" || store.key.takeStandardInput {
      try Answer.refuseStandardInput()
    }
    try store.evidence.validate(outside: paths)
  }

  /// Returns the source of the paths.
  func roots(_ paths: [String]) throws(DiscoveryError) -> ScanRun.Roots {
    if let file = files0From {
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

  /// The shard to examine and the number of shards; `nil` if the option is malformed.
  private var part: (index: Int, count: Int)? {
    let numbers = (shard ?? "1/1").split(separator: "/", omittingEmptySubsequences: false)
      .map { Int($0) }
    guard numbers.count == 2, let index = numbers[0], let count = numbers[1], index >= 1,
      index <= count
    else { return nil }
    return (index, count)
  }

  /// Returns the scan that the options describe.
  ///
  /// - Throws: If the key, or the output of the earlier scan, cannot be read.
  func scan(
    _ store: StoreOptions, _ report: Reports, searching search: ContentSearch? = nil,
    residueBy opener: StoreResidue.Opener? = nil
  ) throws(DiscoveryError) -> TreeScan {
    var options = try Self.usual(store, report)
    options.residueOpener = opener
    if let jobs { options.jobCount = jobs }
    if let maxBytes { options.byteLimit = min(maxBytes, options.byteLimit) }
    if let part { options.shard = part }
    options.timeLimit = timeout
    options.search = search
    if let resume { options.known = try known(ProcessArguments.path(resume)) }
    return TreeScan(Kvfsck.formats, options)
  }

  /// Returns a scan of all stores, for a command without scan options; those with one of the
  /// files at `paths` are passed over.
  ///
  /// - Throws: If the key cannot be read.
  static func scanOfAll(
    _ store: StoreOptions, _ report: Reports, keeping kept: TreeScan.Options.Kept = .none,
    jobs jobCount: Int? = nil, besides paths: [FilePath] = []
  ) throws(DiscoveryError) -> TreeScan {
    var options = try usual(store, report)
    options.kept = kept
    if let jobCount { options.jobCount = jobCount }
    options.known = Set(paths.map { FilePath(bytes: $0.shownBytes) })
    return TreeScan(Kvfsck.formats, options)
  }

  /// The number of stores that are processed at once if no option says.
  static var usualJobCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  private static func usual(
    _ store: StoreOptions, _ report: Reports
  ) throws(DiscoveryError) -> TreeScan.Options {
    var settings = try report.settings()
    // The user did not name the stores that the key is for.
    settings.keys = settings.keys.tried
    var options = TreeScan.Options(settings)
    options.formatName = store.format?.name
    options.jobCount = usualJobCount
    return options
  }

  /// Returns the paths of the results in the file at `path`; a truncated last line is ignored.
  ///
  /// - Throws: If the file cannot be read, or is not empty but no line of it is one of a scan: that
  ///   of a search has no results, and would skip nothing.
  private func known(_ path: FilePath) throws(DiscoveryError) -> Set<FilePath> {
    struct Verdicts: Decodable {}
    struct Line: Decodable {
      let type: String
      let path: String?
      /// The bytes of the path in hexadecimal, if it is not UTF-8.
      let pathHex: String?
      /// The verdicts, in the totals of a scan.
      let verdicts: Verdicts?

      /// Whether a scan has written the line.
      var isOfScan: Bool { type == "result" || verdicts != nil }
      var file: FilePath? {
        pathHex.flatMap { Hexadecimal.bytes($0) }.map { FilePath(bytes: $0) }
          ?? path.map { FilePath($0) }
      }
    }
    let image: FileImage
    do throws(FileError) {
      image = try FileImage.read(path)
    } catch {
      throw .file(error)
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let rows = image.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let lines = rows.compactMap { try? decoder.decode(Line.self, from: Data($0)) }
    // A scan that was interrupted at its first line has written a part of it, or nothing.
    let isCutOff = rows.count == 1 && rows[0].first ?? UInt8(ascii: "{") == UInt8(ascii: "{")
    guard lines.contains(where: \.isOfScan) || isCutOff else { throw .notScanOutput(path) }
    return Set(lines.compactMap { $0.type == "result" ? $0.file : nil })
  }
}
