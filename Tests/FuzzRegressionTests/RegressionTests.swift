import Foundation
import FuzzChecks
import Testing

/// Replays the inputs that fuzzing once found, without a fuzzer.
///
/// Debug builds check arithmetic and bounds most strictly.
@Suite struct RegressionTests {
  private static let fuzz = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fuzz")

  /// Returns the names of the files in a folder of `Tests/Fuzz`, or an empty array if there is no
  /// such folder.
  private static func names(in folder: String) -> [String] {
    let path = fuzz.appending(path: folder).path(percentEncoded: false)
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    return (names ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  private static let inputs = names(in: "Regressions").flatMap { target in
    names(in: "Regressions/\(target)").map { "\(target)/\($0)" }
  }

  @Test(arguments: inputs)
  func noInputBreaksAPromiseAgain(input: String) throws {
    let name = input.prefix { $0 != "/" }
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    try target.check(Array(try Data(contentsOf: Self.fuzz.appending(path: "Regressions/\(input)"))))
  }

  @Test func theInputsAreThere() {
    #expect(Self.inputs.count >= 8)
  }

  @Test func everyTargetHasItsProgramAndNoOtherHas() {
    #expect(FuzzTarget.all.map(\.name).sorted() == Self.names(in: "Targets"))
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func anInputOfNothingIsNoTrap(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    try target.check([])
    for byte in UInt8(0)..<16 { try target.check([byte]) }
  }
}
