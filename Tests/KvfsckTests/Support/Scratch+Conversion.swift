import Testing

extension Scratch {
  /// Runs `convert` of `stores` to a file called `name` in the folder.
  func convert(
    _ stores: [String], to format: String, _ name: String, _ options: [String] = []
  ) async throws -> Outcome {
    try await Tool.run(
      ["convert", "--to", format, "--out", path(name)] + options + .clock + stores)
  }

  /// Returns the counts that `compare` prints of two stores.
  func comparison(_ first: String, _ second: String) async throws -> [String: Int] {
    let outcome = try await Tool.run(["compare", "--json"] + .clock + [first, second])
    let line = try #require(try outcome.objects("comparison").first, "\(outcome.testDescription)")
    return Dictionary(
      uniqueKeysWithValues: ["added", "removed", "changed", "retyped", "same"].map {
        ($0, line[$0]?.integer ?? -1)
      })
  }
}
