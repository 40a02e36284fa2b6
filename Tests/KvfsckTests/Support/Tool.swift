import Foundation
import KVSystem
import Subprocess
import SystemPackage
import Testing

/// Runs `kvfsck` as a process, and returns its exit status, stdout and stderr.
enum Tool {
  /// Returns the path of the executable called `name` that was built with these tests.
  ///
  /// - Throws: ``Missing`` if it is not beside the test bundle.
  static func path(of name: String = "kvfsck") throws -> String {
    let bundles = CommandLine.arguments + Bundle.allBundles.map(\.bundlePath)
    let starts = bundles.filter { $0.contains(".xctest") } + [Bundle.main.bundlePath]
    for start in starts {
      var folder = FilePath(URL(filePath: start).standardizedFileURL.path(percentEncoded: false))
      while folder.removeLastComponent() {
        let tool = folder.appending(name)
        if (try? Stat(tool))?.type == .regular { return tool.string }
      }
    }
    throw Missing()
  }

  /// The error for an executable that is not where SwiftPM puts it.
  struct Missing: Error {}

  /// Runs `kvfsck` with `arguments` and an empty stdin.
  static func run(_ arguments: [String], in folder: String? = nil) async throws -> Outcome {
    try await run(try path(), arguments, in: folder)
  }

  /// Runs a shell script in which `$0` is the executable and `$1` the first argument.
  static func shell(
    _ script: String, _ arguments: [String] = [], in folder: String? = nil
  ) async throws -> Outcome {
    try await run("/bin/sh", ["-c", script, try path()] + arguments, in: folder)
  }

  /// Runs any program.
  static func run(
    _ program: String, _ arguments: [String], in folder: String? = nil
  ) async throws -> Outcome {
    let result = try await Subprocess.run(
      program.contains("/") ? .path(FilePath(program)) : .name(program),
      arguments: Arguments(arguments),
      workingDirectory: folder.map { FilePath($0) },
      output: .bytes(limit: 1 << 26), error: .bytes(limit: 1 << 24))
    return Outcome(
      result.terminationStatus, output: result.standardOutput, errors: result.standardError)
  }
}

/// The result of running a process.
struct Outcome: Sendable, CustomTestStringConvertible {
  /// The exit status, or `nil` if a signal ended the process.
  let status: Int32?
  /// The signal that ended the process, or `nil` if it exited.
  let signal: Int32?
  let output: String
  let errors: String

  init(_ status: TerminationStatus, output: [UInt8], errors: [UInt8]) {
    switch status {
    case .exited(let code): (self.status, signal) = (code, nil)
    case .signaled(let number): (self.status, signal) = (nil, number)
    }
    self.output = String(decoding: output, as: UTF8.self)
    self.errors = String(decoding: errors, as: UTF8.self)
  }

  /// The lines of stdout.
  var lines: [Substring] { output.split(separator: "\n") }

  var testDescription: String {
    let end = status.map { "status \($0)" } ?? "signal \(signal ?? 0)"
    return "\(end)\n--- stdout\n\(output.prefix(3000))\n--- stderr\n\(errors.prefix(3000))"
  }
}
