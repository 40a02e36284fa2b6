import Testing

/// `-` as a store and as an output.
@Suite(.serialized)
struct StandardInputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs `kvfsck` with `arguments` and the file at `path` piped to its stdin.
  private func run(_ arguments: [String], reading path: String) async throws -> Outcome {
    try await Tool.shell(#"file=$1; shift; cat "$file" | "$0" "$@""#, [path] + arguments)
  }

  @Test(
    "A store that comes through a pipe is read as its file is",
    arguments: [["check"], ["dump"], ["map"], ["dump", "--history"]])
  func aStoreFromAPipe(command: [String]) async throws {
    let path = Fixture.root + "/fastkv-apple/golden/all_types/store.fkv"
    let file = try await Tool.run(command + .clock + [path])
    let stream = try await run(command + .clock + ["-"], reading: path)
    #expect(stream.status == file.status)
    #expect(stream.output.contains("-: ") || command[0] == "dump")
    let named = file.output.split(separator: "\n").filter { !$0.contains(path) }
    let lines = stream.output.split(separator: "\n").filter { !$0.hasPrefix("-:") }
    #expect(lines == named)
  }

  #if Archives
    @Test("An archive that comes through a pipe is not read as a store")
    func anArchiveFromAPipe() async throws {
      let outcome = try await Tool.shell(
        "tar -C \(Fixture.clean.path) -cf - kv kv.crc | $0 check -", in: scratch.path)
      #expect(
        outcome.status == 8 && outcome.errors.contains("archive"), "\(outcome.testDescription)")
    }
  #endif

  @Test("Copies that are merged are files, as a store needs a name")
  func aMergeNeedsFiles() async throws {
    let store = Fixture.clean.path + "/kv"
    let outcome = try await run(["merge", "-", store, "--dry-run"], reading: store)
    #expect(outcome.status == 16 && outcome.errors.contains("not standard input"))
  }

  @Test("A value of it can be had, it can be converted, and be one side of a comparison")
  func otherCommands() async throws {
    let path = Fixture.root + "/fastkv-apple/golden/all_types/store.fkv"
    let keys = try await Tool.run(["dump"] + .clock + [path])
    let key = try #require(keys.lines.first?.split(separator: " ").first.map(String.init))
    let value = try await Tool.run(["get"] + .clock + [path, key])
    #expect(try await run(["get"] + .clock + ["-", key], reading: path).output == value.output)
    let out = scratch.path("new.json")
    let converted = try await run(["convert", "--out", out] + .clock + ["-"], reading: path)
    #expect(converted.output.contains("Wrote \(out): "), "\(converted.testDescription)")
    let compared = try await run(["compare", "--exit-code"] + .clock + [path, "-"], reading: path)
    #expect(compared.output.contains("0 added, 0 removed, 0 changed"))
  }

  @Test("A log without its meta file is what a stream of MMKV is")
  func aLogAlone() async throws {
    let stream = try await run(
      ["check"] + .clock + ["-"], reading: Fixture.clean.path + "/kv")
    #expect(stream.status == 4)
    #expect(stream.output.contains("mmkv.meta-missing") && !stream.output.contains("kvfsck repair"))
  }

  @Test(
    "It is read once, and not repaired",
    arguments: [
      ["check", "-", "-"], ["compare", "-", "-"], ["dump", "--key-file", "-", "-"],
      ["repair", "-n", "-"],
    ])
  func whatMakesNoSense(arguments: [String]) async throws {
    let outcome = try await run(arguments, reading: Fixture.clean.path + "/kv")
    #expect(outcome.status == 16, "\(outcome.testDescription)")
  }

  @Test(
    "convert writes a file to standard output, and what it says to stderr",
    arguments: ["json", "sqlite"])
  func outputToAPipe(format: String) async throws {
    let path = Fixture.clean.path + "/kv"
    let out = scratch.path("new")
    let options = ["--to", format, "--assume-likeliest"] + .clock
    let file = try await Tool.run(["convert", path, "--out", out] + options)
    let stream = try await Tool.shell(
      #"out=$1; shift; "$0" "$@" > "$out""#, [out + "2", "convert", path, "--out", "-"] + options)
    #expect(stream.status == file.status, "\(stream.testDescription)")
    #expect(
      stream.errors == file.output.replacing("Wrote \(out): ", with: "Wrote -: ") + file.errors)
    let same = try await Tool.run("cmp", [out, out + "2"])
    #expect(same.status == 0)
    #expect(scratch.names(in: "") == ["new", "new2"])
  }

  @Test("A format with more files than one is not written there")
  func severalFilesToAPipe() async throws {
    let outcome = try await Tool.run(
      ["convert", "--to", "mmkv", "--out", "-"] + .clock + [Fixture.clean.path + "/kv"])
    #expect(outcome.status == 8 && outcome.output == "")
    #expect(outcome.errors.contains("the format has more than one file"))
  }
}
