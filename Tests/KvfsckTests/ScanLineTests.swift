import Foundation
import KVTestSupport
import Testing

/// The lines of a scan that goes on for long, which a reader sees before it ends.
struct ScanLineTests {
  private let scratch: Scratch
  private let extraction: Extraction

  init() throws {
    scratch = try Scratch()
    extraction = Extraction(in: scratch)
  }

  /// Reads one line of the tool, and then interrupts it.
  ///
  /// A tool from which no line comes is killed after half an hour, so that no run hangs forever.
  private static let script = """
    import os, signal, subprocess, sys, threading
    tool = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    watch = threading.Timer(1800, tool.kill)
    watch.start()
    tool.stdin.write(b"tree/a/kv\\n")
    tool.stdin.flush()
    line = tool.stdout.readline()
    tool.send_signal(signal.SIGINT)
    rest = tool.stdout.read()
    sys.stdout.write((line + rest).decode())
    sys.stderr.write(tool.stderr.read().decode())
    watch.cancel()
    sys.exit(tool.wait())
    """

  private func expectOneStore(_ outcome: Outcome) throws {
    #expect(outcome.status == 32, "\(outcome.testDescription)")
    #expect(try outcome.objects("result").map { $0["path"]?.string } == ["tree/a/kv"])
    #expect(outcome.output.hasSuffix("\n"))
    #expect(
      outcome.errors == "kvfsck: error: cancelled; the remaining stores were not examined\n")
  }

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func aScanThatIsCancelledHasPrintedItsLines() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree/a", as: "kv")
    try expectOneStore(
      try await Python.run(Self.script, [try Tool.path(), "scan", "-"], in: scratch.path))
  }

  #if os(Linux)
    /// Tests that a store that takes long does not keep back the line of the one before it.
    ///
    /// A file of the second store cannot be opened before the tool ends.
    @Test(
      .enabled("there is no python3") { try await Python.isHere() },
      arguments: [
        ["scan", "tree"], ["scan", "--jobs", "1", "tree"], ["check", "--json", "tree"],
      ])
    func aStoreThatTakesLongKeepsNoLineBack(command: [String]) async throws {
      for folder in ["tree/a", "tree/b"] {
        try extraction.copy("mmkv/golden/all_types", folder, as: "kv")
      }
      let preload = try await Fault.gate(below: "tree/b/", until: scratch.path("never"))
      try expectOneStore(
        try await Python.run(
          Self.script, ["env"] + preload + [try Tool.path()] + command, in: scratch.path))
    }
  #endif
}
