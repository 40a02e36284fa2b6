#if Encryption
  import Foundation
  import Testing

  /// `--keys-from`: keys of stores that are found in programs, archives and other files.
  struct KeySourceTests {
    private let scratch: Scratch
    private static let key = "0123456789abcdef"

    init() throws {
      scratch = try Scratch()
      let extraction = Extraction(in: scratch)
      try extraction.copy("mmkv/golden/aes128_key16", "tree/a", as: "user")
      try extraction.copy("mmkv/golden/all_types", "tree/a", as: "plain")
    }

    private func write(_ text: String, to path: String) throws {
      _ = try scratch.write(Array(text.utf8), to: path)
    }

    private func check(_ arguments: [String]) async throws -> Outcome {
      try await Tool.run(["check", "tree/a/user"] + arguments + .clock, in: scratch.path)
    }

    #if Archives
      @Test func aKeyIsFoundInAProgramWithinAnArchive() async throws {
        try write("dex\n035\0\u{10}\(Self.key)\0", to: "classes.dex")
        let packed = try await Tool.run(
          "/bin/sh", ["-c", "tar cf base.apk classes.dex && tar cf app.tar base.apk"],
          in: scratch.path)
        #expect(packed.status == 0)
        let outcome = try await check(["--keys-from", "app.tar"])
        #expect(outcome.status == 0, "\(outcome.testDescription)")
        #expect(outcome.output.contains("found in app.tar!base.apk!classes.dex, offset 9"))
        #expect(!(outcome.output + outcome.errors).contains(Self.key))
        let shown = try await check(["--keys-from", "app.tar", "--show"])
        #expect(shown.output.contains("classes.dex, offset 9: \"\(Self.key)\""))
      }
    #endif

    @Test func eachStoreOfAScanGetsItsKey() async throws {
      try write("<map><string name=\"token\">\(Self.key)</string></map>", to: "prefs.xml")
      let scan = try await Tool.run(
        ["scan", "tree", "--keys-from", "prefs.xml", "--json"] + .clock, in: scratch.path)
      #expect(scan.status == 0, "\(scan.testDescription)")
      let results = try scan.objects("result")
      #expect(results.map { $0["verdict"]?.string } == ["clean", "clean"])
      let outcome = try await check(["--keys-from", "prefs.xml"])
      #expect(outcome.output.contains("found in prefs.xml, entry token"), "\(outcome.output)")
    }

    @Test func whereNoKeyIsThatIsSaid() async throws {
      try write("nothing here", to: "notes.txt")
      let outcome = try await check(["--keys-from", "notes.txt"])
      #expect(outcome.status == 8 && outcome.output.contains("candidates for the key fits"))
      let missing = try await check(["--keys-from", "missing"])
      #expect(missing.status == 8 && missing.errors.contains("missing"))
      let both = try await check(["--keys-from", "notes.txt", "--key", "k"])
      #expect(both.status == 16)
    }

    @Test(arguments: ["check", "dump", "scan", "map"])
    func toShowNothingIsAMistake(_ command: String) async throws {
      let outcome = try await Tool.run([command, "tree/a/plain", "--show"], in: scratch.path)
      #expect(outcome.status == 16 && outcome.output.isEmpty, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("--keys-from PATH"))
      let residue = try await Tool.run(["residue", "tree/a/plain", "--show"], in: scratch.path)
      #expect(residue.status == 0, "\(residue.testDescription)")
    }
  }
#endif
