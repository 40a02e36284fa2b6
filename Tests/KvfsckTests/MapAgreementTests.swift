import Foundation
import GRDB
import KVCalibration
import KVFixtures
import KVTestSupport
import SystemPackage
import Testing

/// Comparing `map` with `check`, which must agree on every byte, and the history with `dump`, which must
/// agree on every live record.
struct MapAgreementTests {
  private static let stores = [
    "mmkv/golden/all_types", "mmkv/golden/removes_bulk", "mmkv/golden/clearall",
    "mmkv/damaged/burst_fwb", "mmkv/damaged/head_zero_16_fwb", "mmkv/damaged/no_key_enc",
    "mmkv/damaged/after_clearall_keepspace_big", "fastkv-apple/golden/all_types",
    "fastkv-apple/damaged/many64__flip_value@0",
    "fastkv-android/golden/nb_delete", "fastkv-android/golden/nb_clear_only",
    "fastkv-android/golden/mp_old", "fastkv-android/golden/old_external",
    "fastkv-android/golden/sync_updates", "fastkv-android/golden/aes_nb_all_types",
    "fastkv-android/damaged/ab_and_c__C_extra_tail", "fastkv-android/damaged/ab_and_c__C_len_small",
    "fastkv-android/damaged/aes__AB_flip_len", "fastkv-android/damaged/mix__AB_bad_stale_C",
  ]

  @Test(arguments: stores)
  func theRegionsOfTheMapAddUpToTheCoverageOfTheCheck(store: String) async throws {
    try await expectAgreement("\(Fixture.root)/\(store)")
  }

  /// Tests freshly damaged stores of FastKV for Android.
  ///
  /// Encrypted stores are read without their key.
  @Test func theyAgreeOnFreshlyDamagedStoresOfFastKVForAndroid() async throws {
    let scratch = try Scratch()
    let wanted = TestExtent.count(4, of: 12)
    var made = 0
    // Some seeds make no store that can be damaged.
    for seed in RandomSeeds.fresh(20 * wanted) where made < wanted {
      let calibration = Calibration(seed: seed, formats: [.fastkvAndroid], damage: .heavy)
      guard let found = calibration.damagedCase(seed: seed) else { continue }
      let folder = scratch.path("\(seed)")
      try FixtureWriter().write(found.store, to: FilePath(folder))
      try await expectAgreement(
        "\(folder)/store", "seed \(seed), \(found.damages)", ["--format", "fastkv-android"])
      made += 1
    }
    #expect(made == wanted)
  }

  /// Tests two damaged copies that are combined.
  ///
  /// A record that the other copy replaces is superseded.
  @Test func theyAgreeWhereCopiesAreTakenTogether() async throws {
    let scratch = try Scratch()
    let store = try scratch.makeFolder("store")
    for name in ["kv.kva", "kv.kvb"] {
      var bytes = [UInt8](
        try Data(
          contentsOf: URL(
            filePath: "\(Fixture.root)/fastkv-android/golden/old_external_limit2048/\(name)")))
      bytes[1] ^= name == "kv.kva" ? 0x08 : 0x04
      bytes[name == "kv.kva" ? 0x60 : 0x200] ^= 0x80
      try Data(bytes).write(to: URL(filePath: "\(store)/\(name)"))
    }
    try await expectAgreement(store)
    let history = try await Tool.run(["dump", "--history"] + .clock + [store])
    #expect(history.output.contains("  in copy"), "\(history.testDescription)")
    let hits = try await Tool.run(["search", "--json", "i"] + .clock + [store])
    try await expectLiveRows(store, scratch)
    let elsewhere = try hits.objects("hit").filter { $0["file"]?.string != "copyA" }
    #expect(elsewhere.contains { $0["state"]?.string == "live" }, "\(hits.testDescription)")
  }

  /// Expects that a report has the live records of another copy, and those in its view of entries.
  private func expectLiveRows(_ store: String, _ scratch: Scratch) async throws {
    let path = scratch.path("report.sqlite")
    let report = try await Tool.run(["report", "--to", "sqlite", "--out", path] + .clock + [store])
    #expect(report.status == 0, "\(report.testDescription)")
    let dump = try await Tool.run(["dump", "--json"] + .clock + [store])
    let counts = try await DatabaseQueue(path: path).read { database in
      try ["entries", "records WHERE state = 'live'"].map {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)")
      }
    }
    let count = try dump.objects("entry").count
    #expect(counts == [count, count])
  }

  /// Expects that the live records of the history are the entries that `dump` prints, in the same places
  /// and as likely.
  private func expectSameEntries(
    _ path: String, _ comment: Comment, _ options: [String]
  ) async throws {
    func places(_ outcome: Outcome, _ type: String) throws -> Set<String> {
      let lines = try outcome.objects(type).filter {
        type == "entry" || $0["state"]?.string == "live" && $0["reason"] == nil
      }
      return Set(
        lines.map { line in
          ["key_hex", "file", "offset", "raw_hex", "probability", "evidence"]
            .map { "\(line[$0].map { "\($0)" } ?? "")" }.joined(separator: " ")
        })
    }
    let entries = try await Tool.run(["dump", "--json"] + options + .clock + [path])
    let history = try await Tool.run(["dump", "--history", "--json"] + options + .clock + [path])
    #expect(try places(entries, "entry") == places(history, "record"), comment)
  }

  private func expectAgreement(
    _ path: String, _ comment: String = "", _ options: [String] = []
  ) async throws {
    let comment = Comment(rawValue: comment)
    try await expectSameEntries(path, comment, options)
    let check = try await Tool.run(["check", "--json"] + options + .clock + [path])
    let coverage = try #require(
      try check.objects("coverage").first, "\(check.testDescription)")
    let map = try await Tool.run(["map", "--json"] + options + .clock + [path])
    var found: [String: Int] = [:]
    let regions = try map.objects("region")
    // In a store of several copies, the records of the used copy are read.
    let own =
      regions.first {
        let owner = $0["owner"]?.string ?? ""
        return ["live", "superseded", "removed", "gap"].contains { owner.hasPrefix($0) }
      } ?? regions.first
    for region in regions {
      let owner = try #require(region["owner"]?.string)
      let word = owner.split(separator: " ").first.map(String.init) ?? ""
      let isOther = region["file"]?.string != own?["file"]?.string
      let kind =
        switch word {
        case _ where isOther && ["log", "slack"].contains(word): "copies"
        case "live", "superseded", "removed", "slack": word
        case "gap", "log": "lost"
        default: "structure"
        }
      found[kind, default: 0] += try #require(region["length"]?.integer)
    }
    for kind in [
      "live", "superseded", "removed", "slack", "lost", "structure", "copies",
    ] {
      #expect(found[kind, default: 0] == coverage[kind]?.integer ?? 0, "\(kind), \(comment)")
    }
    #expect(found.values.reduce(0, +) == coverage["total"]?.integer, comment)
  }
}
