import Foundation
import Testing

/// Complete reports, which were reviewed before they were committed.
///
/// After an intended change, `KVFSCK_WRITE_GOLDEN=1 swift test --filter GoldenTests` rewrites them.
/// Review the difference before you commit it.
struct GoldenTests {
  struct Report: Sendable, CustomTestStringConvertible {
    let fixture: String
    let options: [String]
    let command: [String]
    let isJSON: Bool

    /// The name of the file in `Fixtures/golden`.
    var name: String {
      let name = fixture.split(separator: "/").last ?? ""
      let command = command.joined().replacing("--", with: "-")
      return "\(name).\(command).\(isJSON ? "jsonl" : "txt")"
    }

    var testDescription: String { name }
  }

  private static let stores: [(String, [String])] = {
    var stores: [(String, [String])] = [
      ("mmkv/damaged/burst_small", ["--now", "1760000000"]),
      ("mmkv/damaged/flip_vallen_small", ["--now", "1760000000"]),
      ("mmkv/golden/expire_mixed", ["--now", "1760000060"]),
    ]
    #if Encryption
      stores.append(
        (
          "mmkv/damaged/flip_value_encs",
          ["--now", "1760000000", "--key-hex", "64616d6167656b6579"]
        ))
    #endif
    return stores
  }()

  private static var reports: [Report] {
    var reports: [Report] = []
    for (fixture, options) in stores {
      for command in [["check"], ["dump"], ["dump", "--history"], ["map"]] {
        for isJSON in [false, true] {
          // Without SHA-256, the first line of the JSON report lacks the hashes of the files.
          #if !Encryption
            if isJSON { continue }
          #endif
          reports.append(
            Report(fixture: fixture, options: options, command: command, isJSON: isJSON))
        }
      }
    }
    return reports
  }

  @Test(arguments: reports)
  func theReportIsTheOneThatWasRead(report: Report) async throws {
    let outcome = try await Tool.run(
      report.command + (report.isJSON ? ["--json"] : []) + report.options + [report.fixture],
      in: Fixture.root)
    let file = URL(filePath: "\(Fixture.root)/golden/\(report.name)")
    if ProcessInfo.processInfo.environment["KVFSCK_WRITE_GOLDEN"] == "1" {
      try Data(outcome.output.utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, (line, want)) in zip(lines, wanted).enumerated() where line != want {
      Issue.record("line \(number + 1) of \(report.name) is\n\(line)\nand was\n\(want)")
      break
    }
    #expect(lines.count == wanted.count)
  }

  @Test func everyGoldenReportIsCompared() throws {
    #if Encryption
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(Fixture.root)/golden")
      #expect(files.sorted() == GoldenTests.reports.map(\.name).sorted())
    #endif
  }
}
