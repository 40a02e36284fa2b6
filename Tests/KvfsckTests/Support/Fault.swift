import Foundation
import KVSystem
import KVTestSupport
import Subprocess
import SystemPackage
import Testing

/// A failing operating system call.
///
/// `Tests/FaultInjection/faults.c` describes the kinds.
struct Fault: Sendable, CustomTestStringConvertible {
  /// The calls that can fail.
  enum Call: String, CaseIterable {
    case open, read, write, sync, name, make, remove, cut, list, change
  }

  let call: Call
  /// The error, or the error number 0 if the process is killed before the call.
  let errno: Errno
  /// Whether all later calls also fail.
  var stays = false

  var testDescription: String { "\(call) \(errno)\(stays ? ", and stays" : "")" }

  /// Disk errors when reading.
  static let ofReading = [Call.open, .read, .list].flatMap { call in
    [Fault(call: call, errno: .ioError), Fault(call: call, errno: .ioError, stays: true)]
  }

  /// Disk errors when writing.
  ///
  /// A disk that is full stays full.
  static let ofWriting =
    [Call.open, .sync, .name, .make, .remove].map { Fault(call: $0, errno: .ioError) }
    + [Fault(call: .write, errno: .noSpace)]
    + [.write, .make].map { Fault(call: $0, errno: .noSpace, stays: true) }
    + [.sync, .name, .remove].map { Fault(call: $0, errno: .ioError, stays: true) }

  /// A kill before any call that changes something.
  static let kill = Fault(call: .change, errno: Errno(rawValue: 0))

  /// The numbers of the calls to fail, one per run.
  ///
  /// A partial test run uses the first one and every third one after it.
  static let numbers: [Int] = {
    if TestExtent.isComplete { return Array(1...300) }
    let second = 2 + Int(RandomSeeds.run % 3)
    return [1] + Array(stride(from: second, through: 300, by: 3))
  }()

  /// Runs the tool so that the call with this number fails.
  ///
  /// Only calls about files below `root` are counted.
  ///
  /// - Returns: The outcome, and the path that the call was about, or `nil` if there were fewer
  ///   calls.
  func run(
    _ arguments: [String], number: Int, below root: String
  ) async throws -> (outcome: Outcome, path: String?) {
    let mark = root + ".mark"
    _ = try? FileManager.default.removeItem(atPath: mark)
    var variables = [
      "KVFSCK_FAULT_KIND": call.rawValue,
      "KVFSCK_FAULT_NUMBER": "\(number)",
      "KVFSCK_FAULT_ERRNO": "\(errno.rawValue)",
      "KVFSCK_FAULT_MARK": mark,
    ]
    if stays { variables["KVFSCK_FAULT_STAYS"] = "1" }
    let outcome = try await Fault.run(arguments, below: root, variables)
    let paths = try? String(contentsOfFile: mark, encoding: .utf8).split(separator: "\n")
    _ = try? FileManager.default.removeItem(atPath: mark)
    return (outcome, paths?.first.map(String.init))
  }

  /// Runs the tool, and logs each call about files below `root` to the file `log`, in order.
  static func observe(
    _ arguments: [String], below root: String, log: String
  ) async throws -> Outcome {
    try await run(arguments, below: root, ["KVFSCK_FAULT_LOG": log])
  }

  /// Returns the environment variables with which the tool waits, before the `number`th `call` about
  /// a file whose path begins with `prefix`, until there is a file `gate`.
  ///
  /// While it waits, there is a file `mark`.
  static func gate(
    _ call: Call = .open, number: Int = 1, below prefix: String, until gate: String,
    mark: String? = nil
  ) async throws -> [String] {
    [
      "LD_PRELOAD=\(try await library.value.path("faults.so"))", "KVFSCK_FAULT_ROOT=\(prefix)",
      "KVFSCK_FAULT_KIND=\(call)", "KVFSCK_FAULT_NUMBER=\(number)", "KVFSCK_FAULT_GATE=\(gate)",
    ] + (mark.map { ["KVFSCK_FAULT_MARK=\($0)"] } ?? [])
  }

  /// Returns the number of calls in a log of ``observe(_:below:log:)`` that can fail in this way.
  func count(in log: String) throws -> Int {
    let kinds = call == .open ? ["open", "create"] : [call.rawValue]
    return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count { line in
      kinds.contains { line.hasPrefix($0 + " ") }
    }
  }

  private static func run(
    _ arguments: [String], below root: String, _ variables: [String: String]
  ) async throws -> Outcome {
    var environment: [Environment.Key: String?] = [
      "LD_PRELOAD": try await library.value.path("faults.so"), "KVFSCK_FAULT_ROOT": root + "/",
    ]
    for (name, value) in variables { environment[Environment.Key(stringLiteral: name)] = value }
    let result = try await Subprocess.run(
      .path(FilePath(try Tool.path())), arguments: Arguments(arguments),
      environment: .inherit.updating(environment),
      output: .bytes(limit: 1 << 24), error: .bytes(limit: 1 << 24))
    return Outcome(
      result.terminationStatus, output: result.standardOutput, errors: result.standardError)
  }

  /// The folder with the library, which is compiled once.
  private static let library = Task { () throws -> Scratch in
    let scratch = try Scratch()
    let source = Fixture.root + "/../Tests/FaultInjection/faults.c"
    let outcome = try await Tool.run(
      "clang", ["-shared", "-fPIC", "-O1", "-o", scratch.path("faults.so"), source, "-ldl"])
    guard outcome.status == 0 else { throw NotCompiled(output: outcome.errors) }
    return scratch
  }

  /// The compiler is missing, or cannot compile the library.
  struct NotCompiled: Error { let output: String }
}
