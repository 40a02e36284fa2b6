import Foundation
import KVTestSupport
import Testing

/// `kvfsck serve`: many commands in one process.
@Suite(.serialized)
struct ServeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// An answer: what was printed, and the line after it.
  private struct Answer {
    var output = ""
    let end: JSON

    var status: Int? { end["status"]?.integer }
    var messages: [String] { (end["messages"]?.array ?? []).compactMap(\.string) }
  }

  /// Sends `requests`, one a line, and returns the answers.
  private func serve(_ requests: [String]) async throws -> [Answer] {
    let file = try scratch.write(Array((requests.joined(separator: "\n") + "\n").utf8), to: "in")
    let outcome = try await Tool.shell(#""$0" serve < "$1""#, [file], in: scratch.path)
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.testDescription)")
    var answers: [Answer] = []
    var output = ""
    for line in outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("{\"bytes\":"), let end = try? JSON(parsing: line),
        end["type"] == .string("end")
      {
        let isWithinLine = output.utf8.count == (end["bytes"]?.integer ?? -1) + 1
        answers.append(Answer(output: isWithinLine ? String(output.dropLast()) : output, end: end))
        #expect(end["bytes"]?.integer == answers[answers.count - 1].output.utf8.count)
        output = ""
      } else {
        output += line + "\n"
      }
    }
    #expect(output == "")
    return answers
  }

  /// Returns a request to run `arguments`.
  private static func request(_ id: Int, _ arguments: [String]) throws -> String {
    let texts = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    return #"{"id":\#(id),"arguments":\#(texts)}"#
  }

  private static let store = Fixture.corrected.path + "/kv"

  /// Commands of which each would show in the next if anything of it stayed.
  private static let commands = [
    ["check", "--json", store], ["check", "-q", "--color", "always", store], ["check", store],
    ["dump", "--json", "--history", Fixture.lossy.path], ["dump", store] + .clock,
    ["check", "--key", Fixture.key, "--json", Fixture.encrypted.path],
    ["check", "--json", Fixture.encrypted.path], ["dump", "-v", Fixture.encrypted.path],
    ["get", "--raw", Fixture.clean.path, "flag_187.s"],
    ["get", Fixture.clean.path, "nothing"], ["map", store], ["explain", "damaged"],
    ["scan", Fixture.root + "/fastkv-apple/golden"], ["help", "dump"], ["--version"], [],
    ["dump", "--format", "plist", store], ["dump", "--nothing", store], ["chekc", store],
    ["repair", "-n", "--json", Fixture.lossy.path], ["repair", "--out", "new", Fixture.lossy.path],
    ["convert", "--to", "json", "--out", "-", "--assume-likeliest", Fixture.clean.path],
    ["compare", "--json", Fixture.clean.path, store], ["fixture", "list"],
  ]

  @Test("Each command prints what a process of its own does, whatever was run before it")
  func sameAsAProcess() async throws {
    var processes: [[String]: Outcome] = [:]
    for command in Self.commands {
      processes[command] = try await Tool.run(command, in: scratch.path)
    }
    for commands in [Self.commands, Self.commands.reversed()] {
      let answers = try await serve(commands.enumerated().map { try Self.request($0, $1) })
      try #require(answers.count == commands.count)
      for (index, (command, answer)) in zip(commands, answers).enumerated() {
        let process = try #require(processes[command])
        #expect(answer.end["id"] == .integer(index))
        #expect(answer.status == process.status.map(Int.init), "\(command)")
        #expect(answer.output == process.output, "\(command)")
        var messages = process.errors.split(separator: "\n").map(String.init)
        // No one else can see the key in a request.
        messages.removeAll { $0.contains("other users can see a key") }
        #expect(answer.messages == messages, "\(command)")
      }
    }
  }

  @Test("A request has at most 4,096 arguments, because the parser's time grows with their square")
  func manyArguments() async throws {
    let requests = try [4094, 4095, 100_000].map { count in
      try Self.request(
        count, ["check", Self.store] + [String](repeating: "--json", count: count))
    }
    let answers = try await serve(requests + [try Self.request(1, ["-V"])])
    #expect(answers.map(\.status) == [4, 16, 16, 0])
    #expect(answers[1].messages[0].contains("more than 4,096 arguments"), "\(answers[1])")
    #expect(answers[1].end["id"] == .integer(4095))
  }

  /// Lines that are not requests.
  private static let invalid = [
    "junk", "[]", "{}", "1", #"{"arguments":"check"}"#, #"{"id":[],"arguments":["-V"]}"#,
    #"{"id":1.5,"arguments":["-V"]}"#, #"{"id":1,"id":2,"arguments":["-V"]}"#,
    #"{"arguments":["-V"],"more":1}"#, #"{"arguments":["-V"]} {}"#, #"{"arguments":[1]}"#,
    #"{"arguments":["a\u0000b"]}"#, #"{"arguments":[{"hex":"0"}]}"#,
    #"{"arguments":[{"hex":"00"}]}"#,
    #"{"arguments":[{"hex":"61","and":1}]}"#, #"{"arguments":["\ud800"]}"#, "{\"a\":\"\u{0}\"}",
    String(repeating: "[", count: 100_000), String(repeating: "x", count: 1 << 20),
    " ", String(repeating: "x", count: (1 << 20) + 1), String(repeating: "x", count: 3 << 20),
    #"{"arguments":["serve"]}"#, #"{"arguments":["check","-"]}"#,
    #"{"arguments":["scan","-"]}"#, #"{"arguments":["scan","--files0-from","-"]}"#,
    #"{"arguments":["dump","--key-file","-","."]}"#,
  ]

  #if Viewer
    @Test("The viewer needs a terminal, which no request has")
    func viewer() async throws {
      let answers = try await serve([#"{"arguments":["view",".."]}"#])
      #expect(answers.map(\.status) == [16])
      #expect(answers[0].output == "" && answers[0].messages[0].contains("terminal"))
    }
  #endif

  @Test("What is not a request, or needs a terminal or standard input, is answered with 16")
  func invalidRequests() async throws {
    let valid = try Self.request(7, ["-V"])
    let answers = try await serve(Self.invalid.flatMap { [$0, valid] })
    try #require(answers.count == 2 * Self.invalid.count)
    for (index, line) in Self.invalid.enumerated() {
      let (answer, next) = (answers[2 * index], answers[2 * index + 1])
      #expect(answer.status == 16 && answer.output == "", "\(line.prefix(80))")
      #expect(answer.messages.first?.hasPrefix("kvfsck: error: ") == true, "\(line.prefix(80))")
      #expect(next.end["id"] == .integer(7) && next.output.hasPrefix("kvfsck "))
    }
  }

  @Test("A request of a mebibyte is served, the answer has its id, and blank lines are none")
  func longRequest() async throws {
    let start = #"{"arguments":["-V"],"id":"ü \" ""#
    let space = String(repeating: " ", count: (1 << 20) - start.utf8.count - 1)
    let answers = try await serve(["", start + space + "}", "", ""])
    #expect(answers.map { $0.end["id"] } == [.string("ü \" ")])
    #expect(answers.first?.status == 0)
  }

  #if os(Linux)
    @Test("An argument that is not UTF-8 is given in hexadecimal, and is not known to the next")
    func bytes() async throws {
      let made = try await Tool.shell(
        #"mkdir "$(printf 'k\377')" && cp "$1"/kv* "$(printf 'k\377')""#, [Fixture.clean.path],
        in: scratch.path)
      #expect(made.status == 0)
      let answers = try await serve([
        #"{"arguments":["check","--json",{"hex":"6bff"}]}"#,
        #"{"arguments":["check","--json","k\\xff"]}"#,
        #"{"arguments":["check",{"hex":"6bff"},"k\\xff"]}"#,
      ])
      #expect(answers.map(\.status) == [0, 8, 16])
      #expect(answers.first?.output.contains(#""path_hex":"6bff2f6b76""#) == true)
    }
  #endif

  /// Sends requests, a line each, and signals the server after the last, or while it is served.
  private static let signaled = """
    import os, signal, subprocess, sys, time
    tool = subprocess.Popen([sys.argv[2], 'serve'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    for line in sys.argv[3:]:
      tool.stdin.write(line.encode() + b'\\n')
      tool.stdin.flush()
      if 'key' in line:
        while tool.poll() is None:
          try:
            pipe = os.open('key', os.O_WRONLY | os.O_NONBLOCK)
            break
          except OSError:
            time.sleep(0.01)
      else:
        while b'"type":"end"' not in (answer := tool.stdout.readline()) and answer:
          pass
    if sys.argv[1] == 'close':
      tool.stdout.close()
      tool.stdout = None
    else:
      tool.send_signal(getattr(signal, sys.argv[1]))
    # The end of the requests would end it too.
    tool.wait()
    sys.stderr.write(tool.communicate()[1].decode())
    sys.exit(tool.returncode)
    """

  @Test(
    "A request to stop ends it, also after a command that had ignored them",
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: [("SIGTERM", 32), ("SIGINT", 32), ("close", 0)] as [(String, Int32)])
  func stops(signal: String, status: Int32) async throws {
    let words = signal == "close" ? "" : "kvfsck: error: cancelled; nothing was written\n"
    let idle = try await Python.run(
      Self.signaled, [signal, try Tool.path(), try Self.request(1, ["-V"])], in: scratch.path)
    #expect(idle.status == status && idle.errors == words, "\(idle.testDescription)")
    let folder = try scratch.copy(.lossy)
    #expect(try await Tool.run("mkfifo", ["key"], in: scratch.path).status == 0)
    var requests = [["repair", "-y", "--out", "first", folder]]
    #if Encryption
      requests.append(["repair", "-y", "--in-place", folder])
    #endif
    requests.append(["repair", "-y", "--out", "new", "--key-file", "key", folder])
    let working = try await Python.run(
      Self.signaled,
      [signal, try Tool.path()] + requests.enumerated().map { try Self.request($0, $1) },
      in: scratch.path)
    #expect(working.status == status && working.errors == words, "\(working.testDescription)")
    let left = try #require(scratch.names(in: ""))
    #expect(left == ["first", "key", "store"])
    let backups = scratch.names(in: "store")?.filter { $0.contains("backup") }
    #expect(backups?.count == requests.count - 2)
  }

  /// Sends the same requests many times, and prints by how many KiB that makes the server grow.
  private static let grown = """
    import subprocess, sys
    tool = subprocess.Popen([sys.argv[1], 'serve'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    def serve(count):
      for number in range(count):
        for line in sys.argv[3:]:
          tool.stdin.write(line.encode() + b'\\n')
          tool.stdin.flush()
          while b'"type":"end"' not in tool.stdout.readline():
            pass
      lines = open(f'/proc/{tool.pid}/status').read().splitlines()
      return next(int(line.split()[1]) for line in lines if line.startswith('VmRSS'))
    before = serve(20)
    print(serve(int(sys.argv[2])) - before)
    tool.stdin.close()
    sys.exit(tool.wait())
    """

  #if os(Linux)
    @Test("Results that cannot be written are an error")
    func fullDisk() async throws {
      let outcome = try await Tool.shell(#"echo '{"arguments":["-V"]}' | "$0" serve > /dev/full"#)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("cannot write the results"))
    }

    @Test(
      "Many requests do not make it grow",
      .enabled("there is no python3") { try await Python.isHere() })
    func memory() async throws {
      let commands = [
        ["check", "--json", Self.store], ["dump", "--json", Fixture.clean.path], ["dump", "--no"],
        ["scan", Fixture.clean.path],
      ]
      let outcome = try await Python.run(
        Self.grown,
        [try Tool.path(), "\(TestExtent.count(20, of: 2500))"]
          + commands.map { try Self.request(1, $0) })
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let growth = try #require(outcome.lines.first.flatMap { Int($0) })
      #expect(growth < 2048)
    }
  #endif
}
