import Foundation
import Testing

/// Folders with several files of settings, none of which has a log, as systems have them.
struct SettingsFolderTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func settings() throws -> String {
    let folder = try scratch.makeFolder("shared_prefs")
    for name in ["a", "b"] {
      _ = try scratch.write(
        Array("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map />\n".utf8),
        to: "shared_prefs/\(name).xml")
    }
    return folder
  }

  @Test(arguments: ["check", "dump"]) func allAreExamined(_ command: String) async throws {
    let outcome = try await Tool.run([command, settings()])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    for words in ["a.xml", "b.xml", "2 stores: 2 clean"] {
      #expect(outcome.output.contains(words), "\(outcome.testDescription)")
    }
  }

  @Test func theyAreComparedAsTrees() async throws {
    let folder = try settings()
    let compared = try await Tool.run(["compare", folder, folder])
    #expect(compared.status == 0, "\(compared.testDescription)")
    #expect(compared.output.contains("Stores: 2 same"), "\(compared.testDescription)")
  }

  @Test func aCommandForOneStoreAsksForOne() async throws {
    let outcome = try await Tool.run(["map", settings()])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    for words in ["2 stores", "a.xml", "b.xml"] {
      #expect(outcome.errors.contains(words), "\(outcome.testDescription)")
    }
  }
}
