import Foundation
import KVSystem
import KVTestSupport
import Testing

/// Interrupting the tool, which must not leave incomplete output.
@Suite(.serialized)
struct InterruptionTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Commands whose output is a new file or folder.
  private static let writing = [
    ["repair"], ["convert", "--accept-bytes", "--to", "mmkv"],
    ["convert", "--accept-bytes", "--to", "sqlite"],
    ["convert", "--accept-bytes", "--to", "jsonl", "--types-out", "types"],
    ["convert", "--accept-bytes", "--to", "yycache"],
  ]

  /// One command for each form of report.
  private static let reporting = ["html", "sqlite", "leapp", "case", "dfxml"].map {
    ["report", "--to", $0]
  }

  #if os(Linux)
    /// Starts a tool that waits in the middle of its work, and sends it a signal when it does.
    ///
    /// A tool that does not end is killed after half an hour, so that no run hangs forever.
    private static let stopped = """
      import os, signal, subprocess, sys, threading, time
      tool = subprocess.Popen(sys.argv[3:], stderr=subprocess.PIPE)
      watch = threading.Timer(1800, tool.kill)
      watch.start()
      while tool.poll() is None and not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
      if tool.poll() is None:
        tool.send_signal(getattr(signal, sys.argv[2]))
      sys.stderr.write(tool.communicate()[1].decode())
      watch.cancel()
      sys.exit(tool.returncode)
      """

    /// Tests signals that arrive while the tool reads its input, while it writes its output, and
    /// while the output is about to be complete.
    @Test(
      .enabled("there is no python3") { try await Python.isHere() },
      arguments: writing + TestExtent.share(2, of: reporting))
    func anOutputIsAbsentWhereverASignalComes(command: [String]) async throws {
      let large = try scratch.makeFolder("large")
      try LargeStore.write(entries: 800, of: 10_000, into: large)
      let before = try FolderState(of: large)
      let new = scratch.path("new")
      let mark = scratch.path("mark")
      let arguments =
        command.map { $0 == "types" ? "\(new)/types" : $0 } + ["--out", "\(new)/out", large]
      var reached: Set<Fault.Call> = []
      for (call, numbers) in [
        // The first file is complete at the first sync. Then a request waits while names change.
        (Fault.Call.open, [1, 2]), (.write, [1, 2, 3, 5, 9]), (.sync, [1]),
      ] {
        for number in numbers {
          _ = try scratch.makeFolder("new")
          let preload = try await Fault.gate(
            call, number: number, below: call == .open ? large : new + "/",
            until: scratch.path("never"), mark: mark)
          let outcome = try await Python.run(
            Self.stopped,
            [mark, number % 2 == 1 ? "SIGINT" : "SIGTERM", "env"] + preload + [try Tool.path()]
              + arguments)
          #expect(try FolderState(of: large) == before)
          let left = scratch.names(in: "new")
          try FileManager.default.removeItem(atPath: new)
          guard FileManager.default.fileExists(atPath: mark) else {
            // There are fewer such calls.
            #expect(outcome.status == 0 && left != [], "\(outcome.testDescription)")
            break
          }
          reached.insert(call)
          try FileManager.default.removeItem(atPath: mark)
          #expect(outcome.status == 32, "\(call) \(number): \(outcome.testDescription)")
          #expect(outcome.errors == "kvfsck: error: cancelled; nothing was written\n")
          #expect(left == [], "\(call) \(number)")
        }
      }
      #expect(reached == [.open, .write, .sync])
    }
  #endif

  /// Starts the tool with a signal already pending, so that it arrives before the first byte.
  private static let pending = """
    import os, signal, sys
    number = getattr(signal, sys.argv[1])
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    os.kill(os.getpid(), number)
    os.execv(sys.argv[2], sys.argv[2:])
    """

  @Test(
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: ["SIGINT", "SIGTERM", "SIGHUP"],
    [["--out", "new"], ["--in-place"]])
  func aSignalBeforeTheFirstByteIs32(signal: String, target: [String]) async throws {
    #if !Encryption
      if target == ["--in-place"] { return }
    #endif
    let folder = try scratch.copy(.lossy)
    let before = try FolderState(of: scratch.path)
    let outcome = try await Python.run(
      InterruptionTests.pending,
      [signal, try Tool.path(), "repair", "-y"] + target + .clock + [folder], in: scratch.path)
    #expect(outcome.status == 32, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("cancelled; nothing was written"))
    #expect(try FolderState(of: scratch.path) == before)
    #expect(scratch.names(in: "") == ["store"])
    #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
  }

  /// Starts the tool with a key that never arrives.
  ///
  /// When the pipe for the key can be opened, the tool is running and waits. It is then signaled,
  /// or its output is closed.
  private static let waiting = """
    import os, signal, subprocess, sys, time
    os.mkfifo('key')
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    tool = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while tool.poll() is None:
      try:
        pipe = os.open('key', os.O_WRONLY | os.O_NONBLOCK)
        break
      except OSError:
        time.sleep(0.01)
    if sys.argv[1] == 'close':
      tool.stdout.close()
      tool.stdout = None
    elif tool.poll() is None:
      tool.send_signal(getattr(signal, sys.argv[1]))
    sys.stderr.write(tool.communicate()[1].decode())
    sys.exit(tool.returncode)
    """

  @Test(
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: [
      ["check", "STORE"], ["check", "--junit", "report", "STORE"], ["dump", "STORE"],
      ["dump", "--json", "STORE"], ["map", "STORE"], ["compare", "STORE", "STORE"],
      ["repair", "-y", "--out", "new", "STORE"], ["repair", "-y", "--in-place", "STORE"],
      ["convert", "--to", "json", "--out", "new", "STORE"],
      ["fixture", "damage", "--operator", "flip-key", "--out", "new", "STORE"],
    ])
  func aSignalEndsEveryCommandInTheMiddleOfItsWork(command: [String]) async throws {
    let folder = try scratch.copy(.lossy)
    let before = try FolderState(of: folder)
    for signal in ["SIGINT", "SIGTERM", "SIGHUP"] {
      let outcome = try await Python.run(
        InterruptionTests.waiting,
        [signal, try Tool.path()] + command.map { $0 == "STORE" ? folder : $0 }
          + ["--key-file", "key"], in: scratch.path)
      #expect(outcome.status == 32, "\(outcome.testDescription)")
      #expect(outcome.errors == "kvfsck: error: cancelled; nothing was written\n")
      #expect(try FolderState(of: folder) == before)
      #expect(scratch.names(in: "") == ["key", "store"])
      try FileManager.default.removeItem(atPath: scratch.path("key"))
    }
  }

  @Test(
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: [
      (["check", "STORE"], 0), (["dump", "STORE"], 0), (["dump", "--json", "STORE"], 0),
      (["dump", "--history", "STORE"], 0), (["map", "STORE"], 0), (["get", "STORE", "k"], 0),
      (["compare", "STORE", "STORE"], 0), (["scan", "STORE"], 0),
      (["repair", "--dry-run", "STORE"], 0),
      (["repair", "-y", "--out", "new", "STORE"], 32),
      (["repair", "-y", "--in-place", "STORE"], 32),
      (["convert", "--to", "json", "--out", "new", "STORE"], 32),
    ] as [([String], Int32)])
  func aClosedPipeEndsEveryCommandInTheMiddleOfItsWork(
    command: [String], status: Int32
  ) async throws {
    let folder = try scratch.copy(.lossy)
    let before = try FolderState(of: folder)
    let outcome = try await Python.run(
      InterruptionTests.waiting,
      ["close", try Tool.path()] + command.map { $0 == "STORE" ? folder : $0 }
        + ["--key-file", "key"], in: scratch.path)
    #expect(outcome.status == status, "\(outcome.testDescription)")
    #expect(outcome.errors == "")
    #expect(try FolderState(of: folder) == before)
    #expect(scratch.names(in: "") == ["key", "store"])
  }

  @Test func aHangupThatIsTurnedOffStaysOff() async throws {
    let folder = try scratch.copy(.lossy)
    let outcome = try await Tool.shell(
      #"trap '' HUP; exec "$0" repair -y --out "$2" "$1""#, [folder, scratch.path("new")])
    #expect(outcome.status == 5, "\(outcome.testDescription)")
  }
}
