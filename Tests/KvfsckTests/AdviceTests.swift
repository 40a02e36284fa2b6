import Foundation
import KVTestSupport
import Testing

/// The commands that the tool suggests, which must work when they are pasted into a shell.
struct AdviceTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Names that a shell, a terminal or an option parser could misinterpret.
  private static let hostileNames: [[UInt8]] =
    [
      "plain", "with space", "quote'\"", "-n", "--out", "$(touch pwned)", "`touch pwned`",
      "a;b&c|d", "bang!bang", "bang! $HOME", "*", "~", "#", "\\", "über", "a\nb", "b\n", "\n\n",
      "a\u{1b}[31m", "c\rd", "\u{202e}x", "e\u{301}", "100%s",
    ].map { Array($0.utf8) } + [[0x6b, 0xff, 0xfe], [0xe9, 0x21, 0x27, 0x0a]]

  /// Copies the files of `fixture` into the test's folder as a store whose name has these bytes.
  ///
  /// The shell does the copying, because not all of these names are valid text.
  private func copy(_ fixture: Fixture, as name: [UInt8], to folder: String) async throws {
    _ = try scratch.makeFolder(folder)
    let format = name.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
    let script = """
      name=$(printf '\(format)x'); name="${name%x}"
      cp "$1/kv" "./$name" && cp "$1/kv.crc" "./$name.crc"
      """
    let made = try await Tool.shell(script, [fixture.path], in: scratch.path(folder))
    #expect(made.status == 0, "\(made.testDescription)")
  }

  /// Returns the commands after the line `title` of a report.
  private func commands(_ text: String, after title: String) throws -> [String] {
    let start = try #require(text.range(of: title + "\n  "), "\(text)")
    // Only the last line feed follows them.
    return text[start.upperBound...].dropLast().components(separatedBy: "\n  ")
  }

  /// Runs `command` in a shell as if it were pasted there, with the tool on its path.
  private func paste(_ command: String, in folder: String) async throws -> Outcome {
    let shell = """
      mkdir -p "$2" && ln -sf "$0" "$2/kvfsck" && PATH="$2:$PATH" exec sh -c "$1"
      """
    return try await Tool.shell(
      shell, [command, scratch.path("bin")], in: scratch.path(folder))
  }

  @Test(arguments: hostileNames)
  func theCommandsOfCheckDoWhatTheySay(name: [UInt8]) async throws {
    try await copy(.repairable, as: name, to: "work")
    let check = try await Tool.run(["check", "."] + .clock, in: scratch.path("work"))
    #expect(check.status == 4, "\(check.testDescription)")
    let found = try commands(
      check.output, after: "Preview the repair, then write it:")
    #expect(found.count == 2, "\(found)")
    for command in found {
      // Whatever the name contains, it never ends a line of the report.
      #expect(command.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }
    let shown = try await paste(found[0], in: "work")
    #expect(shown.status == 4 && shown.output.contains("Keeps 12 entries"), "\(found)")
    let before = scratch.names(in: "work")
    #expect(before?.count == 2)
    let done = try await paste(found[1], in: "work")
    #expect(done.status == 1, "\(found) \(done.testDescription)")
    #expect(scratch.names(in: "work")?.count == 3 && scratch.names(in: "work/repaired")?.count == 2)
    let again = try await Tool.run(
      ["dump", "--json", "repaired"] + .clock, in: scratch.path("work"))
    #expect(try again.status == 0 && again.objects("entry").count == 12)
  }

  @Test func anEmptiedStoreHasACommandThatBringsItBack() async throws {
    try await copy(.emptied, as: Array("it's emptied".utf8), to: "work")
    let arguments = ["."] + [String].clock
    let json = try await Tool.run(["check", "--json"] + arguments, in: scratch.path("work"))
    let count = try #require(try json.objects("summary").first?["recoverable"]?.integer)
    let check = try await Tool.run(["check"] + arguments, in: scratch.path("work"))
    let title = "To restore the \(count) entries from before the store was emptied:"
    let found = try commands(check.output, after: title)
    let done = try await paste(try #require(found.first), in: "work")
    #expect([0, 4].contains(done.status), "\(done.testDescription)")
    let dump = try await Tool.run(
      ["dump", "--json", "restored"] + .clock, in: scratch.path("work"))
    #expect(try dump.objects("entry").count == count)
  }

  #if Encryption
    @Test func undoBringsBackWhatARepairHasReplaced() async throws {
      try await copy(.repairable, as: Array("it's $HOME!".utf8), to: "work")
      let before = try FolderState.bytes(in: scratch.path("work"))
      let repair = try await Tool.run(
        ["repair", "--in-place", "--format", "mmkv", "."] + .clock, in: scratch.path("work"))
      #expect(repair.status == 1, "\(repair.testDescription)")
      let start = try #require(repair.output.range(of: "To restore it:\n  "))
      let command = repair.output[start.upperBound...].split(separator: "\n").first
      let undone = try await paste(String(try #require(command)), in: "work")
      #expect(undone.status == 0, "\(undone.testDescription)")
      let after = try FolderState.bytes(in: scratch.path("work"))
      for (name, bytes) in before { #expect(after[name] == bytes) }
    }
  #endif

  @Test func aFolderThatIsThereIsNotProposedAndNoneTwice() async throws {
    for folder in ["a", "b"] { _ = try scratch.copy(.repairable, to: folder) }
    _ = try scratch.makeFolder("repaired")
    let check = try await Tool.run(["check", "a", "b"] + .clock, in: scratch.path)
    #expect(check.output.contains(" a/kv --out repaired-2 -y\n"))
    #expect(check.output.contains(" b/kv --out repaired-3 -y\n"), "\(check.testDescription)")
  }

  #if Encryption
    @Test(arguments: [
      ["--key", Fixture.key], ["--key-file", "key file"], ["--key-file", "pipe"],
    ])
    func theKeyIsAskedForAndNotShown(options: [String]) async throws {
      _ = try scratch.copy(.encrypted)
      var bytes = try scratch.bytes(of: "store/kv.crc")
      // Only the checksum is damaged.
      bytes[0] ^= 0xff
      _ = try scratch.write(bytes, to: "store/kv.crc")
      for name in ["KEYFILE", "key file"] {
        _ = try scratch.write(Array(Fixture.key.utf8), to: name)
      }
      let given = options[1] == "pipe" ? ["--key-file", "/dev/stdin"] : options
      let check = try await Tool.shell(
        "printf \(Fixture.key) | \"$0\" check store/kv '\(given[0])' '\(given[1])'", [],
        in: scratch.path)
      let found = try commands(
        check.output, after: "Preview the repair, then write it:")
      let start =
        "kvfsck repair store/kv --key-file " + (options[1] == "key file" ? "'key file'" : "KEYFILE")
      #expect(
        found == [start + " --dry-run -y", start + " --out repaired -y"],
        "\(check.testDescription)")
      let made = try await paste(try #require(found.last), in: ".")
      #expect([1, 5].contains(made.status), "\(made.testDescription)")
    }

    @Test func theFileOfKeysIsNamedAgain() async throws {
      _ = try scratch.copy(.encrypted)
      var bytes = try scratch.bytes(of: "store/kv.crc")
      bytes[0] ^= 0xff
      _ = try scratch.write(bytes, to: "store/kv.crc")
      _ = try scratch.write(Array("store/kv = \(Fixture.key)\n".utf8), to: "the keys")
      let check = try await Tool.run(
        ["check", "store/kv", "--keys", "the keys", "--aes128"], in: scratch.path)
      let found = try commands(
        check.output, after: "Preview the repair, then write it:")
      #expect(
        found.last == "kvfsck repair store/kv --keys 'the keys' --aes128 --out repaired -y",
        "\(check.testDescription)")
      let made = try await paste(try #require(found.last), in: ".")
      #expect([1, 5].contains(made.status), "\(made.testDescription)")
    }
  #endif

  /// Tests that a store whose name looks like an option can be repaired as suggested.
  ///
  /// The command line takes the name after `--`. In the suggested command, it would be an option.
  @Test func aNameThatLooksLikeAnOptionIsNone() async throws {
    try await copy(.repairable, as: Array("-y".utf8), to: "work")
    let check = try await Tool.run(["check"] + .clock + ["--", "-y"], in: scratch.path("work"))
    let found = try commands(
      check.output, after: "Preview the repair, then write it:")
    #expect(found.last == "kvfsck repair ./-y --out repaired -y")
    #expect(try await paste(try #require(found.last), in: "work").status == 1)
  }

  @Test func nothingIsProposedForAStream() async throws {
    let outcome = try await Tool.shell(
      "\"$0\" check /dev/stdin < \"$1\"", [Fixture.repairable.path + "/kv"], in: scratch.path)
    #expect(!outcome.output.contains("kvfsck repair"), "\(outcome.testDescription)")
  }

  @Test func aStoreThatWasEmptiedIsNotCalledClean() async throws {
    let json = try await Tool.run(["check", "--json"] + .clock + [Fixture.emptied.path])
    let summary = try #require(try json.objects("summary").first)
    #expect(json.status == 0 && summary["verdict"]?.string == "clean")
    let count = try #require(summary["recoverable"]?.integer)
    let states = try json.objects("state").filter { $0["name"]?.string == "before-reset" }
    #expect(count > 0 && states.first?["entries"]?.integer == count)
    #expect(try json.objects("finding").contains { $0["code"]?.string == "store.emptied" })
    let text = try await Tool.run(["check"] + .clock + [Fixture.emptied.path + "/kv"])
    let start = "\(Fixture.emptied.path)/kv: emptied: 0 entries, \(count) recoverable, mmkv"
    #expect(text.output.hasPrefix(start), "\(text.testDescription)")
  }

  @Test func whereNeitherAnswerKeepsAnEntryNothingIsWrittenUnasked() async throws {
    let store = Fixture("damaged/trunc_4_small").path + "/kv"
    let outcome = try await Tool.run(
      ["repair", "--out", "new"] + .clock + [store], in: scratch.path)
    #expect(outcome.status == 16, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("neither recover nor discard keeps any entries"))
    #expect(scratch.names(in: "") == [])
  }
}
