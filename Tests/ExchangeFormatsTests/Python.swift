import Foundation
import Testing

/// Python, whose standard library has independent readers of some formats.
enum Python {
  private static let launcher = URL(filePath: "/usr/bin/env")

  /// Whether Python is installed.
  static let isThere: Bool = {
    (try? run("print('yes')", [])) == "yes\n"
  }()

  /// Returns the output of `script` if its standard input is `bytes`.
  static func run(_ script: String, _ bytes: [UInt8]) throws -> String {
    let process = Process()
    process.executableURL = launcher
    process.arguments = ["python3", "-c", script]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(bytes))
    try input.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }
}
