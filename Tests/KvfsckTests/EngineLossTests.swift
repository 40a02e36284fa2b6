import Foundation
import Testing

/// Predicting and reporting what the engine of the written format would lose.
struct EngineLossTests {
  private let scratch: Scratch
  private static let separator = "$FastKVSeperatorString$"

  init() throws { scratch = try Scratch() }

  @Test(arguments: [
    ("text", separator), ("text", "a\(separator)b"), ("text", String(separator.dropLast())),
    ("key \(separator)", "x"), ("text", "\(separator)\(separator)"),
  ])
  func aSeparatorInATextOrAKeyIsALossWhereTheEngineCutsAtIt(
    key: String, text: String
  ) async throws {
    let isLost = (key + text).contains(Self.separator)
    let source = try scratch.write(#"{"other": "y", "\#(key)": "\#(text)"}"#.utf8, to: "in.json")
    let out = scratch.path("out.fkv")
    let command = ["convert", "--to", "fastkv-apple", "--out", out, source]
    let strict = try await Tool.run(command + ["--strict"])
    #expect(strict.status == (isLost ? 4 : 0), "\(strict.testDescription)")
    #expect(FileManager.default.fileExists(atPath: out) == !isLost)
    guard isLost else { return }
    #expect(strict.output.contains("the entry is left out: it contains the "))
    let outcome = try await Tool.run(command)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.output.contains("1 entry as fastkv-apple, 1 left out; 1 loss\n"))
    let check = try await Tool.run(["check", "--json", out])
    let predictions = try check.objects("prediction")
    #expect(predictions.map { $0["keys"]?.integer } == [1, 1], "\(check.testDescription)")
    #expect(predictions.map { $0["lost"]?.integer } == [0, 0])
  }
}
