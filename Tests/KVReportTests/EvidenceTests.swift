#if Encryption
  import Foundation
  import KVBytes
  import KVReport
  import KVSystem
  import KVTestSupport
  import SystemPackage
  import Testing

  /// The chain of lines of an evidence log.
  struct EvidenceTests {
    /// Adds `runCount` runs, with one input each, to the log in `folder`.
    private func addRuns(_ runCount: Int, to folder: FilePath) throws {
      for number in 0..<runCount {
        let ledger = EvidenceLog.ledger()
        let log = try EvidenceLog(
          in: folder,
          EvidenceLog.Occasion(
            version: "1", arguments: ["check", "\(number)"], matter: "é\n", examiner: nil),
          listingAll: true, ledger)
        ledger.noteRead("-", FileImage([1, 2, UInt8(number)]))
        ledger.noteGlance("passed over")
        try log.end(status: 0)
      }
    }

    private func log(in folder: FilePath) throws -> [UInt8] {
      try FileImage.read(folder.appending("evidence.jsonl")).bytes
    }

    /// Expects that every change of one line or two of `log` is found; of the last line and of what
    /// is after it, if its hash is known.
    private func expectAllFound(in log: [UInt8]) throws {
      let whole = EvidenceCheck(of: log)
      try #require(whole.problems == [])
      let lines = log.dropLast().split(separator: UInt8(ascii: "\n")).map { Array($0) }
      #expect(lines.count == whole.lineCount && lines.count > 7)
      func isFound(_ changed: [[UInt8]], isLast: Bool) -> Bool {
        let bytes = changed.flatMap { $0 + [UInt8(ascii: "\n")] }
        return EvidenceCheck(of: bytes, last: whole.last).problemCount > 0
          && (isLast || EvidenceCheck(of: bytes).problemCount > 0)
      }
      for index in lines.indices {
        let isLast = index == lines.count - 1
        var changed = lines
        changed.remove(at: index)
        #expect(isFound(changed, isLast: isLast), "\(index) dropped")
        for offset in lines[index].indices {
          changed = lines
          changed[index][offset] ^= 1
          #expect(isFound(changed, isLast: isLast), "\(index) changed at \(offset)")
        }
        for other in lines.indices {
          changed = lines
          changed.insert(lines[other], at: index)
          #expect(isFound(changed, isLast: false), "\(other) inserted at \(index)")
          guard other < index else { continue }
          changed = lines
          changed.swapAt(other, index)
          #expect(isFound(changed, isLast: false), "\(other) and \(index) exchanged")
        }
      }
      for count in log.indices {
        let check = EvidenceCheck(of: Array(log[..<count]), last: whole.last)
        #expect(check.problemCount > 0, "cut after \(count)")
        let isBetweenLines = count == 0 || log[count - 1] == UInt8(ascii: "\n")
        // A cut may also divide a torn line from the one that declares it.
        guard !isBetweenLines || whole.tornLines.isEmpty else { continue }
        #expect((EvidenceCheck(of: Array(log[..<count])).problemCount == 0) == isBetweenLines)
      }
    }

    @Test("Each line that was changed, dropped, inserted or moved is found, and each cut")
    func everyChangeIsFound() throws {
      let folder = try TemporaryFolder()
      try addRuns(3, to: folder.path.appending("log"))
      try expectAllFound(in: try log(in: folder.path.appending("log")))
    }

    /// Tests that each place where lines are missing is two problems, and what follows is none: the
    /// line does not follow the one before it, and has another number.
    @Test("Each gap in a log is reported once, and the count goes on after it")
    func gaps() throws {
      let folder = try TemporaryFolder()
      try addRuns(5, to: folder.path.appending("log"))
      let log = try log(in: folder.path.appending("log"))
      let lines = log.dropLast().split(separator: UInt8(ascii: "\n")).map { Array($0) }
      #expect(lines.count == 20)
      for dropped in [[3], [3, 4], [3, 9], [1, 5, 6, 12], [18], [2, 4, 6, 8]] as [Set<Int>] {
        let rest = lines.indices.filter { !dropped.contains($0) }
        let check = EvidenceCheck(of: rest.flatMap { lines[$0] + [UInt8(ascii: "\n")] })
        let places = rest.indices.filter { $0 > 0 && rest[$0] != rest[$0 - 1] + 1 }
        #expect(check.problems.map(\.line) == places.flatMap { [$0 + 1, $0 + 1] }, "\(dropped)")
      }
    }

    @Test("A torn line is declared by the next run, and the chain goes on")
    func tornLines() throws {
      let folder = try TemporaryFolder()
      let home = folder.path.appending("log")
      try addRuns(2, to: home)
      let whole = try log(in: home)
      let start = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
      for count in stride(from: start + 1, to: whole.count, by: 17) + [whole.count - 1, 1] {
        let torn = Array(whole[..<count])
        let path = URL(filePath: home.appending("evidence.jsonl").string)
        try Data(torn).write(to: path)
        #expect(EvidenceCheck(of: torn).problems.count == 1)
        try addRuns(1, to: home)
        let log = try log(in: home)
        #expect(log.starts(with: torn))
        let check = EvidenceCheck(of: log)
        #expect(check.problems == [] && check.tornLines.count == 1)
        #expect(check.unfinishedRuns == (count == 1 ? [] : [5]))
        if count == start + 1 { try expectAllFound(in: log) }
      }
    }

    @Test("A file that is no log is not appended to")
    func foreignFiles() throws {
      let folder = try TemporaryFolder()
      let path = URL(filePath: folder.path.appending("evidence.jsonl").string)
      for text in [
        "not JSON", "\u{1}\u{2}", "not JSON\n", "{}\n", "{\"type\":\"start\",\"seq\":1}\n",
      ] {
        try Data(text.utf8).write(to: path)
        #expect(throws: FileError.self) { try addRuns(1, to: folder.path) }
        #expect(try Data(contentsOf: path) == Data(text.utf8))
      }
    }

    @Test("Lines of random bytes are problems of the log, and nothing else")
    func hostileLogs() throws {
      let numbers = ["9223372036854775807", "-9223372036854775808", "1e9", "null"]
      for number in numbers {
        let line = #"{"previous":"","run":\#(number),"seq":\#(number),"type":"torn"}"# + "\n"
        #expect(EvidenceCheck(of: Array((line + line).utf8)).problemCount > 0)
      }
      var generator = SystemRandomNumberGenerator()
      for count in 1..<200 {
        let bytes = (0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        #expect(EvidenceCheck(of: bytes).problemCount > 0)
      }
    }
  }
#endif
