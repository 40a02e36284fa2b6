import ArgumentParser
import ExchangeFormats
import KVConversion
import KVModel
import KVRecovery
import KVReport
import KVSystem
import KVToolkit

/// `kvfsck search`: finds keys and values in every store below some paths.
struct Search: ParsableCommand, OpensStores {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find keys and values in every store of folders and archives.",
    discussion: """
      Searches the stores that kvfsck scan finds: live, overwritten, removed and residual records, \
      documents within values, and bytes of no record; encrypted stores with their keys. The \
      pattern is text, found in UTF-8 and UTF-16 within longer text, or with --regex or --hex \
      something else. A number is also found in values that are this number, whatever their type. \
      Files that are not stores are not searched. --table and its columns are for other commands. \
      Exit status: 0 whatever is found, 8 if a path \
      cannot be read.
      """)

  @OptionGroup var options: StoreOptions

  @Option(
    name: [.customShort("e"), .customLong("pattern")], parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Look for this pattern, also one that begins with -; several are alternatives. All other arguments are paths.",
      valueName: "pattern"))
  var patterns: [String] = []

  @Flag(name: [.customShort("i"), .long], help: "Treat letters in upper and lower case alike.")
  var ignoreCase = false

  @Flag(
    help:
      """
      Patterns are regular expressions: . [a-z] ( ) | * + ? {n,m} ^ $ and \\d \\w \\s \\b. ^ and $ are the \
      ends of a key or text.
      """)
  var regex = false

  @Flag(help: "Patterns are bytes in hexadecimal.")
  var hex = false

  @OptionGroup(title: "Scan Options") var extent: ScanOptions
  @OptionGroup var redacting: RedactionOptions

  @Argument(help: ArgumentHelp("The pattern, unless -e gives one.", valueName: "pattern"))
  var first: String?

  @Argument(
    help: ArgumentHelp(
      "Folders and files; - for a list of paths on standard input, one per line.",
      valueName: "path"), completion: .file())
  var others: [String] = []

  /// The patterns, and the paths.
  private var subject: (patterns: [String], paths: [String]) {
    let words = [first].compactMap(\.self) + others
    return patterns.isEmpty ? (Array(words.prefix(1)), Array(words.dropFirst())) : (patterns, words)
  }

  func validate() throws {
    let (patterns, paths) = subject
    if patterns.isEmpty { throw ValidationError("Give what to look for.") }
    try extent.validate(paths, options, of: "search")
    if regex, hex { throw ValidationError("Give either --regex or --hex.") }
    if hex, ignoreCase { throw ValidationError("Bytes have no case; omit --ignore-case.") }
    _ = try pattern()
  }

  private func pattern() throws -> SearchPattern {
    do throws(SearchPatternError) {
      return try SearchPattern(
        subject.patterns, as: hex ? .hexadecimal : regex ? .expression : .literal,
        ignoringCase: ignoreCase)
    } catch {
      throw ValidationError("The pattern cannot be searched for: \(error.message).")
    }
  }

  func run() throws {
    options.warnOfVisibleKey()
    let report = Reports(options, .scan, redaction: redacting.redaction)
    let search = ContentSearch(for: try pattern(), opening: NestedContent.searched)
    var totals = SearchTotals()
    let status: ExitStatus
    do throws(DiscoveryError) {
      let scan = try extent.scan(options, report, searching: search)
      let run = ScanRun(
        scan, report, show: { result in show(result, &totals, report) },
        conclusion: { .searched(totals.over($0)) })
      status = run.status(of: try extent.roots(subject.paths))
    } catch {
      report.complain(error.message)
      status = .failed
    }
    throw report.end(status)
  }

  /// Reports what was found in a store.
  private func show(_ result: TreeScan.Result, _ totals: inout SearchTotals, _ report: Reports) {
    guard let found = result.search else { return }
    totals.add(found)
    for hit in found.hits { report(.hit(hit, result.outcome)) }
  }
}
