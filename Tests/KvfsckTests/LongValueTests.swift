import Foundation
import Testing

/// Long values, which are read with bounded memory and printed with bounded output.
struct LongValueTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func store(of length: Int) throws -> String {
    let folder = try scratch.makeFolder("store\(length)")
    try LargeStore.write(entries: 1, of: length, into: folder)
    return folder
  }

  private func entry(of length: Int) async throws -> (line: String, entry: JSON) {
    let outcome = try await Tool.run(["dump", "--json", "--readings", "all", try store(of: length)])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let line = try #require(outcome.lines.first { $0.contains(#""type":"entry""#) })
    return (String(line), try JSON(parsing: line))
  }

  @Test func readingsOfAShortValueAreWhole() async throws {
    let (_, entry) = try await entry(of: 31)
    let readings = try #require(entry["readings"]?.array)
    #expect(readings.count > 1)
    #expect(readings.allSatisfy { $0["value"]?["count"] == nil })
  }

  @Test func ofALongValueTheLikeliestReadingIsWholeAndTheOthersAreCounted() async throws {
    let count = 100_000
    let (line, entry) = try await entry(of: count)
    let readings = try #require(entry["readings"]?.array).compactMap { $0["value"] }
    #expect(readings[0]["kind"]?.string == "string")
    #expect(readings[0]["value"]?.string == String(repeating: "v", count: count))
    #expect(readings[0]["count"] == nil)
    let raw = "a08d06" + String(repeating: "76", count: count)
    #expect(entry["raw_hex"]?.string == raw)
    let bytes = try #require(readings.first { $0["kind"]?.string == "bytes" })
    #expect(bytes["count"]?.integer == count)
    #expect(bytes["first_hex"]?.string == String(repeating: "76", count: 32))
    #expect(bytes["hex"] == nil)
    let list = try #require(readings.first { $0["kind"]?.string == "list<int32>" })
    #expect(list["count"]?.integer == count)
    #expect(list["first"]?.array?.count == 32)
    #expect(list["first"]?.array?.first?["value"]?.integer == 0x76)
    #expect(list["value"] == nil)
    // The string, its hexadecimal digits, and a little more.
    #expect(line.utf8.count < 3 * count + 20_000)
  }

  @Test("of a long list of small numbers, the line is no more than twelve times as long")
  func longListsAreCounted() async throws {
    for count in [1600, 65_000] {
      let folder = try scratch.makeFolder("list\(count)")
      let value = LargeStore.varint(count) + [UInt8](repeating: 1, count: count)
      try LargeStore.write([(key: "list", value: value)], into: folder)
      let outcome = try await Tool.run(["dump", "--json", folder])
      let line = try #require(outcome.lines.first { $0.contains(#""type":"entry""#) })
      let likeliest = try JSON(parsing: line)["likely"]?.array?.first
      #expect(likeliest?["count"]?.integer == count && likeliest?["value"] == nil)
      #expect(line.utf8.count < 12 * count)
    }
  }

  @Test func ofAVeryLongValueEvenTheLikeliestReadingIsCounted() async throws {
    let count = 3 << 20
    let (line, entry) = try await entry(of: count)
    let likeliest = try #require(entry["readings"]?.array?.first?["value"])
    #expect(likeliest["count"]?.integer == count)
    #expect(likeliest["first"]?.string == String(repeating: "v", count: 32))
    #expect(entry["raw_hex"]?.string?.utf8.count == 2 * (count + 4))
    #expect(line.utf8.count < 2 * count + 20_000)
  }

  /// Tests that a list of 1.6 million numbers is read within 700 MB.
  ///
  /// Such a list once took 2 GB.
  @Test(arguments: ["dump", "dump --json", "dump --history --json", "map", "check"])
  func aLongListFitsIntoALittleMemory(command: String) async throws {
    let folder = try store(of: 1_600_000)
    let outcome = try await Tool.shell(
      #"ulimit -v 700000; "$0" \#(command) "$1" | wc -c"#, [folder])
    #expect(outcome.errors == "")
    #expect(try #require(Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines))) > 10)
  }

  @Test func aFileThatIsTooLargeForTheMemoryIsAnError() async throws {
    let folder = try scratch.makeFolder("store")
    let file = try FileHandle(forWritingTo: URL(filePath: try scratch.write([1], to: "store/kv")))
    try file.truncate(atOffset: 3 << 30)
    try file.close()
    for command in ["check", "dump --json", "map", "convert --to json --out new"] {
      let outcome = try await Tool.shell(
        #"ulimit -v 2000000; exec "$0" \#(command) "$1""#, [folder], in: scratch.path)
      #expect(outcome.status == 8, "\(command): \(outcome.testDescription)")
      #expect(outcome.errors.contains("store/kv has 3,221,225,472 bytes"), "\(command)")
      #expect(outcome.errors.contains("bytes of memory"), "\(command)")
    }
    #expect(scratch.names(in: "") == ["store"])
  }
}
