import Foundation
import Testing

/// The line that shows the progress of long operations to people.
@Suite(.serialized, .enabled("there is no python3") { try await Python.isHere() })
struct ProgressTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = try scratch.makeFolder("large")
    // The store is larger than a pipe's buffer, so the tool waits for its reader.
    try LargeStore.write(entries: 4000, of: 40, into: store)
  }

  @Test(
    "Work that takes over a second shows how far it is, and the line is gone at the end",
    arguments: [60, 20])
  func aLongRunShowsHowFarItIs(columns: Int) async throws {
    // Lines are written some thousands of entries ahead.
    let store = try scratch.makeFolder("larger")
    try LargeStore.write(entries: 16_000, of: 40, into: store)
    let terminal = PseudoTerminal(columns: columns, pipeDelay: 1.5)
    let outcome = try await terminal.run(["dump", "--json"] + .clock + [store])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let clear: Character = "\r"
    let lines = outcome.errors.split(separator: clear).map(String.init)
    #expect(lines.contains { $0.contains(/entries \d+ %/) }, "\(outcome.testDescription)")
    #expect(lines.allSatisfy { $0.count < columns + "\u{1b}[K".count })
    #expect(outcome.errors.hasSuffix("\r\u{1b}[K"))
    #expect(outcome.lines.count == 16_002)
  }

  @Test("A long scan shows how much is done, and how long the rest takes")
  func aLongScanShowsHowFarItIs() async throws {
    let tree = try scratch.makeFolder("tree")
    // The results are more than the pipe holds, so the tool waits for its reader.
    for index in 0..<1000 {
      for suffix in ["", ".crc"] {
        try FileManager.default.linkItem(
          atPath: "\(store)/kv\(suffix)", toPath: "\(tree)/kv\(index)\(suffix)")
      }
    }
    let outcome = try await PseudoTerminal(pipeDelay: 1.5).run(["scan", tree] + .clock)
    #expect(outcome.status == 0 && outcome.lines.count == 1001)
    let lines = outcome.errors.split(separator: "\r" as Character).map(String.init)
    #expect(
      lines.contains { $0.contains(/[\d,]+ stores, [\d,]+ a second, \d+ %, \d+ s left/) },
      "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("\r\u{1b}[K"))
  }

  #if Archives
    @Test("An archive that takes long to list shows how much of it is read, in a terminal only")
    func aLongListShowsHowFarItIs() async throws {
      // To unpack this takes seconds, on any machine.
      let archive = "\(try scratch.makeFolder("packed"))/digits.tar.bz2"
      let script = """
        import bz2, random, sys, tarfile
        digits = "".join(random.Random(1).choices("0123456789", k=1800 * 512)).encode()
        member = tarfile.TarInfo("digits")
        member.size = 100 * len(digits)
        with open(sys.argv[1], "wb") as archive:
            archive.write(bz2.compress(member.tobuf()))
            archive.write(100 * bz2.compress(digits))
            archive.write(bz2.compress(bytes(1024)))
        """
      #expect(try await Python.run(script, [archive]).status == 0)
      let outcome = try await PseudoTerminal(pipeDelay: 0).run(["scan", archive] + .clock)
      #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome.testDescription)")
      let lines = outcome.errors.split(separator: "\r" as Character).map(String.init)
      #expect(lines.contains { $0.contains(/reading the archive \d+ %/) }, "\(outcome.errors)")
      #expect(outcome.errors.hasSuffix("\r\u{1b}[K"))
      #expect(try await Tool.run(["scan", archive] + .clock).errors == "")
    }
  #endif

  @Test("Short work shows nothing", arguments: ["dump", "check", "map"])
  func shortWorkShowsNothing(command: String) async throws {
    let outcome = try await PseudoTerminal(pipeDelay: 0).run(
      [command] + .clock + [Fixture.clean.path + "/kv"])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.errors == "")
  }

  @Test("A terminal that cannot take a line away again gets none")
  func dumbTerminalsGetNone() async throws {
    let terminal = PseudoTerminal(environment: ["TERM": "dumb"], pipeDelay: 1.5)
    let outcome = try await terminal.run(["dump", "--json"] + .clock + [store])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }
}
