import Foundation
import Testing

/// The flag for expiry times, a bit that no checksum covers.
///
/// The values show whether the flag is right.
struct ExpiryFlagTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func entries(_ store: String) async throws -> [String: JSON] {
    let dump = try await Tool.run(
      ["dump", "--json", "--readings", "all"] + .clock + [store])
    return Dictionary(
      try dump.objects("entry").compactMap { entry in
        entry["key"]?.string.map { ($0, entry) }
      }, uniquingKeysWith: { $1 })
  }

  private func likeliest(_ entry: JSON?) -> JSON? {
    entry?["readings"]?.array?.first?["value"]?["value"]
  }

  @Test func aFlagThatIsSetByDamageCutsNoValue() async throws {
    let store = Fixture("damaged/flags_expire_set_small").path
    let check = try await Tool.run(["check"] + .clock + [store])
    #expect(check.status == 4, "\(check.testDescription)")
    #expect(check.output.contains("[mmkv.expiry-contradicted]"))
    let entries = try await entries(store)
    #expect(entries.count == 12)
    #expect(entries.values.allSatisfy { ($0["expires_at"]?.integer ?? 0) == 0 })
    #expect(likeliest(entries["pref_2814"])?.array?.first?["value"]?.string == "6kfhlrGs3")
    // A Boolean is too short to have a time.
    #expect(entries["retry_4807"]?["evidence"]?.string == "checksum")
    #expect(entries["pref_2814"]?["cautions"] == nil)
  }

  @Test func aFlagThatIsClearedByDamageLeavesNoTimeInAValue() async throws {
    let store = Fixture("damaged/flags_expire_cleared_ex").path
    let check = try await Tool.run(["check"] + .clock + [store])
    #expect(check.status == 4, "\(check.testDescription)")
    let entries = try await entries(store)
    #expect(entries["score_8262"]?["expires_at"]?.integer == 1_760_000_500)
    #expect(likeliest(entries["score_8262"])?.string == "546 1tfx020af98a2mopBo3s")
  }

  /// Tests that numbers with an expiry time are not taken for strings without one.
  ///
  /// The first byte of each number is the length of the bytes after it, including the time.
  @Test func numbersWithATimeAreNoTextsWithoutOne() async throws {
    let script = try scratch.write(
      Array(
        """
        enableexpire 0
        float a 1.0000008344650269
        float b 2.0000016689300537
        double c 1.0000000000000024
        double d 2.0000000000000049
        string e a-text-with-a-time
        """.utf8), to: "script")
    for (name, lines) in [("numbers", 5), ("mixed", 6)] {
      let text = try String(contentsOfFile: script, encoding: .utf8)
      let part = text.split(separator: "\n").prefix(lines).joined(separator: "\n") + "\n"
      let file = try scratch.write(Array(part.utf8), to: "\(name).script")
      let made = try await Tool.run(["fixture", "make", file, "--out", scratch.path(name)])
      #expect(made.status == 0, "\(made.testDescription)")
      let check = try await Tool.run(["check"] + .clock + [scratch.path(name)])
      #expect(check.status == 0 && !check.output.contains("expiry"), "\(check.testDescription)")
      let values = try await entries(scratch.path(name))
      #expect(likeliest(values["c"])?.number == 1.0000000000000024)
    }
  }

  @Test func theTimesAreFoundWithoutFlagAndLength() async throws {
    let store = Fixture("damaged/flags_expire_cleared_ex").path
    let data = try Data(contentsOf: URL(fileURLWithPath: store + "/kv"))
    _ = try scratch.write([UInt8](repeating: 0, count: 4) + data.dropFirst(4), to: "kv")
    let lost = try await Tool.run(
      ["dump", "--json", "--readings", "all", "--state", "salvaged"] + .clock + [
        scratch.path("kv")
      ])
    let entry = try lost.objects("entry").first { $0["key"]?.string == "score_8262" }
    #expect(entry?["expires_at"]?.integer == 1_760_000_500)
    #expect(likeliest(entry)?.string == "546 1tfx020af98a2mopBo3s")
  }

  @Test(arguments: ["flags_expire_set_small", "flags_expire_cleared_ex"])
  func aRepairWritesOneForm(name: String) async throws {
    let store = Fixture("damaged/\(name)").path
    let repair = try await Tool.run(
      ["repair", "-y", "--out", scratch.path("new")] + .clock + [store])
    #expect([1, 5].contains(repair.status), "\(repair.testDescription)")
    let check = try await Tool.run(["check"] + .clock + [scratch.path("new")])
    #expect(check.status == 0 && !check.output.contains("expiry-contradicted"))
    let (before, after) = (try await entries(store), try await entries(scratch.path("new")))
    #expect(!before.isEmpty && before.count == after.count)
    for (key, entry) in before {
      #expect(likeliest(entry) == likeliest(after[key]), "\(key)")
      #expect(entry["expires_at"] == after[key]?["expires_at"], "\(key)")
    }
  }

  /// A value that the engine wrote without a time is named, and a repair gives it one.
  @Test func aValueThatWasSetBeforeTheFlagWasReadIsNoDamage() async throws {
    let store = Fixture("golden/expire_set_before_read").path
    let check = try await Tool.run(["check"] + .clock + [store])
    #expect(check.status == 0 && check.lines.first?.contains(": clean, 5 entries") == true)
    #expect(check.output.contains("warning: [mmkv.expiry-contradicted]"))
    let before = try await entries(store)
    #expect(likeliest(before["name"])?.string == "alice smith")
    #expect(before["token"]?["expires_at"]?.integer == 0x6b06_6e8f)
    let repair = try await Tool.run(
      ["repair", "-y", "--out", scratch.path("new")] + .clock + [store])
    #expect(repair.status == 0, "\(repair.testDescription)")
    let after = try await entries(scratch.path("new"))
    #expect(after.count == 5)
    for (key, entry) in before {
      #expect(likeliest(entry) == likeliest(after[key]), "\(key)")
      #expect(entry["expires_at"] == after[key]?["expires_at"], "\(key)")
    }
    let again = try await Tool.run(["check"] + .clock + [scratch.path("new")])
    #expect(again.status == 0 && !again.output.contains("expiry-contradicted"))
  }

  /// Tests that the values of healthy stores do not contradict the flag.
  ///
  /// Some of these stores have expiry times, and others do not.
  @Test(arguments: [
    "golden/expire_mixed", "golden/expire_never", "golden/expire_enabled_later",
    "golden/expire_disabled_again", "golden/expire_all_expired", "golden/all_types",
    "golden/vector_string", "golden/old_v1_3_14_expire",
    "golden/expire_set_before_read_superseded",
  ])
  func healthyStoresAreNotContradicted(name: String) async throws {
    let check = try await Tool.run(["check"] + .clock + [Fixture(name).path])
    #expect(check.status == 0 && !check.output.contains("expiry-contradicted"))
  }
}
