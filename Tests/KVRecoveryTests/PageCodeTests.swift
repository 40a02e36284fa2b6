import Foundation
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Checks that the example in `Docs/ARCHITECTURE.md` is the code below, and prints what the page
/// says.
struct PageCodeTests {
  private static let top = #filePath.replacing(
    "Tests/KVRecoveryTests/PageCodeTests.swift", with: "")

  @Test func theExampleOfTheArchitectureIsRun() throws {
    let folder = try TemporaryFolder()
    func top(_ path: String) -> FilePath { FilePath(Self.top + path) }
    func new(_ path: String) -> FilePath { folder.path.appending(path) }
    var printed: [String] = []
    func print(_ items: Any...) {
      let line = items.map { "\($0)" }.joined(separator: " ")
      printed.append(line.replacing("\(folder.path)/", with: ""))
    }
    // The example begins here.
    let format = MMKVFormat(now: 1_760_000_000)
    // Damage is no error; that there is no store is one, or that a file cannot be read.
    let found = try format.discover(at: top("Fixtures/mmkv/damaged/flip_keylen_fwb/kv"))
    let store = format.open(found).corrected()
    let diagnosis = Diagnosis(of: store, now: format.now)
    print(diagnosis.verdict, diagnosis.states.map { "\($0.name) \($0.snapshot.live.count)" })
    for prediction in diagnosis.predictions {
      print(prediction.answer, prediction.load.outcome, prediction.keyCount)
    }
    if let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis) {
      let files = try format.encode(plan.contents(of: store), like: store)
      let paths = try StoreWriter().write(files, into: new("repaired"))
      for path in paths { print("wrote \(path)") }
    }
    // The example ends here.
    let page = try String(contentsOfFile: Self.top + "Docs/ARCHITECTURE.md", encoding: .utf8)
    #expect(try blocks("swift", of: page).contains { $0.hasSuffix(try example) })
    #expect(blocks("text", of: page).contains(printed), "\(printed)")
  }

  /// The code between the two comments, with the paths as on the page.
  private var example: [String] {
    get throws {
      let lines = try String(contentsOfFile: #filePath, encoding: .utf8).components(
        separatedBy: "\n")
      let start = try #require(lines.firstIndex { $0.hasSuffix("// The example begins here.") })
      let end = try #require(lines.firstIndex { $0.hasSuffix("// The example ends here.") })
      return lines[start + 1..<end].map { line in
        String(line.dropFirst(4)).replacing(/(?:top|new)\((".*?")\)/) { "\($0.output.1)" }
      }
    }
  }

  private func blocks(_ language: String, of page: String) -> [[String]] {
    page.components(separatedBy: "\n```\(language)\n").dropFirst().map { rest in
      rest.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
    }
  }
}

extension [String] {
  fileprivate func hasSuffix(_ lines: [String]) -> Bool { Array(suffix(lines.count)) == lines }
}
