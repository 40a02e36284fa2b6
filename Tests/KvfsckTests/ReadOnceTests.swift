import Foundation
import Testing

/// The number of input bytes that the tool reads.
@Suite("Each byte of an input is read once")
struct ReadOnceTests {
  /// Returns the number of bytes that a process reads with system calls until it ends, or `nil` if
  /// the kernel does not count them.
  private static func readCount(_ arguments: [String]) async throws -> Int? {
    // The count of a shell includes the processes that it has waited for.
    let outcome = try await Tool.shell(
      """
      before=$(awk '/^rchar/ {print $2}' /proc/$$/io) || exit 99
      "$0" "$@" >/dev/null 2>&1
      while read -r name count; do
        [ "$name" = rchar: ] && echo "$count $before"
      done </proc/$$/io
      """, arguments)
    let counts = outcome.output.split(whereSeparator: { " \n".contains($0) }).compactMap { Int($0) }
    return counts.count == 2 ? counts[0] - counts[1] : nil
  }

  private static let isCounted = FileManager.default.isReadableFile(atPath: "/proc/self/io")

  /// Expects that the number of bytes read for `large` exceeds that for `small` by the difference
  /// in size.
  private func expectOnce(
    _ large: [String], of size: Int, _ small: [String], of smallSize: Int
  ) async throws {
    let read = try #require(try await Self.readCount(large))
    let start = try #require(try await Self.readCount(small))
    let difference = size - smallSize
    // The kernel's text files that the shell and the tool read vary by some bytes from run to run.
    #expect(abs(read - start - difference) < difference / 64)
  }

  private func size(in folder: String) throws -> Int {
    try FolderState.bytes(in: folder).values.reduce(0) { $0 + $1.count }
  }

  @Test(
    "of a store, by its file or its folder, alone or beside other files",
    .enabled(if: isCounted), arguments: ["check", "dump"], [false, true])
  func ofMMKV(command: String, hasOthers: Bool) async throws {
    let scratch = try Scratch()
    let (large, small) = (try scratch.makeFolder("large"), try scratch.makeFolder("small"))
    try LargeStore.write(entries: 2000, of: 1000, into: large)
    try LargeStore.write(entries: 2, of: 10, into: small)
    if hasOthers {
      for folder in [large, small] {
        for name in ["a.txt", "z.bin"] {
          try Data("no store of ours\n".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        }
      }
    }
    let (size, smallSize) = (try size(in: large), try size(in: small))
    for name in ["", "/kv", "/kv.crc"] {
      try await expectOnce(
        [command, large + name], of: size, [command, small + name], of: smallSize)
    }
  }

  @Test("of what a format without a log holds", .enabled(if: isCounted))
  func ofTables() async throws {
    let scratch = try Scratch()
    func write(_ count: Int, to name: String) throws -> (String, Int) {
      let members = (0..<count).map { "\"key_\($0)\": \"a value of some length\"" }
      let bytes = Array("{\(members.joined(separator: ","))}".utf8)
      return (try scratch.write(bytes, to: name), bytes.count)
    }
    let (large, size) = try write(20_000, to: "large.json")
    let (small, smallSize) = try write(2, to: "small.json")
    try await expectOnce(["check", large], of: size, ["check", small], of: smallSize)
  }
}
