import Foundation
import Testing

/// `map` and `check` say the same of every byte.
@Suite(.timeLimit(.minutes(10)))
struct MapAgreementTests {
  private static let stores = [
    "mmkv/golden/all_types", "mmkv/golden/removes_bulk", "mmkv/golden/clearall",
    "mmkv/damaged/burst_fwb", "mmkv/damaged/head_zero_16_fwb", "mmkv/damaged/no_key_enc",
    "mmkv/damaged/after_clearall_keepspace_big", "fastkv-apple/golden/all_types",
    "fastkv-apple/damaged/many64__flip_value@0",
  ]

  @Test(arguments: stores)
  func theRegionsOfTheMapAddUpToTheCoverageOfTheCheck(store: String) async throws {
    let path = "\(Fixture.root)/\(store)"
    let check = try await Tool.run(["check", "--json"] + .clock + [path])
    let coverage = try #require(
      try check.objects("coverage").first, "\(check.testDescription)")
    let map = try await Tool.run(["map", "--json"] + .clock + [path])
    var found: [String: Int] = [:]
    for region in try map.objects("region") {
      let owner = try #require(region["owner"]?.string)
      let word = owner.split(separator: " ").first.map(String.init) ?? ""
      let kind =
        switch word {
        case "live", "superseded", "removed", "slack": word
        case "gap", "log": "lost"
        default: "structure"
        }
      found[kind, default: 0] += try #require(region["length"]?.integer)
    }
    for kind in ["live", "superseded", "removed", "slack", "lost", "structure"] {
      #expect(found[kind, default: 0] == coverage[kind]?.integer, "\(kind)")
    }
    #expect(found.values.reduce(0, +) == coverage["total"]?.integer)
  }
}
