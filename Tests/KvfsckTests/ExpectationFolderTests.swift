import Foundation
import Testing

/// `check --expect` with a folder that has a file for each store.
@Suite(.enabled("there is no python3") { try await Python.isHere() })
struct ExpectationFolderTests {
  private let scratch: Scratch

  /// Makes three stores below `stores`, and what `check` and `dump` print of them below `expected`.
  init() async throws {
    scratch = try Scratch()
    for folder in ["stores", "stores/one", "expected", "expected/one", "expected/two"] {
      _ = try scratch.makeFolder(folder)
    }
    _ = try scratch.copy(.clean, to: "stores/one/kv")
    _ = try scratch.copy(.lossy, to: "stores/two")
    _ = try scratch.write(Array(#"{"a":1,"a":2}"#.utf8), to: "table.json")
    try await record(["one/kv/kv", "two/kv"], in: "stores/")
  }

  /// Writes the expectations about the stores called `names`, whose paths begin with `root`.
  private func record(_ names: [String], in root: String) async throws {
    for name in names {
      let recorded = try await Tool.shell(
        """
        mkdir -p "$(dirname "expected/$2")"
        for command in check dump; do
          "$0" $command --json --now 1760000000 "$1$2"
        done > "expected/$2.jsonl"; cat "expected/$2.jsonl"
        """, [root, name], in: scratch.path)
      #expect(recorded.output.contains(#""type":"summary""#), "\(recorded.testDescription)")
    }
  }

  private func check(_ arguments: String...) async throws -> Outcome {
    try await Tool.run(
      ["check", "--expect", "expected", "--junit", "r.xml", "--sarif", "r.sarif"] + .clock
        + arguments, in: scratch.path)
  }

  /// Returns the cases of the JUnit report: `NAME TAG` for each that has a child.
  private func cases() async throws -> [String] {
    let script = """
      import sys, xml.etree.ElementTree as tree
      for case in tree.parse(sys.argv[1]).getroot().iter('testcase'):
          print(case.get('name'), *[child.tag for child in case])
      """
    let read = try await Python.run(script, [scratch.path("r.xml")])
    #expect(read.status == 0, "\(read.testDescription)")
    return read.lines.map(String.init)
  }

  @Test func oneRunComparesATreeAndWritesOneReportOfEachKind() async throws {
    let met = try await check("stores")
    #expect(met.status == 0, "\(met.testDescription)")
    #expect(met.output.contains("stores/two/kv: damaged, as expected by expected/two/kv.jsonl\n"))
    #expect(try await cases() == ["stores/one/kv/kv", "stores/two/kv system-out"])
    // One entry more is expected of one store.
    let path = "expected/one/kv/kv.jsonl"
    let more = Array("{\"type\":\"entry\",\"key\":\"other\"}\n".utf8)
    _ = try scratch.write(try scratch.bytes(of: path) + more, to: path)
    let unmet = try await check("stores")
    #expect(unmet.status == 4, "\(unmet.testDescription)")
    #expect(unmet.output.contains("- entry other: expected, but missing\n"))
    #expect(try await cases() == ["stores/one/kv/kv failure", "stores/two/kv system-out"])
    let sarif = String(decoding: try scratch.bytes(of: "r.sarif"), as: UTF8.self)
    #expect(sarif.contains("kvfsck.unexpected") && sarif.contains(#""status":"accepted""#))
  }

  @Test func aStoreWithoutAFileFailsAndSoDoesAFileWithoutAStore() async throws {
    try FileManager.default.moveItem(
      atPath: scratch.path("expected/one/kv/kv.jsonl"), toPath: scratch.path("expected/gone.jsonl"))
    let outcome = try await check("--json", "stores")
    #expect(outcome.status == 12, "\(outcome.testDescription)")
    let unmet = try outcome.objects("unmet")
    #expect(unmet.map { $0["change"]?.string } == ["unexpected"])
    #expect(
      unmet.first?["message"]?.string
        == "+ store: not expected, found mmkv, and there is no expected/one/kv/kv.jsonl")
    #expect(outcome.errors.contains("expected/gone.jsonl: the store that it is about"))
    #expect(
      try await cases() == [
        "stores/one/kv/kv failure", "stores/two/kv system-out", "expected/gone.jsonl error",
      ])
  }

  #if Archives
    /// Tests that a store that was named itself has its own name, and one of an archive its path there.
    @Test func storesAreFoundByTheirNamesAndInArchives() async throws {
      try FileManager.default.removeItem(atPath: scratch.path("expected"))
      _ = try scratch.makeFolder("expected")
      let packed = try await Tool.shell("cd stores && tar -cf ../a.tar one two", in: scratch.path)
      #expect(packed.status == 0)
      try await record(["one/kv/kv", "two/kv"], in: "a.tar!")
      try await record(["two"], in: "stores/")
      try await record(["table.json"], in: "")
      let outcome = try await check("a.tar", "stores/two/", "./table.json")
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(try await cases().count == 4)
      // A file is about one store.
      _ = try scratch.makeFolder("more")
      _ = try scratch.copy(.lossy, to: "more/two")
      let twice = try await check("a.tar", "stores/two", "more/two", "table.json")
      #expect(twice.status == 4, "\(twice.testDescription)")
      #expect(twice.output.contains("expected/two.jsonl is about another store of that name"))
    }
  #endif

  @Test func aFolderWithoutFilesOrWithAnInvalidOneIs16() async throws {
    _ = try scratch.write(Array("{}\n".utf8), to: "expected/two/more.jsonl")
    let invalid = try await check("stores")
    #expect(invalid.status == 16 && invalid.output.isEmpty, "\(invalid.testDescription)")
    #expect(invalid.errors.contains("expected/two/more.jsonl: line 1"))
    let none = try await Tool.run(["check", "--expect", "stores", "stores"], in: scratch.path)
    #expect(none.status == 16 && none.errors.contains("stores has no file NAME.jsonl"))
    #expect(scratch.names(in: "")?.contains("r.xml") == false)
  }

  #if Archives
    /// Tests that the name of a member cannot lead to a file outside of the folder.
    @Test func theNameOfAMemberLeadsNowhereElse() async throws {
      let script = """
        import io, sys, tarfile
        with tarfile.open('b.tar', 'w') as archive:
            for name in ['../secret', '../../secret', '/secret', 'x/../../secret']:
                for end, source in [('', 'kv'), ('.crc', 'kv.crc')]:
                    data = open('stores/two/' + source, 'rb').read()
                    member = tarfile.TarInfo(name + end)
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
        """
      let made = try await Python.run(script, [], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      try FileManager.default.copyItem(
        atPath: scratch.path("expected/two/kv.jsonl"), toPath: scratch.path("secret.jsonl"))
      let outcome = try await check("b.tar")
      #expect(outcome.status == 12, "\(outcome.testDescription)")
      #expect(!outcome.output.contains("as expected by"))
    }
  #endif
}
