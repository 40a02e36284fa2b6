import ArgumentParser
import KVBytes
import KVCryptography
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck verify-log`: checks that the lines of an evidence log follow from each other.
struct VerifyLog: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-log",
    abstract: "Check that no line of an evidence log was changed, dropped, inserted or moved.",
    discussion: """
      Each line of a log written with --evidence has the hash of the line before it. Lines cut off from \
      the end are found only with --last: each run prints that hash. Docs/EVIDENCE.md explains the log. \
      Exit status: 0 whole, 4 not, 8 unreadable.
      """)

  @Option(
    help: ArgumentHelp(
      "The hash of the last line, as the last run printed it.", valueName: "hash"))
  var last: String?

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  @Argument(
    help: ArgumentHelp("The log, or the folder with evidence.jsonl.", valueName: "log"),
    completion: .file())
  var log: String

  func validate() throws {
    if let last, Hexadecimal.bytes(last)?.count != 32 {
      throw ValidationError("--last takes the 64 digits of a hash.")
    }
    if !Cryptography.isAvailable {
      throw ValidationError("verify-log needs a kvfsck that was built with the trait Encryption.")
    }
  }

  func run() throws {
    let named = ProcessArguments.path(log)
    let path = Folder.exists(named) ? named.appending(EvidenceLog.name) : named
    let check: EvidenceCheck
    do throws(FileError) {
      check = EvidenceCheck(of: try FileImage.read(path).bytes, last: last?.lowercased())
    } catch {
      StoreOpening.complain(error.message)
      throw ExitStatus.failed
    }
    let output = Output.standard
    for line in json ? check.jsonLines : Self.text(of: check, path) { output.write(line) }
    throw output.finish().union(check.problemCount == 0 ? [] : .damaged)
  }

  private static func text(of check: EvidenceCheck, _ path: FilePath) -> [String] {
    let name = TextReporter.printable(path.text)
    var lines = check.problems.flatMap { problem in
      ["\(name):\(problem.line): \(problem.message)"]
        + [("stated", problem.expected), ("found", problem.found)].compactMap { word, hash in
          hash.map { "  \(word) \(TextReporter.printable($0))" }
        }
    }
    let rest = check.problemCount - check.problems.count
    if rest > 0 { lines.append("\(rest.grouped) more problems are left out") }
    lines += check.tornLines.map {
      "\(name):\($0): says that the line before it was not written to its end"
    }
    lines += check.unfinishedRuns.sorted().map {
      "\(name):\($0): the run that begins here has no end: it was killed, or is not over"
    }
    let verdict =
      check.problemCount == 0
      ? "whole" : "not whole, " + Plural.count(check.problemCount, "problem", "problems")
    return lines + [
      "\(name): \(verdict); \(Plural.count(check.lineCount, "line", "lines")) of "
        + "\(Plural.count(check.runCount, "run", "runs")), last hash \(check.last)"
    ]
  }
}
