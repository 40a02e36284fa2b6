import Foundation
import Testing

/// Checks that the pages show the output of the tool.
///
/// `KVFSCK_WRITE_TRANSCRIPTS=1 swift test --filter TranscriptTests` rewrites the blocks. Review the
/// difference before you commit it.
struct TranscriptTests {
  #if Encryption
    @Test(arguments: try Page.all())
    func everyTranscriptIsWhatItsCommandsPrint(page: Page) async throws {
      let transcripts = try page.transcripts()
      guard !transcripts.isEmpty else { return }
      let session = try Session()
      var lines = try page.lines()
      var replacements: [(transcript: Transcript, lines: [String])] = []
      for transcript in transcripts {
        let place = "\(page.path):\(transcript.start + 1)"
        #expect(transcript.preface == [], "\(place): a transcript begins with a command")
        let outputs = try await session.run(transcript.steps.map(\.command))
        guard outputs.count == transcript.steps.count else {
          Issue.record("\(place): a command ended the shell")
          continue
        }
        var block: [String] = []
        var isSame = true
        for (step, output) in zip(transcript.steps, outputs) {
          let shown = step.replacement(by: Transcript.Step.shown(output))
          if shown != step.output { isSame = false }
          block += ["$ " + step.command[0]] + step.command.dropFirst() + shown
        }
        guard !isSame else { continue }
        replacements.append((transcript, block))
        if !Session.isWriting {
          Issue.record("\(place): the commands print\n\(block.joined(separator: "\n"))")
        }
      }
      guard Session.isWriting else { return }
      // The last block is replaced first, so that earlier line numbers stay valid.
      for (transcript, block) in replacements.reversed() {
        lines.replaceSubrange(transcript.start..<transcript.start + transcript.count, with: block)
      }
      if !replacements.isEmpty { try page.write(lines) }
    }
  #endif

  @Test func thePagesHaveTranscriptsAndEachHasACommand() throws {
    let pages = try Page.all().map { ($0.path, try $0.transcripts()) }
    #expect(pages.count > 10)
    #expect(pages.first?.1.isEmpty == false)
    for (path, transcripts) in pages {
      for transcript in transcripts {
        #expect(!transcript.steps.isEmpty, "\(path):\(transcript.start + 1)")
      }
    }
  }

  @Test func longLinesAreFoldedAndRandomDigestsLeftOut() {
    let words = Array(repeating: "word", count: 40).joined(separator: " ")
    let shown = Transcript.Step.shown(words + "\nshort\n\n")
    #expect(shown.count == 4)
    #expect(shown[0].count == 134)
    #expect(shown[1].hasPrefix("    word"))
    #expect(shown[2...] == ["short", ""])
    let line = #"{"path":"kv","sha256":"00ff","size":1,"type":"written"}"#
    #expect(
      Transcript.Step.shown(line) == [#"{"path":"kv","sha256":"…","size":1,"type":"written"}"#])
  }

  @Test func anElisionStandsForAnyLinesAndNoOthers() {
    let step = Transcript.Step(command: ["x"], output: ["a", "…", "d"])
    #expect(step.replacement(by: ["a", "b", "c", "d"]) == ["a", "…", "d"])
    #expect(step.replacement(by: ["a", "b", "c", "e"]) == ["a", "…", "e"])
    #expect(step.replacement(by: ["a", "d"]) == ["a", "d"])
  }
}

/// A folder with the tool and the fixtures, in which the commands of a page are run.
private struct Session {
  /// Whether the pages are rewritten.
  static let isWriting =
    ProcessInfo.processInfo.environment["KVFSCK_WRITE_TRANSCRIPTS"] == "1"

  /// A line that no command prints.
  private static let mark = "--- the command has ended ---"

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    // The pages call the tool `kvfsck` if it is installed, and `.build/debug/kvfsck` if it was
    // built.
    let files = FileManager.default
    let tool = try Tool.path()
    for folder in ["bin", "work/.build/debug", "work/.build/release"] {
      try files.createDirectory(
        atPath: scratch.path(folder), withIntermediateDirectories: true)
      try files.createSymbolicLink(
        atPath: scratch.path(folder + "/kvfsck"), withDestinationPath: tool)
    }
    try files.createSymbolicLink(
      atPath: scratch.path("work/Fixtures"), withDestinationPath: Fixture.root)
  }

  /// Runs the commands in one shell, and returns what each printed to stdout or stderr.
  func run(_ commands: [[String]]) async throws -> [String] {
    var script = "exec 2>&1\nexport LC_ALL=C PATH=\"$1:$PATH\"\n"
    for command in commands {
      script += "{ \(command.joined(separator: "\n"))\n}\nprintf '\\n%s\\n' '\(Session.mark)'\n"
    }
    let outcome = try await Tool.shell(
      script, [scratch.path("bin")], in: scratch.path("work"))
    return outcome.output.components(separatedBy: "\n\(Session.mark)\n").dropLast()
      .map { String($0) }
  }
}
