import Testing

/// The bits of the exit status, and the contents of each output stream.
struct ExitStatusTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let looking = [["check"], ["dump"], ["dump", "--history"], ["map"]]

  @Test(arguments: looking)
  func lookingAtACleanStoreIs0(command: [String]) async throws {
    let outcome = try await Tool.run(command + .clock + [Fixture.clean.path + "/kv"])
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty == false)
    #expect(outcome.errors == "")
  }

  @Test(arguments: looking)
  func lookingAtADamagedStoreIs4(command: [String]) async throws {
    let outcome = try await Tool.run(command + .clock + [Fixture.lossy.path])
    #expect(outcome.status == 4)
    #expect(outcome.output.isEmpty == false)
  }

  @Test(arguments: looking + [["repair", "--out", "new"]])
  func whatIsNoStoreIs8(command: [String]) async throws {
    let file = try scratch.write(Array("no store at all\n".utf8), to: "notes")
    let outcome = try await Tool.run(command + [file], in: scratch.path)
    #expect(outcome.status == 8)
    #expect((outcome.output + outcome.errors).contains("not recognized as a key-value store"))
    #expect(!(outcome.output + outcome.errors).contains("mmkv."))
    #expect(scratch.names(in: "") == ["notes"])
  }

  @Test(arguments: looking + [["repair", "-y", "--out", "new"]])
  func anEncryptedStoreWithoutItsKeyIs8(command: [String]) async throws {
    let outcome = try await Tool.run(command + [Fixture.encrypted.path], in: scratch.path)
    #expect(outcome.status == 8)
    #expect((outcome.output + outcome.errors).contains("key"))
    #expect(scratch.names(in: "") == [])
  }

  @Test(arguments: looking + [["repair", "-y", "--out", "new"]])
  func aWrongKeyIs8AndGivesNoEntries(command: [String]) async throws {
    let outcome = try await Tool.run(
      command + ["--json", "--key", "another key", Fixture.encrypted.path], in: scratch.path)
    #expect(outcome.status == 8)
    for type in ["entry", "record", "gap"] { #expect(try outcome.objects(type).isEmpty) }
    #expect(scratch.names(in: "") == [])
    #if Encryption
      #expect(outcome.output.contains("mmkv.wrong-key"))
    #else
      #expect(outcome.output.contains("mmkv.no-cipher"))
    #endif
  }

  #if Encryption
    @Test(arguments: looking)
    func theRightKeyOpensTheStore(command: [String]) async throws {
      let outcome = try await Tool.run(
        command + ["--key", Fixture.key] + .clock + [Fixture.encrypted.path])
      #expect(outcome.status == 0)
    }
  #endif

  @Test func repairOfACleanStoreIs0() async throws {
    let outcome = try await Tool.run(
      ["repair", "--out", scratch.path("new")] + .clock + [Fixture.clean.path + "/kv"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test func repairThatKeepsEverythingIs1() async throws {
    let outcome = try await Tool.run(
      ["repair", "-y", "--out", scratch.path("new")] + .clock + [Fixture.repairable.path])
    #expect(outcome.status == 1)
  }

  @Test func repairThatLosesSomethingIs5() async throws {
    let outcome = try await Tool.run(
      ["repair", "-y", "--out", scratch.path("new")] + .clock + [Fixture.lossy.path])
    #expect(outcome.status == 5)
  }

  @Test(arguments: [
    [], ["check"], ["dump"], ["repair"], ["map"], ["undo"], ["check", "--bogus", "x"],
    ["dump", "-n", "-p", "x"], ["dump", "-p", "-y", "x"], ["repair", "-n", "-y", "x"],
    ["repair", "x"], ["repair", "-y", "x"], ["repair", "--out", "a", "--in-place", "x"],
    ["repair", "--out", "a", "--plain", "--rekey", "k", "x"],
    ["repair", "--out", "-", "-y", "x"], ["fixture", "damage", "--out", "-", "x"],
    ["fixture", "make", "--out", "-", "x"], ["fixture", "corpus", "--out", "-"],
    ["fixture", "maek"], ["fixture", "damge", "x"],
    ["repair", "--out", "a", "--rekey", "", "x"], ["repair", "--out"], ["dump", "x", "y"],
    ["check", "--key-hex", "abc", "x"], ["check", "--key-hex", "zz", "x"],
    ["check", "--key", "a", "--key-hex", "00", "x"], ["check", "--now", "yesterday", "x"],
    ["check", "--format", "nothing", "x"], ["dump", "--state", "former", "x"],
    ["dump", "--state", "current", "-p", "x"], ["dump", "--on-crc-fail", "perhaps", "x"],
    ["dump", "--like-engine", "--drop-expired", "x"],
    ["repair", "-n", "--like-engine", "--include-guesses", "x"],
    ["repair", "--dry-run", "-p", "--include-guesses", "x"],
  ])
  func argumentsThatMakeNoSenseAre16(arguments: [String]) async throws {
    let outcome = try await Tool.run(arguments, in: scratch.path)
    #expect(outcome.status == 16)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("kvfsck: error: "))
    #expect(outcome.errors.uppercased().contains("USAGE: KVFSCK"))
    #expect(scratch.names(in: "") == [])
  }

  @Test func aDamagedStoreWithoutAChoiceOrATerminalIs16() async throws {
    let outcome = try await Tool.run(
      ["repair", "--out", "new"] + .clock + [Fixture.lossy.path], in: scratch.path)
    #expect(outcome.status == 16)
    #expect(outcome.errors.contains("\nRecommended: recover, because discard keeps nothing.\n"))
    #expect(outcome.errors.hasSuffix("on-length-error. Recommended: -y\n"))
    #expect(scratch.names(in: "") == [])
  }

  /// Tests that no answer is needed if both answers give the same store.
  ///
  /// The checksum matches at the real end of the log, so both answers keep the same entries.
  @Test func whereBothAnswersGiveTheSameStoreNoneIsNeeded() async throws {
    let outcome = try await Tool.run(
      ["repair", "--out", "new"] + .clock + [Fixture.repairable.path + "/kv"], in: scratch.path)
    #expect(outcome.status == 1, "\(outcome.testDescription)")
    #expect(
      outcome.errors
        == "kvfsck: note: recover and discard give the same store with 12 entries, so there is nothing to ask\n"
    )
    #expect(scratch.names(in: "new") == ["kv", "kv.crc"])
  }

  @Test(arguments: [
    ["--help"], ["-h"], ["help"], ["check", "--help"], ["dump", "--help"], ["repair", "--help"],
    ["undo", "--help"], ["map", "--help"], ["help", "repair"],
  ])
  func helpIs0AndAResult(arguments: [String]) async throws {
    let outcome = try await Tool.run(arguments)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("USAGE: kvfsck"))
    #expect(outcome.errors == "")
  }

  @Test func helpStatesTheExitStatus() async throws {
    let outcome = try await Tool.run(["--help"])
    for line in ["0  clean", "1  ", "4  ", "8  ", "16  ", "32  "] {
      #expect(outcome.output.contains(line))
    }
  }

  @Test(arguments: ["chekc", "chck", "scna", "repiar", "Dump", "covnert", "hlep"])
  func aMisspelledCommandIsNotTakenForAStore(name: String) async throws {
    let outcome = try await Tool.run([name, Fixture.clean.path])
    #expect(outcome.status == 16 && outcome.output.isEmpty, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("Did you mean kvfsck "), "\(outcome.errors)")
    _ = try scratch.write([1, 2, 3], to: name)
    let file = try await Tool.run([name], in: scratch.path)
    #expect(file.status == 8 && !file.errors.contains("Did you mean"), "\(file.errors)")
  }

  @Test(arguments: [
    (["-n", "chekc"], "Did you mean kvfsck check?"),
    (["--color", "never", "ls"], "Did you mean kvfsck dump?"),
    (["-n", "check"], "comes before its options: kvfsck check"),
    (["--color", "never", "dump"], "comes before its options: kvfsck dump"),
    (["--full", "dump"], "comes before its options: kvfsck dump"),
    (["--out", "new", "repair"], "comes before its options: kvfsck repair"),
  ])
  func aCommandAfterAnOptionIsNotTakenForAStore(
    arguments: [String], advice: String
  ) async throws {
    let key = ["--key-hex", "00112233445566778899aabbccddeeff"]
    for arguments in [arguments, key + arguments] {
      let outcome = try await Tool.run(arguments + [Fixture.clean.path], in: scratch.path)
      #expect(outcome.status == 16 && outcome.output.isEmpty, "\(outcome.testDescription)")
      #expect(outcome.errors.contains(advice) && !outcome.errors.contains("0011"))
    }
    let name = try #require(arguments.last)
    if arguments.first == "-n" {
      let named = try await Tool.run(["-n", "--", name], in: scratch.path)
      #expect(named.status == 8, "\(named.testDescription)")
      _ = try scratch.write([1, 2, 3], to: name)
      let file = try await Tool.run(["-n", name], in: scratch.path)
      #expect(file.status == 8 && file.errors.isEmpty == false, "\(file.testDescription)")
    }
  }

  @Test func aMisspelledCommandOfFixtureIsSaidToBeOne() async throws {
    let outcome = try await Tool.run(["fixture", "maek"])
    #expect(outcome.errors.contains("Did you mean kvfsck fixture make?"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("list", "dump"), ("ls", "dump"), ("show", "dump"), ("cat", "dump"), ("print", "dump"),
    ("fix", "repair"), ("recover", "repair"), ("export", "convert"), ("find", "scan"),
    ("grep", "search"), ("info", "check"), ("verify", "check"), ("fsck", "check"),
    ("browse", "view"), ("open", "view"),
  ])
  func whatOtherToolsCallACommandIsUnderstood(name: String, meant: String) async throws {
    for arguments in [[name], [name, Fixture.clean.path]] {
      let outcome = try await Tool.run(arguments)
      #expect(outcome.status == 16 && outcome.output.isEmpty, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("Did you mean kvfsck \(meant)?"), "\(outcome.errors)")
    }
  }

  @Test(arguments: ["test", "udno", "undoo", "und", "mp", "data", "user", "kv"])
  func anotherWordIsTakenForAStore(name: String) async throws {
    let outcome = try await Tool.run([name], in: scratch.path)
    #expect(!outcome.errors.contains("kvfsck undo"), "\(outcome.errors)")
    if name == "mp" {
      #expect(outcome.errors.contains("Did you mean kvfsck map?"))
    } else {
      #expect(outcome.status == 8 && !outcome.errors.contains("Did you mean"), "\(outcome.errors)")
    }
  }

  @Test(arguments: [
    (["repair", "STORE", "--output", "rep", "-y"], "--output", "--out"),
    (["repair", "STORE", "--output=rep", "-y"], "--output", "--out"),
    (["repair", "STORE", "-o", "rep", "-y"], "-o", "--out"),
    (["repair", "STORE", "--inplace", "-y"], "--inplace", "--in-place"),
    (["convert", "STORE", "--output", "x.json"], "--output", "--out"),
    (["report", "STORE", "--output", "x.html"], "--output", "--out"),
    (["scan", "--shrad", "1/2"], "--shrad", "--shard"),
    (["dump", "STORE", "--table", "t", "--keycolumn", "k"], "--keycolumn", "--key-column"),
    (["fixture", "make", "STORE", "--output", "x"], "--output", "--out"),
    (["STORE", "--jsno"], "--jsno", "--json"),
  ])
  func anUnknownOptionIsSaidBeforeWhatItLeavesOut(
    arguments: [String], option: String, meant: String
  ) async throws {
    let outcome = try await Tool.run(
      arguments.map { $0 == "STORE" ? Fixture.clean.path : $0 }, in: scratch.path)
    #expect(outcome.status == 16)
    #expect(
      outcome.errors.hasPrefix(
        "kvfsck: error: Unknown option '\(option)'. Did you mean '\(meant)'?\nUsage: "),
      "\(outcome.errors)")
    #expect(scratch.names(in: "") == [])
  }

  @Test(arguments: [
    ["repair", "STORE"], ["repair", "STORE", "-y", "--key", "a"], ["convert", "STORE"],
    ["report", "STORE", "-q"], ["repair", "-y", "--", "STORE", "--output"],
  ])
  func aMissingChoiceIsSaidWhereEveryOptionIsKnown(arguments: [String]) async throws {
    let outcome = try await Tool.run(
      arguments.map { $0 == "STORE" ? Fixture.clean.path : $0 }, in: scratch.path)
    #expect(outcome.status == 16 && !outcome.errors.contains("Unknown option"), "\(outcome.errors)")
  }

  /// Tests that a file whose name begins with a hyphen and has an h in it does not ask for help, with
  /// which a check of all files in a folder would succeed.
  @Test(arguments: [["check", "-dash"], ["-dash", "STORE"], ["dump", "STORE", "-th"]])
  func aLetterOfAFileAsksForNoHelp(arguments: [String]) async throws {
    let outcome = try await Tool.run(
      arguments.map { $0 == "STORE" ? Fixture.clean.path : $0 }, in: scratch.path)
    #expect(outcome.status == 16 && outcome.output.isEmpty, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("write ./-"), "\(outcome.testDescription)")
    let help = try await Tool.run(["check", "-qh"])
    #expect(help.status == 0 && help.output.contains("OVERVIEW"))
  }

  @Test func severalStoresAddUp() async throws {
    let outcome = try await Tool.run(
      ["check"] + .clock + [
        Fixture.lossy.path, scratch.path("missing"), Fixture.clean.path,
      ])
    #expect(outcome.status == 12)
    #expect(outcome.output.contains("\(Fixture.clean.path)/kv: clean"))
    #expect(outcome.output.contains("\(Fixture.lossy.path)/kv: damaged"))
    #expect(outcome.errors.contains(scratch.path("missing")))
  }

  @Test func aStoreAloneIsChecked() async throws {
    for fixture in [Fixture.clean, .lossy] {
      let short = try await Tool.run(.clock + [fixture.path])
      let long = try await Tool.run(["check"] + .clock + [fixture.path])
      #expect(short.output == long.output)
      #expect(short.errors == long.errors)
      #expect(short.status == long.status)
    }
  }

  @Test(arguments: ["", "/kv", "/kv.crc"])
  func aStoreIsItsFolderOrAnyOfItsFiles(suffix: String) async throws {
    let folder = try await Tool.run(["check"] + .clock + [Fixture.lossy.path])
    let named = try await Tool.run(["check"] + .clock + [Fixture.lossy.path + suffix])
    #expect(named.output == folder.output)
    #expect(named.status == 4)
  }

  @Test func dumpPrintsEntriesOnStdoutAndFindingsOnStderr() async throws {
    let outcome = try await Tool.run(["dump"] + .clock + [Fixture.lossy.path])
    #expect(outcome.lines.count == 29)
    #expect(outcome.lines.allSatisfy { $0.contains(" = ") })
    #expect(outcome.errors.contains("[mmkv.checksum-mismatch]"))
    #expect(!outcome.output.contains("[mmkv.checksum-mismatch]"))
  }

  @Test func aKeyOnTheCommandLineIsSaidToBeVisible() async throws {
    let outcome = try await Tool.run(
      ["check", "--key", Fixture.key] + .clock + [Fixture.encrypted.path])
    #expect(outcome.errors.contains("other users can see a key"))
    #expect(!outcome.errors.contains(Fixture.key))
    #expect(!outcome.output.contains(Fixture.key))
  }

  @Test func aStateWithoutEvidenceIs8() async throws {
    let outcome = try await Tool.run(
      ["dump", "--state", "before-reset"] + .clock + [Fixture.clean.path])
    #expect(outcome.status == 8)
    #expect(outcome.errors.contains("before-reset"))
    #expect(outcome.output == "")
  }

  @Test func outputWithoutATerminalHasNoColors() async throws {
    let outcome = try await Tool.run(["check"] + .clock + [Fixture.lossy.path])
    #expect(!outcome.output.contains("\u{1b}"))
    #expect(!outcome.errors.contains("\u{1b}"))
  }

  @Test func progressGoesToItsDescriptor() async throws {
    let progress = scratch.path("progress")
    let outcome = try await Tool.shell(
      #""$0" check -C 9 "$1" "$2" 9>"$3""#,
      [Fixture.clean.path, Fixture.encrypted.path, progress])
    #expect(outcome.status == 8)
    let text = String(decoding: try scratch.bytes(of: "progress"), as: UTF8.self)
    #expect(
      text.split(separator: "\n").map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        == ["check 0 2", "check 1 2", "done 2 2"])
    #expect(!outcome.output.contains("done 2 2"))
  }
}
