import Foundation
import Testing

/// The output of the tool for stores of FastKV for iOS.
struct AppleToolTests {
  private static let root = "\(Fixture.root)/fastkv-apple"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Tests that a prediction names the pointer width that it is for.
  ///
  /// A process of the other width would destroy the file.
  @Test func aPredictionNamesTheWidthThatItIsFor() async throws {
    let narrow = try await Tool.run(["check", "\(Self.root)/damaged/mix32__byte_lost/store.fkv"])
    #expect(
      narrow.output.contains(
        "At its next launch, as a 32-bit process, the app will load 11 of 12 entries"),
      "\(narrow.output)")
    #expect(narrow.output.contains("at the next launch, as a 32-bit process, the engine "))
    let wide = try await Tool.run(["check", "\(Self.root)/golden/all_types/store.fkv"])
    #expect(wide.output.contains("At its next launch, the app will "))
  }

  @Test func aKeyForAStoreThatIsNeverEncryptedIsRefused() async throws {
    let store = "\(Self.root)/golden/all_types/store.fkv"
    let outcome = try await Tool.run(["repair", "-y", "--rekey", "k", "--dry-run", store])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("never encrypted; leave out --rekey"))
  }

  @Test(arguments: ["data", "key", "value"])
  func whatTheEngineWouldCutIsSetAside(part: String) async throws {
    let new = scratch.path("new")
    let store = "\(Self.root)/golden/sep_in_\(part)/store.fkv"
    let repair = try await Tool.run(["repair", "-y", "--out", new, store])
    #expect(repair.status == 5, "\(repair.testDescription)")
    #expect(repair.output.contains("Sets aside 1 entry that the engine cannot hold"))
    let check = try await Tool.run(["check", "\(new)/store.fkv"])
    #expect(check.status == 0 && check.output.contains("clean, 2 entries"))
    let aside = try String(
      contentsOfFile: "\(new)/store.fkv.lost-and-found.jsonl", encoding: .utf8)
    #expect(aside.contains(#""reason":"it contains the text $FastKVSeperatorString$, "#))
  }
}
