#if Encryption && os(Linux)
  import Foundation
  import KVTestSupport
  import Testing

  /// The log of evidence of a run in which operating system calls fail.
  struct EvidenceFaultTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Tests that a hash in the log is that of all bytes of the file: a read that fails is no end.
    @Test(
      arguments: [
        ["convert", "--to", "json", "--accept-bytes", "--out", "OUT", "IN/kv"],
        ["carve", "--out", "OUT", "IN/kv"],
      ], Fault.ofReading)
    func aHashIsThatOfAllBytes(command: [String], fault: Fault) async throws {
      let root = try scratch.makeFolder("root")
      for number in 1...300 {
        let input = try scratch.copy(.clean, to: "root/in")
        let log = scratch.path("log")
        let arguments = command.map {
          $0.replacing("IN", with: input).replacing("OUT", with: root + "/out")
        }
        let (outcome, path) = try await fault.run(
          arguments + ["--evidence", log], number: number, below: root)
        guard path != nil else { return #expect(number > 1 || fault.call == .list) }
        let text = try String(contentsOfFile: log + "/evidence.jsonl", encoding: .utf8)
        for line in try text.split(separator: "\n").map({ try JSON(parsing: $0) }) {
          guard ["input", "output"].contains(line["type"]?.string) else { continue }
          let file = try #require(line["path"]?.string)
          guard let hash = line["sha256"]?.string else {
            #expect(line["error"]?.string?.contains(file) == true, "\(line)")
            #expect(outcome.status.map { $0 & 8 } == 8, "\(outcome.testDescription)")
            continue
          }
          let sum = try await Tool.run("sha256sum", [file]).output
          #expect(hash == sum.prefix(64), "\(fault.testDescription), call \(number), \(file)")
        }
        // What was written is there, and in the log.
        let isThere = FileManager.default.fileExists(atPath: root + "/out")
        #expect(!isThere || text.contains(#""type":"output""#), "call \(number)")
        for name in ["root/in", "root/out", "log"] {
          _ = try? FileManager.default.removeItem(atPath: scratch.path(name))
        }
      }
      Issue.record("after 300 calls there are more")
    }
  }
#endif
