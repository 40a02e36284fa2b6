import ArgumentParser
import KVBytes
import KVInput
import KVReport
import KVSystem
import SystemPackage

/// The options for what `check` compares stores with, and for the files it writes the result to.
struct JudgementOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The least severity of a finding that makes the exit status 4.", valueName: "warning|damage"),
    completion: .list(Name.all(FailureThreshold.self)), transform: Name.parse)
  var failOn: FailureThreshold = .damage

  @Option(
    help: ArgumentHelp(
      "Compare the store with this file of lines from `check --json` and `dump --json`, or each store with NAME.jsonl in this folder, and print the differences. Exit status 4 if there are any.",
      valueName: "path"), completion: .file())
  var expect: String?

  @Option(
    help: ArgumentHelp(
      "Also write a JUnit report to this file, replacing that of an earlier run.",
      valueName: "file"), completion: .file())
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Also write a SARIF 2.1.0 report to this file, replacing that of an earlier run.",
      valueName: "file"), completion: .file())
  var sarif: String?

  @Option(
    help: ArgumentHelp(
      "Also write a summary in Markdown to this file, for the page of a job, replacing that of an earlier run.",
      valueName: "file"), completion: .file())
  var markdown: String?

  /// The options if none is given.
  static var unset: JudgementOptions {
    var options = JudgementOptions()
    options.failOn = .damage
    options.expect = nil
    options.junit = nil
    options.sarif = nil
    options.markdown = nil
    return options
  }

  func validate() throws {
    for (name, path) in documentOptions.map({ ($0.name, $0.path) }) + [("--expect", expect)] {
      if path == "" || path == "-" { throw ValidationError("\(name) takes the path of a file.") }
    }
    for (name, path, _) in documentOptions {
      guard let path else { continue }
      try checkFile(path, name)
      if let ending = ProcessArguments.path(path).extension?.lowercased(),
        StoreNames.log.contains(".\(ending)")
      {
        throw ValidationError("\(name): a file name ending in .\(ending) belongs to a store.")
      }
      if let other = documentOptions.first(where: { $0.name != name && $0.path == path }) {
        throw ValidationError("\(name) and \(other.name) need different files.")
      }
    }
  }

  /// Whether no option about the findings of a single store is given.
  var isUsual: Bool { failOn == .damage && expect == nil && documents.isEmpty }

  /// Returns what the stores are expected to be; `nil` if that is not given.
  ///
  /// - Throws: The status for a file that cannot be read or is invalid, after printing the error.
  func expectations() throws(ExitStatus) -> ExpectationFiles? {
    guard let expect else { return nil }
    return try ExpectationFiles(expect)
  }

  /// The options that request a document, and its form.
  private var documentOptions: [(name: String, path: String?, form: CheckDocument.Form)] {
    [
      ("--junit", junit, .junit), ("--sarif", sarif, .sarif), ("--markdown", markdown, .markdown),
    ]
  }

  /// The requested documents.
  var documents: [DocumentFile] {
    documentOptions.compactMap { _, path, form in
      path.map {
        DocumentFile(
          path: ProcessArguments.path($0), contents: CheckDocument(form, version: Kvfsck.version))
      }
    }
  }
}
