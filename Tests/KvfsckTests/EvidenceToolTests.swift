#if Encryption
  import Foundation
  import Testing

  /// `--evidence` and `verify-log`.
  struct EvidenceToolTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Returns the lines of the log in the folder called `name`.
    private func log(_ name: String = "log") throws -> [JSON] {
      let bytes = try scratch.bytes(of: name + "/evidence.jsonl")
      return try String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
        try JSON(parsing: $0)
      }
    }

    private func lines(_ type: String, _ name: String = "log") throws -> [JSON] {
      try log(name).filter { $0["type"]?.string == type }
    }

    /// Runs `kvfsck` in the scratch folder, with its evidence in `log`.
    private func run(_ arguments: [String], log: String = "log") async throws -> Outcome {
      try await Tool.run(arguments + ["--evidence", log], in: scratch.path)
    }

    /// Expects that another program finds the hashes and sizes of `lines`.
    private func expectSums(_ lines: [JSON]) async throws {
      for line in lines {
        let path = try #require(line["path"]?.string)
        let sum = try await Tool.run("sha256sum", [path], in: scratch.path).output
        let status = try await Tool.run("stat", ["-c", "%s", path], in: scratch.path).output
        #expect(line["sha256"]?.string == String(sum.prefix(64)), "\(path)")
        #expect(line["size"]?.integer == Int(status.dropLast()), "\(path)")
      }
    }

    @Test("A run's inputs and outputs are in the log, with what other programs say of them")
    func facts() async throws {
      let store = try scratch.copy(.corrected)
      let outcome = try await run(
        ["repair", "store", "-y", "--out", "fixed", "--case", "K 17", "--examiner", "É"])
      #expect(outcome.status == 1, "\(outcome.testDescription)")
      let (start, end) = (try #require(try log().first), try #require(try log().last))
      #expect(start["arguments"]?.array?.prefix(2) == [.string("repair"), .string("store")])
      #expect(start["case"]?.string == "K 17" && start["examiner"]?.string == "É")
      #expect(start["folder"]?.string == scratch.path)
      #expect(end["status"]?.integer == 1 && end["changed"]?.integer == 0)
      #expect(end["inputs"]?.integer == 2 && end["outputs"]?.integer == 2)
      let (inputs, outputs) = (try lines("input"), try lines("output"))
      #expect(inputs.map { $0["path"]?.string } == ["store/kv", "store/kv.crc"])
      #expect(outputs.map { $0["path"]?.string } == ["fixed/kv", "fixed/kv.crc"])
      try await expectSums(inputs + outputs)
      let form = #"{"ctime":%Z,"device":%d,"gid":%g,"inode":%i,"mode":"0%a","mtime":%Y,"uid":%u}"#
      let facts = try JSON(
        parsing: try await Tool.run("stat", ["-c", form, store + "/kv"]).output)
      let before = try #require(inputs[0]["before"])
      for name in ["device", "gid", "inode", "mode", "uid"] {
        #expect(before[name] == facts[name], "\(name)")
      }
      for name in ["ctime", "mtime"] {
        #expect((before[name]?.integer ?? 0) / 1_000_000_000 == facts[name]?.integer)
      }
      let modes = try await Tool.run(
        "stat", ["-c", "%a", "log", "log/evidence.jsonl"], in: scratch.path)
      #expect(modes.lines == ["700", "600"])
      let check = try await Tool.run(["verify-log", "log", "--json"], in: scratch.path)
      let last = try #require(try JSON(parsing: check.output)["last"]?.string)
      #expect(check.status == 0)
      #expect(outcome.errors.contains("evidence: 6 lines, last hash \(last)\n"))
    }

    @Test("No key of the command line is in the log")
    func keys() async throws {
      _ = try scratch.copy(.encrypted)
      let file = try scratch.write(Array(Fixture.key.utf8), to: "key")
      let digits = Fixture.key.utf8.map { String($0, radix: 16) }.joined()
      let commands =
        [
          ["--key", Fixture.key], ["--key=" + Fixture.key], ["--key-hex", digits],
          ["--key-hex=" + digits], ["--key-file", file],
        ].map { ["check", "store"] + $0 } + [
          ["repair", "store", "-y", "--out", "r", "--key-file", file, "--rekey", Fixture.key + "2"]
        ]
      for command in commands {
        let outcome = try await run(command)
        #expect((outcome.status ?? 8) & 8 == 0, "\(outcome.testDescription)")
      }
      let sum = try await Tool.run("sha256sum", [file]).output.prefix(64)
      let text = String(decoding: try scratch.bytes(of: "log/evidence.jsonl"), as: UTF8.self)
      for secret in [Fixture.key, digits, String(sum)] { #expect(!text.contains(secret)) }
      #expect(text.matches(of: /•/).count == 5)
      let keyLines = try lines("input").filter { $0["path"]?.string == file }
      #expect(keyLines.count == 2 && keyLines.allSatisfy { $0["sha256"] == nil })
    }

    @Test("Two runs on the same input differ in times only", arguments: [1, 4])
    func equality(jobs: Int) async throws {
      let folder = try scratch.makeFolder("in")
      for (number, fixture) in [Fixture.clean, .lossy, .corrected, .emptied].enumerated() {
        _ = try scratch.copy(fixture, to: "in/store\(number)")
      }
      var logs: [[JSON]] = []
      for _ in 0..<2 {
        let outcome = try await Tool.run(
          ["scan", ".", "--jobs", "\(jobs)", "--evidence", "../log", "--verbose"],
          in: folder)
        #expect(outcome.status == 0, "\(outcome.testDescription)")
        let times = ["time", "milliseconds", "previous"]
        logs.append(
          try log().map { line in
            guard case .object(let members) = line else { return line }
            return .object(members.filter { !times.contains($0.key) })
          })
        try FileManager.default.removeItem(atPath: scratch.path("log"))
      }
      #expect(logs[0] == logs[1])
      #expect(logs[0].count { $0["type"]?.string == "input" } == 8)
    }

    @Test("Every command that opens a store logs what it reads and writes")
    func commands() async throws {
      _ = try scratch.copy(.corrected)
      let path = "store/kv"
      let commands: [([String], written: Int)] = [
        (["check", path], 0), ([path], 0), (["check", "--json", path], 0), (["scan", "store"], 0),
        (["dump", path], 0), (["get", path, "none"], 0), (["map", path], 0),
        (["compare", path, path], 0), (["convert", path, "--to", "sqlite", "--out", "s"], 1),
        (["convert", path, "--to", "jsonl", "--out", "j", "--accept-bytes"], 1),
        (["report", path, "--out", "r.html"], 1), (["check", path, "--junit", "x"], 1),
        (["repair", path, "-y", "--in-place"], 2), (["undo", "store/kv.kvfsck-backup-1"], 2),
      ]
      for (number, (arguments, written)) in commands.enumerated() {
        let outcome = try await run(arguments, log: "log\(number)")
        let end = try #require(try log("log\(number)").last)
        #expect(end["status"]?.integer == outcome.status.map(Int.init), "\(arguments)")
        let inputs = try lines("input", "log\(number)")
        #expect(inputs.contains { $0["path"]?.string?.hasSuffix("kv") == true }, "\(arguments)")
        #expect(inputs.allSatisfy { $0["sha256"] != nil })
        let outputs = try lines("output", "log\(number)")
        #expect(outputs.count >= written && outputs.isEmpty == (written == 0), "\(arguments)")
        try await expectSums(outputs)
        let changes = inputs.count { $0["changed"] == .bool(true) }
        #expect((changes > 0) == ["repair", "undo"].contains(arguments[0]), "\(arguments)")
      }
    }

    @Test("An archive has a line, and so has each of its members that was read")
    func archives() async throws {
      let store = try scratch.copy(.clean)
      _ = try scratch.write(Array("nothing".utf8), to: "store/other.txt")
      for command in [["tar", "-cf", "in.tar", "store"], ["tar", "-cf", "out.tar", "in.tar"]] {
        #expect(try await Tool.run(command[0], Array(command[1...]), in: scratch.path).status == 0)
      }
      let outcome = try await run(["scan", "out.tar", "--verbose"])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let inputs = try lines("input")
      let members = ["out.tar!in.tar", "out.tar!in.tar!store/kv", "out.tar!in.tar!store/kv.crc"]
      #expect(
        inputs.compactMap { $0["path"]?.string }.filter { !$0.hasSuffix("txt") }
          == ["out.tar"] + members)
      #expect(inputs.filter { $0["before"] != nil }.count == 1)
      let others = try lines("not_recognized").map { $0["path"]?.string }
      #expect(others == ["out.tar!in.tar!store/other.txt"])
      #expect(try log().last?["not_recognized"]?.integer == 1)
      #expect(try log().last?["looked_at"]?.integer == 5)
      try await expectSums([inputs[0]])
      for (member, file) in [("!in.tar", "in.tar"), ("kv", store + "/kv")] {
        let line = inputs.first { $0["path"]?.string?.hasSuffix(member) == true }
        let sum = try await Tool.run("sha256sum", [file], in: scratch.path).output.prefix(64)
        #expect(line?["sha256"]?.string == String(sum))
      }
    }

    /// Sends a signal to a scan whose list of paths goes on, once the log has begun.
    private func stop(_ signal: String) async throws {
      let outcome = try await Tool.shell(
        """
        mkfifo list; exec 3<>list
        "$0" scan - --evidence log < list > /dev/null 2>&1 & scan=$!
        printf 'store\\n' >&3
        while [ ! -s log/evidence.jsonl ]; do sleep 0.05; done
        sleep 0.3; kill -$1 $scan; wait $scan; echo $?
        """, [signal], in: scratch.path)
      #expect(outcome.output == (signal == "KILL" ? "137\n" : "32\n"))
    }

    @Test("A killed run has no end, and the log goes on")
    func killed() async throws {
      _ = try scratch.copy(.clean)
      try await stop("KILL")
      #expect(try log().map { $0["type"]?.string } == ["start"])
      let check = try await Tool.run(["verify-log", "log"], in: scratch.path)
      #expect(check.status == 0 && check.output.contains("has no end"))
      // A kill while lines are written leaves a part of one.
      let handle = try #require(FileHandle(forWritingAtPath: scratch.path("log/evidence.jsonl")))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(#"{"before":{"ct"#.utf8))
      let torn = try await Tool.run(["verify-log", "log"], in: scratch.path)
      #expect(torn.status == 4 && torn.output.contains("evidence.jsonl:2: the log ends within"))
      #expect(try await run(["check", "store"]).status == 0)
      let whole = try await Tool.run(["verify-log", "log/evidence.jsonl"], in: scratch.path)
      #expect(whole.status == 0 && whole.output.contains("evidence.jsonl:3: says that the line"))
    }

    @Test("A run that is asked to stop says so in the log")
    func stopped() async throws {
      _ = try scratch.copy(.clean)
      try await stop("TERM")
      #expect(try log().last?["status"]?.integer == 32)
      #expect(try lines("input").count == 2)
    }

    @Test("Runs at the same time share a log")
    func together() async throws {
      _ = try scratch.copy(.clean)
      let outcome = try await Tool.shell(
        """
        for i in 1 2 3 4 5 6 7 8; do "$0" check store --evidence log > /dev/null 2>&1 & done; wait
        "$0" verify-log log
        """, in: scratch.path)
      #expect(outcome.output.contains("whole; 32 lines of 8 runs"), "\(outcome.testDescription)")
      for run in try lines("start") {
        #expect(try log().count { $0["run"] == run["seq"] } == 4)
      }
    }

    @Test("A changed log, a lost end and an unreadable one have statuses of their own")
    func statuses() async throws {
      _ = try scratch.copy(.clean)
      let path = scratch.path("log/evidence.jsonl")
      #expect(try await run(["check", "store"]).status == 0)
      #expect(try await run(["dump", "store"]).status == 0)
      func verify(_ options: [String] = []) async throws -> Outcome {
        try await Tool.run(["verify-log", "--json", path] + options)
      }
      let last = try #require(try JSON(parsing: try await verify().output)["last"]?.string)
      #expect(try await verify(["--last", last.uppercased()]).status == 0)
      let lines = String(decoding: try scratch.bytes(of: "log/evidence.jsonl"), as: UTF8.self)
        .split(separator: "\n")
      _ = try scratch.write(
        Array((lines.dropLast().joined(separator: "\n") + "\n").utf8), to: "log/evidence.jsonl")
      #expect(try await verify().status == 0)
      let cut = try await verify(["--last", last])
      #expect(cut.status == 4 && cut.output.contains(#""expected":"\#(last)""#))
      _ = try scratch.write(
        Array(([lines[0]] + lines[2...]).joined(separator: "\n").utf8), to: "log/evidence.jsonl")
      let problem = try JSON(parsing: try #require(try await verify().lines.first))
      #expect(problem["line"]?.integer == 2 && problem["found"] != nil)
      #expect(try await Tool.run(["verify-log", scratch.path("none")]).status == 8)
      #expect(try await verify(["--last", "12"]).status == 16)
    }

    @Test("Nothing is done if the log cannot be begun")
    func refusals() async throws {
      _ = try scratch.copy(.corrected)
      _ = try scratch.makeFolder("other")
      _ = try scratch.write(Array("no log\n".utf8), to: "other/evidence.jsonl")
      _ = try scratch.write([], to: "file")
      for log in ["none/log", "file", "other"] {
        let outcome = try await run(["repair", "store", "-y", "--out", "new"], log: log)
        #expect(outcome.status == 8, "\(outcome.testDescription)")
        #expect(scratch.names(in: "new") == nil)
      }
      #expect(try await Tool.run(["check", "store", "--case", "x"], in: scratch.path).status == 16)
      #expect(try await run(["check", "store"], log: "").status == 16)
    }

    @Test(
      "No log is written into what is read",
      arguments: [
        ["check", "store"], ["check", "other", "store/"], ["dump", "store"], ["scan", "store"],
        ["scan", "./other/../store"], ["search", "x", "store"], ["residue", "store"],
        ["compare", "other", "store"], ["convert", "store", "--to", "json", "--out", "new"],
        ["repair", "store", "-y", "--out", "new"], ["report", "store", "--out", "new"],
        ["undo", "store"], ["carve", "store/kv", "--keys-from", "store", "--out", "new"],
        ["check", "other", "--keys-from", "store"],
      ])
    func logsInTheInput(arguments: [String]) async throws {
      _ = try scratch.copy(.corrected)
      _ = try scratch.makeFolder("other")
      _ = try scratch.makeFolder("store/sub")
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path("link"), withDestinationPath: "store/sub")
      let names = scratch.names(in: "store")
      for log in ["store/log", "store", "other/../store/log", "link/log", "link"] {
        let outcome = try await run(arguments, log: log)
        #expect(outcome.status == 16, "\(outcome.testDescription)")
        #expect(outcome.errors.contains("which is examined; name a folder outside it"))
        #expect(scratch.names(in: "store") == names && scratch.names(in: "new") == nil)
      }
    }
  }
#else
  import Testing

  struct EvidenceToolTests {
    @Test("Without hash functions, there is no log")
    func refusals() async throws {
      for arguments in [["check", "x", "--evidence", "log"], ["verify-log", "log"]] {
        let outcome = try await Tool.run(arguments)
        #expect(outcome.status == 16 && outcome.errors.contains("Encryption"))
      }
    }
  }
#endif
