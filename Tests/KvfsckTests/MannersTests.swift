import Foundation
import Testing

/// Behavior that all commands share when they print for people: colors, verbosity, and suggestions
/// for misspelled names.
@Suite(.serialized)
struct MannersTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = try scratch.copy(.lossy)
  }

  @Test("The viewer says what it lacks: a terminal, or the library that it is built with")
  func viewerWithoutAScreen() async throws {
    let outcome = try await Tool.run(["view", store])
    #if Viewer
      #expect(outcome.status == 16)
      #expect(outcome.errors.contains("view needs a terminal"))
    #else
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains("built without the trait Viewer; use kvfsck dump"))
    #endif
    #expect(outcome.output == "")
  }

  @Test(
    "A check that the parser does not see, as it has few options, is the same as one that it parses",
    arguments: [
      ["STORE"], ["STORE", "STORE.crc"], ["missing"], ["STORE", "missing"], ["."], [""],
      ["-", "-"], ["STORE", "--json"], ["--json", "STORE", "--json"], ["STORE", "--jso"],
      ["--key-file", "STORE.crc", "STORE"], ["STORE", "--key-file", "missing", "--json"],
      ["STORE", "--key-file"], ["STORE", "--key-file", "--json"], ["-", "--key-file", "-"],
      ["STORE", "--key-file", "STORE", "--key-file", "STORE"], ["STORE", "--key-file", ""],
      ["STORE", "--key-file=STORE"], ["STORE", "--", "--json"],
    ])
  func simpleCheck(stores: [String]) async throws {
    let stores = stores.map {
      $0 == "." ? scratch.path : $0.replacing("STORE", with: store)
    }
    let plain = try await Tool.run(["check"] + stores)
    let parsed = try await Tool.run(["check", "--color", "auto"] + stores)
    #expect(plain.status == parsed.status)
    #expect(plain.output == parsed.output)
    #expect(plain.errors == parsed.errors)
    let short = try await Tool.run(stores)
    #expect(short.status == plain.status)
    #expect(short.output == plain.output)
    #expect(short.errors == plain.errors)
  }

  @Test(
    "A dump that the parser does not see is the same as one that it parses",
    arguments: [
      ["STORE"], ["STORE", "--json"], ["--full", "STORE"],
      ["--history", "--json", "STORE", "--json"],
      ["STORE", "--full", "--history"], ["STORE", "STORE"], ["missing"], ["."], [""], [], ["-"],
      ["STORE", "--key-hex=00ff"], ["STORE", "--key-hex="], ["STORE", "--key-hex=0"],
      ["STORE", "--key-hex", "00"], ["STORE", "--key-hex=00", "--key-file", "STORE"],
      ["STORE", "--key-file", "STORE.crc", "--json"], ["STORE", "--histor"], ["STORE", "-yp"],
      ["--timeline", "--history", "STORE"], ["STORE", "--", "--json"],
    ])
  func simpleDump(words: [String]) async throws {
    let words = words.map { $0 == "." ? scratch.path : $0.replacing("STORE", with: store) }
    let plain = try await Tool.run(["dump"] + words)
    let parsed = try await Tool.run(["dump", "--color", "auto"] + words)
    #expect(plain.status == parsed.status)
    #expect(plain.output == parsed.output)
    #expect(plain.errors == parsed.errors)
  }

  // MARK: Colors

  @Test(
    "Colors are printed where they are asked for, and nowhere else",
    arguments: [["check"], ["dump"], ["dump", "--history"], ["map"]])
  func colors(command: [String]) async throws {
    let arguments = command + .clock + [store]
    let always = try await Tool.run(arguments + ["--color", "always"])
    #expect(always.output.contains("\u{1b}["), "\(always.testDescription)")
    for choice in [["--color", "auto"], ["--color", "never"], []] {
      #expect(!(try await Tool.run(arguments + choice)).output.contains("\u{1b}"))
    }
    let plain = always.output.replacing(/\u{1b}\[[0-9]*m/, with: "")
    #expect(plain == (try await Tool.run(arguments)).output)
  }

  @Test(
    "On a terminal, NO_COLOR and TERM=dumb are honored, and --color goes before both",
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: ["dump", "map"])
  func colorsOnATerminal(command: String) async throws {
    let arguments = [command] + .clock + [store]
    func hasColor(_ environment: [String: String], _ more: [String] = []) async throws -> Bool {
      let terminal = PseudoTerminal(environment: environment)
      return try await terminal.run(arguments + more).output.contains("\u{1b}[3")
    }
    #expect(try await hasColor([:]))
    #expect(try await !hasColor([:], ["--color", "never"]))
    for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
      #expect(try await !hasColor(environment))
      #expect(try await hasColor(environment, ["--color", "always"]))
    }
  }

  // MARK: Verbosity

  @Test("-q leaves notes and advice out, and nothing else")
  func quiet() async throws {
    let folder = Fixture.lossy.path
    let usual = try await Tool.run(["check"] + .clock + [folder])
    let quiet = try await Tool.run(["check", "-q"] + .clock + [folder])
    #expect(usual.errors.contains("kvfsck: note: ") && usual.output.contains("kvfsck repair "))
    #expect(quiet.errors == "" && quiet.status == usual.status)
    #expect(usual.output.hasPrefix(quiet.output) && !quiet.output.contains("kvfsck repair "))
  }

  @Test("-v notes how a store was recognized, and each file that was read")
  func verbose() async throws {
    let usual = try await Tool.run(["check"] + .clock + [store + "/kv"])
    let verbose = try await Tool.run(["check", "-v"] + .clock + [store + "/kv"])
    #expect(usual.errors == "" && verbose.output == usual.output)
    #expect(verbose.errors.contains("\(store)/kv is read as mmkv ("), "\(verbose.errors)")
    #expect(verbose.errors.contains("note: read \(store)/kv, "), "\(verbose.errors)")
    #expect(verbose.errors.contains("note: read \(store)/kv.crc, "), "\(verbose.errors)")
    #expect(try await Tool.run(["check", "-q", "-v", store]).status == 16)
  }

  // MARK: Suggestions

  @Test(
    "A value of an option that is almost right gets a suggestion",
    arguments: [
      (["check", "--format", "mkmv"], "mmkv"), (["dump", "--state", "salvage"], "salvaged"),
      (["convert", "--dry-run", "--to", "jsno"], "json"), (["map", "--color", "nevr"], "never"),
      (["repair", "-n", "--on-crc-fail", "recove"], "recover"),
    ])
  func optionsValues(arguments: [String], meant: String) async throws {
    let outcome = try await Tool.run(arguments + [store])
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains("Did you mean \(meant)?"), "\(outcome.errors)")
  }

  @Test("check takes -n, as fsck(8) does")
  func checkTakesN() async throws {
    let usual = try await Tool.run(["check"] + .clock + [store])
    let outcome = try await Tool.run(["check", "-n"] + .clock + [store])
    #expect(outcome.output == usual.output && outcome.status == usual.status)
  }

  // MARK: Line lengths

  @Test(
    "On a terminal no line of prose or of a table is longer than the terminal's",
    .enabled("there is no python3") { try await Python.isHere() }, arguments: [72, 80, 200])
  func lines(columns: Int) async throws {
    let fixture = Fixture("damaged/crc_missing_v13").path + "/kv"
    let piped = try await Tool.run(["check"] + .clock + [fixture])
    var terminal = PseudoTerminal(columns: columns, environment: ["NO_COLOR": "1"])
    let failed = try await terminal.run(["check", "there is no such store"])
    #expect(failed.lines.allSatisfy { $0.count <= columns }, "\(failed.testDescription)")
    #expect(failed.output.split(whereSeparator: \.isWhitespace).contains("directory;"))
    let outcome = try await terminal.run(["check"] + .clock + [fixture])
    for line in outcome.lines where line.count > columns {
      // A path cannot be folded, and a command must stay pasteable.
      #expect(line.contains(fixture), "\(line)")
    }
    func words(_ text: String) -> [Substring] { text.split { " \n".contains($0) } }
    #expect(words(outcome.output) == words(piped.output))
    terminal.environment["COLUMNS"] = "\(columns - 10)"
    let narrower = try await terminal.run(["check"] + .clock + [fixture])
    for line in narrower.lines where line.count > columns - 10 {
      #expect(line.contains(fixture), "\(line)")
    }
    #expect(words(narrower.output) == words(piped.output))
    #expect(narrower.output != outcome.output)
  }

  // MARK: A full disk

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func resultsThatCannotBeWrittenAre8() async throws {
    for command in [
      "check", "dump", "map --json", "repair --dry-run", "convert --to jsonl --out -",
    ] {
      let outcome = try await Tool.shell(
        #""$0" \#(command) "$1" >/dev/full"#, [Fixture.clean.path])
      #expect(outcome.status == 8, "\(command)")
      #expect(outcome.errors.contains("no space left"), "\(command)")
      #expect(!outcome.errors.contains("Wrote"), "\(command)")
    }
    for command in [
      "version", "--version", "-V", "--help", "check --help", "help convert",
      "--generate-completion-script bash",
    ] {
      let outcome = try await Tool.shell(#""$0" \#(command) >/dev/full"#)
      #expect(outcome.status == 8 && outcome.errors.contains("no space left"), "\(command)")
    }
  }

  // MARK: Formats by name

  @Test(
    "convert goes by the name of the new file where no format is given",
    arguments: [
      ("a.csv", "csv"), ("a.ndjson", "jsonl"), ("a.JSON", "json"), ("a.plist", "plist"),
      ("a.db", "sqlite"), ("a.xml", "sharedprefs"), ("a.fkv", "fastkv-apple"),
    ])
  func formatByName(name: String, format: String) async throws {
    let outcome = try await Tool.run(
      ["convert", "--assume-likeliest", "--out", scratch.path(name)] + .clock
        + [Fixture.clean.path + "/kv"])
    #expect(outcome.output.contains(" as \(format)"), "\(outcome.testDescription)")
    #expect(scratch.names(in: "")?.contains(name) == true)
  }

  @Test(
    "A name that tells no format is refused, with those that there are", arguments: ["a.dat", "a"])
  func namesThatTellNothing(name: String) async throws {
    let outcome = try await Tool.run(["convert", "--out", scratch.path(name), store])
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains("Choose the format to write with --to: mmkv, "))
  }
}
