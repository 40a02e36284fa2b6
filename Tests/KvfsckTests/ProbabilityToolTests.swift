import Foundation
import KVTestSupport
import Testing

@Suite("Probabilities of a damaged store")
struct ProbabilityToolTests {
  private static let store = Fixture.root + "/mmkv/damaged/burst_fwb/kv"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The members of an entry's line that these tests need.
  private struct Line: Decodable {
    struct Condition: Decodable {
      struct Reason: Decodable { let bits: Double }
      let probability: Double
      let reasons: [Reason]
    }
    let type: String
    let key: String?
    let evidence: String?
    let probability: Double?
    let weighing: [String: Condition]?
  }

  private func entries(_ arguments: String...) async throws -> [Line] {
    let outcome = try await Tool.run(["dump", "--json", Self.store] + arguments)
    return try outcome.output.split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }.filter { $0.type == "entry" }
  }

  @Test("follow from the weights that --why prints")
  func why() async throws {
    let entries = try await entries("--why")
    #expect(entries.count == 28)
    for entry in entries {
      let conditions = try #require(entry.weighing)
      #expect(Set(conditions.keys) == ["record", "unchanged", "newest"])
      var product = 1.0
      for condition in conditions.values {
        let bits = condition.reasons.reduce(0) { $0 + $1.bits }
        product /= 1 + exp2(-bits)
        #expect(abs(condition.probability - 1 / (1 + exp2(-bits))) < 0.000_2)
      }
      // The bits are rounded to hundredths.
      #expect(abs(try #require(entry.probability) - product) < 0.002, "\(entry.key ?? "")")
    }
  }

  @Test("decide what dump and repair keep")
  func decision() async throws {
    let all = try await entries()
    let certain = try await entries("--min-confidence", "0.98")
    #expect(certain.count == all.count { $0.probability ?? 0 >= 0.98 })
    #expect(certain.count < all.count && !certain.isEmpty)
    let limits: [([String], Double)] = [
      ([], 0.5), (["--min-confidence", "0.98"], 0.98), (["--include-guesses"], 0),
    ]
    for (index, (option, least)) in limits.enumerated() {
      let out = scratch.path("\(index)")
      _ = try await Tool.run(["repair", Self.store, "-y", "--out", out] + option)
      let kept = try await Tool.run(["dump", "--json", "\(out)/kv"])
      let count = kept.output.split(separator: "\n").count { $0.contains("\"type\":\"entry\"") }
      // Where the newest value is unlikely, the one before it may be kept.
      let likely = all.count { $0.probability ?? 0 >= least }
      #expect(count >= likely && count <= all.count, "\(option)")
    }
  }

  @Test("of 0.999 and more are enough for -p, as checksums are")
  func proven() async throws {
    let store = Fixture.root + "/fastkv-apple/damaged/many64__flip_class@0/store.fkv"
    func entries(_ options: [String]) async throws -> [Line] {
      let outcome = try await Tool.run(["dump", "--json"] + options + [store])
      return try outcome.output.split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }.filter { $0.type == "entry" }
    }
    func isVerified(_ line: Line) -> Bool { ["checksum", "corrected"].contains(line.evidence) }
    let all = try await entries(["-y"])
    let proven = try await entries(["-p"])
    #expect(proven.contains { !isVerified($0) } && proven.count <= all.count)
    #expect(proven.allSatisfy { isVerified($0) || $0.probability ?? 0 >= 0.999 })
    let expected = all.filter { isVerified($0) || $0.probability ?? 0 >= 0.999 }
    #expect(Set(proven.map(\.key)) == Set(expected.map(\.key)))
  }

  @Test(
    "take a number from 0 to 1",
    arguments: [
      ["dump", "--min-confidence", "1.5"], ["repair", "-n", "--min-confidence", "-1"],
      ["repair", "-n", "--min-confidence", "x"],
      ["repair", "-n", "--min-confidence", "0.5", "--include-guesses"],
      ["repair", "-p", "--dry-run", "--min-confidence", "0.5"],
      ["dump", "--why", "--history"],
    ])
  func refusals(arguments: [String]) async throws {
    let outcome = try await Tool.run([arguments[0], Self.store] + arguments.dropFirst())
    #expect(outcome.status == 16 && outcome.output.isEmpty)
  }
}
