import Foundation
import Testing

/// Running `calibrate`, the command that measures how often kvfsck is wrong.
struct CalibrationTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func calibrate(_ arguments: [String]) async throws -> Outcome {
    try await Tool.run(try Tool.path(of: "calibrate"), arguments)
  }

  @Test func theSameSeedPrintsTheSame() async throws {
    let arguments = ["--stores", "30", "--seed", "7", "--json"]
    let one = try await calibrate(arguments)
    #expect(one.status == 0 || one.status == 4, "\(one.testDescription)")
    #expect(try await calibrate(arguments).output == one.output)
    let run = try #require(one.objects("calibration").first)
    #expect(run["seed"]?.string == "7" && run["stores"]?.integer == 30)
    #expect((run["sound"]?.bool == true) == (one.status == 0))
    let sums = try one.objects("soundness").filter { $0["operator"]?.string == "all" }
    let formats = Set(sums.compactMap { $0["format"]?.string })
    #expect(formats == ["mmkv", "fastkv-apple", "fastkv-android"])
    let bins = try one.objects("correction-bin")
    #expect(!bins.isEmpty)
    for bin in bins {
      let rate = try #require(bin["rate"]?.number)
      let count = try #require(bin["corrections"]?.number)
      #expect(count > 0 && abs(rate * count - (bin["false"]?.number ?? -1)) < 0.01)
      #expect(try #require(bin["rate_low"]?.number) <= rate)
      #expect(try #require(bin["rate_high"]?.number) >= rate)
    }
  }

  @Test func aSeedIsDrawnAndPrinted() async throws {
    let arguments = ["--json", "--stores", "2", "--format", "fastkv-apple"]
    let first = try await calibrate(arguments)
    let run = try #require(first.objects("calibration").first)
    let seed = try #require(run["seed"]?.string)
    #expect(run["stores"]?.integer == 2)
    let again = try await calibrate(arguments + ["--seed", seed])
    #expect(again.output == first.output)
    let other = try await calibrate(arguments).objects("calibration").first
    #expect(other?["seed"]?.string != seed)
  }

  @Test func aListedStoreIsMadeAgainAndKept() async throws {
    // Heavy damage makes wrong entries unavoidable, so some stores of this seed are listed.
    let arguments = [
      "--format", "fastkv-android", "--damage", "heavy", "--seed", "1",
      "--stores", "400",
    ]
    let outcome = try await calibrate(
      arguments + ["--json", "--keep", scratch.path("kept")])
    let listed = try outcome.objects("unsound")
    #expect(!listed.isEmpty && outcome.status == 4, "\(outcome.testDescription)")
    #expect(Set(scratch.names(in: "kept") ?? []) == Set(listed.compactMap { $0["seed"]?.string }))
    for problem in listed.prefix(3) {
      let seed = try #require(problem["seed"]?.string)
      #expect(scratch.names(in: "kept/\(seed)") == ["answer.json", "store"])
      let alone = try await calibrate([
        "--format", "fastkv-android", "--damage", "heavy", "--seed", seed,
        "--stores", "1", "--json",
      ])
      #expect(alone.status == 4, "\(alone.testDescription)")
      let messages = try alone.objects("unsound").map { $0["message"]?.string }
      #expect(messages.contains(problem["message"]?.string))
    }
  }

  @Test func aTableHasAHeadingForEachFieldAndARowForEachObject() async throws {
    let arguments = ["--format", "mmkv", "--stores", "20", "--seed", "4"]
    let text = try await calibrate(arguments)
    let objects = try await calibrate(arguments + ["--json"])
    #expect(text.status == objects.status)
    let tables = text.output.components(separatedBy: "\n\n").map { table in
      table.split(separator: "\n")
    }
    let bins = try objects.objects("correction-bin")
    let table = try #require(tables.first { $0[0].hasPrefix("Corrections: ") })
    #expect(table.count == 2 + bins.count && bins.count > 1)
    let headings = "FORMAT CODE SIZE BITS CORRECTIONS FALSE RATE RATE LOW RATE HIGH CLAIMED RATE"
    #expect(
      table[1].split(separator: " ").joined(separator: " ") == headings + " OVERCONFIDENT")
    let sums = try #require(tables.first { $0[0].hasPrefix("Entries: ") })
    // A row for each cipher, of which a build without encryption has none.
    let all = try objects.objects("soundness").filter { $0["operator"]?.string == "all" }
    #expect(sums.dropFirst(2).allSatisfy { $0.hasPrefix("mmkv ") } && sums.count == 2 + all.count)
    #expect(!all.isEmpty)
  }

  @Test(arguments: [
    ["--damage", "no-such-operator"], ["--stores", "0"], ["--wrong-keys", "0"],
    ["--wrong-keys", "5", "--format", "fastkv-apple"], ["--wrong-keys", "5", "--damage", "heavy"],
    ["--keep", ""],
  ])
  func argumentsThatMakeNoSense(arguments: [String]) async throws {
    let outcome = try await calibrate(arguments)
    #expect(outcome.status == 64, "\(outcome.testDescription)")
    #expect(outcome.output.isEmpty)
  }

  #if Encryption
    @Test func wrongKeysAreCounted() async throws {
      let outcome = try await calibrate([
        "--wrong-keys", "100", "--stores", "5", "--seed", "2", "--json",
      ])
      let line = try #require(outcome.objects("wrong-keys").first)
      #expect(line["keys"]?.integer == 100 && line["stores"]?.integer == 5)
      let accepted = try #require(line["accepted"]?.integer)
      #expect(outcome.status == (accepted == 0 ? 0 : 4), "\(outcome.testDescription)")
      #expect(try outcome.objects("wrong-key").count == accepted)
    }
  #endif
}
