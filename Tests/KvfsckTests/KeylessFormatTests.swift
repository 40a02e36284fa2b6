import Foundation
import KVFixtures
import Testing

/// Keys, and stores whose formats take none.
struct KeylessFormatTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("An encrypted database is unreadable, whether a key is given or not")
  func encryptedDatabase() async throws {
    var random = SeededGenerator(seed: 1)
    let path = try scratch.write(
      (0..<8192).map { _ in UInt8.random(in: 0 ... .max, using: &random) }, to: "enc.db")
    let out = scratch.path("out")
    for command in [
      ["check"], ["dump"], ["get"], ["convert", "--to", "json", "--out", out],
      ["repair", "-y", "--out", out], ["compare", path], ["check", "--key", "abc"],
    ] {
      let name = command == ["get"] ? ["key"] : []
      let outcome = try await Tool.run(command + [path] + name + ["--format", "wcdb"])
      let words = outcome.output + outcome.errors
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(words.contains("decrypt it with SQLCipher first"), "\(outcome.testDescription)")
      #expect(!words.contains("entries") && !words.contains("use convert"))
    }
    let check = try await Tool.run(["check", "--json", path, "--format", "wcdb"])
    #expect(try check.objects("summary").first?["verdict"]?.string == "unreadable")
  }

  @Test("A key that a format cannot use is noted once, unless it is for several stores")
  func unusedKeys() async throws {
    let note = "the key is not used"
    let list = try scratch.write("{\"a\":1}".utf8, to: "a.json")
    let apple = Fixture.root + "/fastkv-apple/golden/all_types"
    for store in [list, apple] {
      for command in ["check", "dump"] {
        let outcome = try await Tool.run([command, store, "--key", "k"] + .clock)
        #expect(outcome.status == 0, "\(outcome.testDescription)")
        #expect(outcome.errors.components(separatedBy: note).count == 2, "\(outcome.errors)")
        #expect(!(try await Tool.run([command, store] + .clock)).errors.contains(note))
      }
    }
    let several = try await Tool.run(["check", list, apple, "--key", "k"] + .clock)
    #expect(several.status == 0 && !several.errors.contains(note), "\(several.errors)")
    let ring = try scratch.write("** = k".utf8, to: "keys")
    #expect(!(try await Tool.run(["check", list, "--keys", ring])).errors.contains(note))
  }
}
