import Testing

/// Python, which provides pseudo-terminals and signal masks.
enum Python {
  static func isHere() async throws -> Bool {
    (try? await Tool.run("python3", ["-c", "import pty"]))?.status == 0
  }

  /// Runs `script` with `arguments`.
  static func run(
    _ script: String, _ arguments: [String], in folder: String? = nil
  ) async throws -> Outcome {
    try await Tool.run("python3", ["-c", script] + arguments, in: folder)
  }
}
