import Foundation
import KVToolkit
import Testing
import kvfsck

/// Runs `kvfsck` as a process that knows more formats.
enum ToyTool {
  /// The catalog of kvfsck, with one line for each format of these tests.
  static let formats = FormatCatalog(
    FormatCatalog.standard.entries + [.log { _ in ToyFormat() }, .reader { _ in CountedFormat() }])

  /// The output of a run.
  struct Outcome {
    let output: String
    let errors: String

    /// Returns the objects of the type `type` in a JSON report.
    func objects(_ type: String) throws -> [[String: any Sendable]] {
      try output.split(separator: "\n").compactMap { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        let members = object as? [String: any Sendable]
        return members?["type"] as? String == type ? members : nil
      }
    }

    /// Returns the strings called `name` of the objects of the type `type`.
    func strings(_ name: String, of type: String) throws -> [String] {
      try objects(type).map { $0[name] as? String ?? "" }
    }
  }

  /// Runs the tool with `arguments`, and expects it to exit with `status`.
  static func run(_ arguments: [String], _ status: Int32 = 0) async throws -> Outcome {
    let result = await #expect(
      processExitsWith: .exitCode(status),
      observing: [\.standardOutputContent, \.standardErrorContent]
    ) { [arguments = arguments as [String]] in
      Kvfsck.run(arguments, formats: ToyTool.formats)
    }
    let found = try #require(result, "\(arguments)")
    return Outcome(
      output: String(decoding: found.standardOutputContent, as: UTF8.self),
      errors: String(decoding: found.standardErrorContent, as: UTF8.self))
  }
}
