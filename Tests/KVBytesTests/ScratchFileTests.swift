import KVSystem
import KVTestSupport
import SystemPackage
import Testing

@Suite struct ScratchFileTests {
  /// Returns what `runs` writes to a new file in `folder` for `parts`.
  private func written(
    _ parts: [Int64], of runs: ScratchFile, in folder: borrowing TemporaryFolder
  ) throws -> [UInt8] {
    var pending = PendingWrite(existing: .keep)
    try pending.add([], at: folder.path.appending("out"))
    try pending.commit()
    try FileStream.fill([folder.path.appending("out")]) { streams in
      for part in parts { runs.write(part, to: streams[0]) }
    }
    return try folder.bytes(of: "out")
  }

  @Test func partsThatGrewInTurnsComeOutOneAfterTheOther() throws {
    let folder = try TemporaryFolder()
    let runs = ScratchFile(beside: folder.path.appending("out"))
    let rows = (0..<9000).map { "row \($0)\n" }
    // The second round reuses the space of the removed runs.
    for _ in 0..<2 {
      runs.removeAll()
      for row in rows {
        for part in [Int64(1), 2, 7] { runs.append("\(part) \(row)", to: part) }
      }
    }
    #expect(runs.storedCount >= ScratchFile.pieceCount * 3)
    #expect(runs.hasText(in: 7))
    #expect(!runs.hasText(in: 3))
    let expected = [7, 1, 2].flatMap { part in rows.map { "\(part) \($0)" } }.joined()
    #expect(try written([7, 3, 1, 2], of: runs, in: folder) == Array(expected.utf8))
  }

  @Test func whatIsShortIsInMemoryAndNoNameIsLeftInTheFolder() throws {
    let folder = try TemporaryFolder()
    let runs = ScratchFile(beside: folder.path.appending("out"))
    runs.append("short", to: 1)
    #expect(runs.storedCount == 0)
    runs.append(String(repeating: "long", count: ScratchFile.pieceCount), to: 1)
    #expect(runs.storedCount > 0)
    #expect(try folder.names() == [])
  }

  @Test func whatCannotBeKeptIsAnErrorOfTheOutput() throws {
    let folder = try TemporaryFolder()
    let runs = ScratchFile(beside: folder.path.appending("missing").appending("out"))
    runs.append(String(repeating: "long", count: ScratchFile.pieceCount), to: 1)
    #expect(throws: FileError.self) { try written([1], of: runs, in: folder) }
  }
}
