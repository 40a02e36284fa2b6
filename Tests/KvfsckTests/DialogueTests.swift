import Testing

/// The questions that `repair` asks on a terminal.
@Suite(.serialized, .enabled("there is no python3") { try await Python.isHere() })
struct DialogueTests {
  private let scratch: Scratch
  private let store: String
  private let before: FolderState

  init() throws {
    scratch = try Scratch()
    store = try scratch.copy(.lossy)
    before = try FolderState(of: store)
  }

  /// Runs the tool on a pseudo-terminal, and gives each answer when its question appears.
  ///
  /// The exit status of this script is that of the tool. What the terminal shows is written to
  /// stdout.
  private static let terminal = """
    import os, pty, select, signal, sys
    count = int(sys.argv[1])
    answers = [bytes(answer, 'utf8').decode('unicode_escape').encode()
               for answer in sys.argv[2:2 + count]]
    command = sys.argv[2 + count:]
    process, terminal = pty.fork()
    if process == 0:
        os.environ['TERM'] = 'xterm'
        os.environ.pop('NO_COLOR', None)
        os.execv(command[0], command)
    shown = b''
    asked = 0
    while True:
        if not select.select([terminal], [], [], 1800)[0]:
            os.kill(process, signal.SIGKILL)
            break
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        while shown.count(b'[q]uit? ') > asked and asked < len(answers):
            os.write(terminal, answers[asked])
            asked += 1
    end = os.waitpid(process, 0)[1]
    sys.stdout.buffer.write(shown.replace(b'\\r\\n', b'\\n'))
    sys.exit(os.WEXITSTATUS(end) if os.WIFEXITED(end) else 99)
    """

  private func repair(
    answering answers: [String], _ store: String? = nil
  ) async throws -> Outcome {
    try await Python.run(
      DialogueTests.terminal,
      ["\(answers.count)"] + answers
        + [try Tool.path(), "repair", "--out", scratch.path("new")] + .clock
        + [store ?? self.store])
  }

  /// Repairs `store` with a pager, on a terminal of `height` lines.
  private func repair(
    answering answers: [String], _ store: String? = nil, by pager: String, height: Int
  ) async throws -> Outcome {
    let script = DialogueTests.terminal.replacing(
      "os.environ['TERM'] = 'xterm'",
      with: """
        os.environ['TERM'] = 'xterm'
            os.environ['PAGER'] = '\(pager)'
            os.chdir('\(scratch.path)')
            import fcntl, struct, termios
            fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack('4H', \(height), 80, 0, 0))
        """)
    return try await Python.run(
      script,
      ["\(answers.count)"] + answers
        + [try Tool.path(), "repair", "--out", scratch.path("new")] + .clock
        + [store ?? self.store])
  }

  private func expectNothingWritten() throws {
    #expect(scratch.names(in: "") == ["store"])
    #expect(try FolderState(of: store) == before)
  }

  @Test func theQuestionNamesTheCallbackAndBothOutcomes() async throws {
    let outcome = try await repair(answering: [#"q\n"#])
    #expect(outcome.output.contains("onMMKVCRCCheckFail: "))
    #expect(outcome.output.contains("\nentries kept                29       0\n"))
    #expect(outcome.output.contains("\nRecommended: recover, because discard keeps nothing.\n"))
    #expect(outcome.output.contains("[r]ecover (Enter), [d]iscard, "))
  }

  /// Tests that the number of entries alone does not decide which answer is recommended.
  ///
  /// The older state has 30 entries, of which 20 are among the 29 that the app had last. `recover`
  /// keeps 27 of those 29.
  @Test func countsAloneDoNotDecide() async throws {
    let outcome = try await repair(answering: [#"\n"#], Fixture("damaged/burst_fwb").path + "/kv")
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    for line in [
      "entries kept                             27       30",
      "  the newest in the files                27       20",
      "Kept by both, with different values: 7", "Kept only by recover: 0",
      "Kept only by discard: 3", "Kept by both, with the same value: 20",
      "Recommended: recover. Of its 27 values, 27 are the newest in the files;",
      "of the 30 kept by discard, 20 are.",
    ] {
      #expect(outcome.output.contains("\n\(line)\n"), "\(line): \(outcome.output)")
    }
    // Pressing Enter takes the recommended answer.
    #expect(outcome.output.contains("Keeps 27 entries"))
  }

  @Test func whereBothAnswersGiveTheSameStoreNothingIsAsked() async throws {
    let outcome = try await repair(answering: [], Fixture.repairable.path + "/kv")
    #expect(outcome.status == 1, "\(outcome.testDescription)")
    #expect(outcome.output.contains("recover and discard give the same store with 12 entries"))
    #expect(!outcome.output.contains("[q]uit?"))
  }

  @Test(arguments: [#"r\n"#, #"R\n"#, #"recover\n"#, #"\n"#])
  func rAndEnterRecover(answer: String) async throws {
    let outcome = try await repair(answering: [answer])
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    #expect(scratch.names(in: "new") == ["kv", "kv.crc"])
    let dump = try await Tool.run(["dump", "--json"] + .clock + [scratch.path("new")])
    #expect(try dump.objects("entry").count == 29)
    #expect(try FolderState(of: store) == before)
  }

  @Test func dDiscards() async throws {
    let outcome = try await repair(answering: [#"d\n"#])
    #expect(outcome.output.contains("Keeps 0 entries"))
    let dump = try await Tool.run(["dump", "--json"] + .clock + [scratch.path("new")])
    #expect(dump.status == 0)
    #expect(try dump.objects("entry").isEmpty)
    #expect(try FolderState(of: store) == before)
  }

  @Test func sShowsTheDifferenceAndAsksAgain() async throws {
    let outcome = try await repair(answering: [#"s\n"#, #"r\n"#])
    #expect(outcome.status == 5)
    let parts = outcome.output.split(separator: "[q]uit? ")
    #expect(parts.count == 3)
    #expect(parts[0].contains("\nKept only by recover: 29\n  volume_1376 = "))
    #expect(parts[0].contains("\n  and 23 more\n"))
    #expect(parts[1].contains("\nKept only by recover: 29\n  volume_1376 = "))
    #expect(!parts[1].contains(" more\n") && parts[1].contains("\nKept only by discard: 0\n"))
    #expect(scratch.names(in: "new") == ["kv", "kv.crc"])
  }

  /// Tests that a long difference is shown in the pager that the user has named.
  ///
  /// The pager gets the text that would be printed without it.
  @Test(arguments: [
    (10, "cat > pager", true), (10, "head -1 > pager", true), (10, "no-such-pager-here", false),
    (10, "", false), (10, "cat", false), (500, "cat > pager", false),
  ])
  func aLongDifferenceIsForThePager(height: Int, pager: String, isPaged: Bool) async throws {
    let plain = try await repair(answering: [#"s\n"#, #"q\n"#])
    let text = try #require(
      plain.output.split(separator: "[q]uit? ")[1].firstMatch(of: /(?s)Kept .*\n/)?.output)
    let paged = try await repair(answering: [#"s\n"#, #"q\n"#], by: pager, height: height)
    #expect(paged.status == 32, "\(paged.testDescription)")
    let part = paged.output.split(separator: "[q]uit? ")[1]
    #expect(part.contains("Kept ") != isPaged)
    guard isPaged else { return }
    let shown = String(decoding: try scratch.bytes(of: "pager"), as: UTF8.self)
    let first = text.split(separator: "\n").first.map { "\($0)\n" } ?? ""
    #expect(shown == (pager.hasPrefix("head") ? first : String(text)))
  }

  /// Tests that a pager gets only text that a terminal may show, and that it may end early.
  ///
  /// The difference does not fit in a pipe, and its keys contain terminal control characters.
  @Test func aPagerGetsWhatATerminalMayShowAndMayEndEarly() async throws {
    let folder = try scratch.makeFolder("large")
    try LargeStore.write(
      (0..<4_000).lazy.map { ("\u{1b}]0;\($0)\u{7}\r\n\u{202e}key \($0)", [2, 0x1b, 0x5b]) },
      into: folder)
    var data = try scratch.bytes(of: "large/kv")
    for offset in 50_000..<50_016 { data[offset] = 0 }
    _ = try scratch.write(data, to: "large/kv")
    for pager in ["cat > pager", "head -c 1 > pager"] {
      let outcome = try await repair(
        answering: [#"s\n"#, #"q\n"#], folder, by: pager, height: 10)
      #expect(outcome.status == 32, "\(outcome.testDescription)")
      let shown = try scratch.bytes(of: "pager")
      guard pager.hasPrefix("cat") else {
        #expect(shown.count == 1)
        continue
      }
      #expect(shown.count > 1 << 16)
      let text = String(decoding: shown, as: UTF8.self)
      #expect(text.contains("key 1001") && text.contains(#"\u{1b}"#))
      #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 || $0 == "\u{202e}" })
    }
  }

  /// Tests that Ctrl-C ends only the pager.
  ///
  /// The question then appears again.
  @Test func ctrlCEndsThePagerAlone() async throws {
    let pager = #"cat > pager; trap "exit 0" INT; printf "[q]uit? "; while :; do sleep 0.1; done"#
    let outcome = try await repair(
      answering: [#"s\n"#, #"\x03"#, #"r\n"#], by: pager, height: 10)
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    #expect(outcome.output.split(separator: "[q]uit? ").count == 4)
    #expect(scratch.names(in: "new") == ["kv", "kv.crc"])
  }

  @Test func anythingElseIsAskedAgain() async throws {
    let outcome = try await repair(answering: [#"maybe\n"#, #" \n"#, #"q\n"#])
    #expect(outcome.status == 32)
    #expect(outcome.output.split(separator: "Answer r, d, s or q.").count == 3)
    try expectNothingWritten()
  }

  @Test(arguments: [
    (#"q\n"#, "this store was not repaired"), (#"\x04"#, "this store was not repaired"),
    (#"\x03"#, "nothing was written"),
  ])
  func quittingTheEndOfInputAndInterruptAre32(answer: String, words: String) async throws {
    let outcome = try await repair(answering: [answer])
    #expect(outcome.status == 32, "\(outcome.testDescription)")
    #expect(outcome.output.contains("cancelled; \(words)"))
    try expectNothingWritten()
  }

  /// Tests that the second of several stores can be given up, and that the first stays repaired.
  ///
  /// A key that stops the process must not be lost because the first store was written.
  @Test(arguments: [
    (#"q\n"#, 37, "this store was not repaired"),
    (#"\x03"#, 32, "the remaining stores were not repaired"),
  ])
  func stoppingLeavesTheStoresBefore(
    answer: String, status: Int32, words: String
  ) async throws {
    let folder = try scratch.makeFolder("app")
    for name in ["a", "b", "c"] { _ = try scratch.copy(.lossy, to: "app/\(name)") }
    let outcome = try await repair(answering: [#"r\n"#, answer], folder)
    #expect(outcome.status == status, "\(outcome.testDescription)")
    #expect(outcome.output.contains("cancelled; \(words)"))
    #expect(outcome.output.split(separator: "[q]uit? ").count == 3)
    #expect(scratch.names(in: "new") == ["a"])
    #expect(scratch.names(in: "new/a") == ["kv", "kv.crc"])
  }

  @Test func whereThereIsAChoiceNothingIsAsked() async throws {
    let outcome = try await Python.run(
      DialogueTests.terminal,
      ["0", try Tool.path(), "repair", "-y", "--out", scratch.path("new")] + .clock + [store])
    #expect(outcome.status == 5)
    #expect(!outcome.output.contains("[q]uit?"))
  }

  @Test func aCleanStoreRaisesNoQuestion() async throws {
    let outcome = try await Python.run(
      DialogueTests.terminal,
      ["0", try Tool.path(), "repair", "--out", scratch.path("new")] + .clock
        + [Fixture.clean.path])
    #expect(outcome.status == 0)
    #expect(!outcome.output.contains("[q]uit?"))
  }

  @Test func colorsAreForTerminalsThatWantThem() async throws {
    let command = ["0", try Tool.path(), "check"] + .clock + [store]
    let wanted = try await Python.run(DialogueTests.terminal, command)
    #expect(wanted.output.contains("\u{1b}["))
    let script = DialogueTests.terminal.replacing(
      "os.environ.pop('NO_COLOR', None)", with: "os.environ['NO_COLOR'] = '1'")
    let unwanted = try await Python.run(script, command)
    #expect(unwanted.status == 4)
    #expect(!unwanted.output.contains("\u{1b}["))
  }
}
