import Foundation
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Input that is not a store, or hardly one.
///
/// It must be reported clearly, without a crash or a hang.
struct BadInputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let commands = [
    ["check"], ["dump"], ["dump", "--history"], ["map"], ["repair", "-y", "--dry-run"],
  ]

  private static let unrecognized = "is not recognized as a key-value store"

  /// Runs every command on `path`, and expects each to fail with a message that contains all of
  /// `parts` and the path.
  private func expectRefusal(_ path: String, _ parts: String...) async throws {
    for command in BadInputTests.commands {
      let outcome = try await Tool.run(command + [path], in: scratch.path)
      #expect(outcome.status == 8, "\(command)")
      let text = outcome.output + outcome.errors
      for part in parts + [path] { #expect(text.contains(part), "\(command): \(text)") }
    }
  }

  /// Tests the predictions for a file that is not a store.
  ///
  /// An app opens such a file if it is in the place of the app's store.
  @Test func aTextForWhichAnAppsEngineIsAsked() async throws {
    let path = "\(Fixture.root)/mmkv/damaged/foreign_text/kv"
    let check = try await Tool.run(["check", "--json", path], in: scratch.path)
    #expect(check.status == 8)
    #expect(try check.objects("finding").isEmpty)
    let predictions = try check.objects("prediction")
    #expect(predictions.map { $0["strategy"]?.string } == ["discard", "recover"])
    #expect(predictions.map { $0["keys"]?.integer } == [0, 4])
    let dump = try await Tool.run(
      ["dump", "--json", "--like-engine", "-y", path], in: scratch.path)
    #expect(try dump.objects("entry").count == 4)
  }

  @Test func aMissingFile() async throws {
    try await expectRefusal(scratch.path("missing"), "no such file")
  }

  @Test func aPathBelowAFile() async throws {
    _ = try scratch.write([1, 2, 3, 4], to: "file")
    try await expectRefusal(scratch.path("file/kv"), "cannot read")
  }

  @Test func aFolderWithoutAStore() async throws {
    try await expectRefusal(try scratch.makeFolder("empty"), "has no store: it contains")
  }

  @Test func aFolderWithSeveralStoresNamesThem() async throws {
    let folder = try scratch.makeFolder("several")
    for name in ["first", "second"] {
      for suffix in ["", ".crc"] {
        try FileManager.default.copyItem(
          atPath: "\(Fixture.clean.path)/kv\(suffix)", toPath: "\(folder)/\(name)\(suffix)")
      }
    }
    let outcome = try await Tool.run(["map", folder], in: scratch.path)
    #expect(outcome.status == 8)
    for part in ["2 stores", "first", "second"] { #expect(outcome.errors.contains(part)) }
  }

  @Test func aNamedPipeDoesNotHang() async throws {
    #expect(try await Tool.run("mkfifo", [scratch.path("pipe")]).status == 0)
    try await expectRefusal(scratch.path("pipe"), "a named pipe")
  }

  @Test(arguments: ["/dev/null", "/dev/zero"])
  func aDevice(path: String) async throws {
    try await expectRefusal(path, "a character device")
  }

  @Test func aLinkThatLeadsNowhere() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: "nowhere")
    try await expectRefusal(scratch.path("link"), "cannot read")
  }

  @Test(arguments: 0...3)
  func aFileThatIsShorterThanAHeader(count: Int) async throws {
    let path = try scratch.write([UInt8](repeating: 0x80, count: count), to: "short")
    try await expectRefusal(path, Self.unrecognized)
  }

  @Test("what is named as a store keeps the findings about it")
  func whatIsNamedAsAStore() async throws {
    for (name, format) in [("short", "mmkv"), ("text", "mmkv"), ("noise", "fastkv-apple")] {
      let bytes: [UInt8] = name == "text" ? Array("hello, world\n".utf8) : [0x80, 0x81, 0x82]
      let path = try scratch.write(bytes, to: name)
      let outcome = try await Tool.run(["check", "--format", format, path])
      #expect(outcome.output.contains("damage: [\(format)."), "\(outcome.testDescription)")
    }
    let emptied = try scratch.write([], to: "default.fkv")
    for command in ["check", "scan"] {
      let outcome = try await Tool.run([command, emptied])
      #expect(outcome.output.contains("fastkv-apple"), "\(outcome.testDescription)")
    }
  }

  @Test("an encrypted store without its meta file is read with its key, and with a wrong one told")
  func aKeySaysThatAFileIsAStore() async throws {
    let noise = (0..<4096).map { UInt8(truncatingIfNeeded: ($0 * $0 * 31 + $0 * 7) >> 3) }
    let path = try scratch.write(noise, to: "noise")
    let outcome = try await Tool.run(["check", "--key", "secret", path])
    #expect(outcome.status == 8)
    #expect(outcome.output.contains("mmkv."), "\(outcome.testDescription)")
    let text = try scratch.write(Array("hello, world\n".utf8), to: "text")
    #expect(
      try await Tool.run(["check", "--key", "secret", text]).errors.contains(Self.unrecognized))
  }

  @Test func anEmptyFileIsSaidToBeOne() async throws {
    try await expectRefusal(try scratch.write([], to: "nothing"), "an empty file")
  }

  @Test func aTextFileIsSaidToBeOne() async throws {
    let text = String(repeating: "The quick brown fox jumps over the lazy dog.\n", count: 60)
    try await expectRefusal(try scratch.write(text.utf8, to: "notes"), "a text file")
  }

  @Test func zerosAreSaidToBeZeros() async throws {
    try await expectRefusal(
      try scratch.write([UInt8](repeating: 0, count: 8192), to: "blank"), "zeros")
  }

  @Test func aDatabaseIsSaidToBeOne() async throws {
    let bytes = Array("SQLite format 3\0".utf8) + [0x10, 0, 1, 1, 0, 0x40, 0x20, 0x20]
    try await expectRefusal(
      try scratch.write(bytes + [UInt8](repeating: 0, count: 4072), to: "db"), "SQLite")
  }

  @Test func anArchiveIsSaidToBeOne() async throws {
    let bytes: [UInt8] =
      [0x50, 0x4b, 3, 4, 0x14, 0, 0, 0, 8, 0] + Array(repeating: 0xa7, count: 300)
    try await expectRefusal(try scratch.write(bytes, to: "packed"), "is an archive")
  }

  @Test func randomBytesAreNoStore() async throws {
    let seed = RandomSeeds.run
    var state = seed
    let bytes = (0..<8192).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    let path = try scratch.write(bytes, to: "random")
    let outcome = try await Tool.run(["check", path])
    #expect(outcome.status == 8, "seed \(seed)")
    #expect(outcome.errors.contains(Self.unrecognized), "seed \(seed)")
    #expect(outcome.output.isEmpty, "seed \(seed)")
  }

  @Test func aFileOverFourGibibytesIsNotRead() async throws {
    let path = try scratch.write([], to: "huge")
    let descriptor = try FileDescriptor.open(FilePath(path), .writeOnly)
    try descriptor.closeAfter { try descriptor.resize(to: (4 << 30) + 1) }
    try await expectRefusal(path, "4,294,967,297 bytes", "4,294,967,295")
    // By its size, not by counting what is read.
    let outcome = try await Tool.shell(#""$0" check - < "$1""#, [path])
    #expect(outcome.status == 8)
    #expect(outcome.errors.contains("- has 4,294,967,297 bytes"))
  }

  @Test func dataWithoutItsMetaFileIsDamageAndNotARefusal() async throws {
    let folder = try scratch.copy(.clean)
    try FileManager.default.removeItem(atPath: "\(folder)/kv.crc")
    for path in [folder, "\(folder)/kv"] {
      let outcome = try await Tool.run(["check"] + .clock + [path])
      #expect(outcome.status == 4)
      #expect(outcome.output.contains("mmkv.meta-missing"))
      #expect(outcome.output.contains("45 entries"))
    }
  }

  @Test func aMetaFileWithoutItsDataIsDamageAndNotARefusal() async throws {
    let folder = try scratch.copy(.clean)
    try FileManager.default.removeItem(atPath: "\(folder)/kv")
    for path in [folder, "\(folder)/kv", "\(folder)/kv.crc"] {
      let outcome = try await Tool.run(["check"] + .clock + [path])
      #expect(outcome.status == 4)
      #expect(outcome.output.contains("mmkv.data-missing"))
    }
  }

  private static let hostile: [UInt32] = [
    0x7fff_fff7, 0x7fff_fffb, 0x7fff_ffff, 0x8000_0000, 0x8000_0004, 0xffff_fff0, 0xffff_fffb,
    0xffff_fffc, 0xffff_ffff,
  ]

  @Test(arguments: hostile)
  func sizesAtTheLimitsOfTheirTypeDoNotTrap(size: UInt32) async throws {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    let places = [("kv", [0]), ("kv.crc", [28]), ("kv.crc", [32]), ("kv.crc", [28, 32])]
    for (index, (file, offsets)) in places.enumerated() {
      let folder = try scratch.copy(.lossy, to: "store\(index)")
      var content = try scratch.bytes(of: "store\(index)/\(file)")
      for offset in offsets { content.replaceSubrange(offset..<offset + 4, with: bytes) }
      _ = try scratch.write(content, to: "store\(index)/\(file)")
      for command in [["check"], ["map"], ["repair", "-y", "--dry-run"]] {
        let outcome = try await Tool.run(command + .clock + [folder])
        #expect(outcome.status == 4, "\(command) \(file) \(offsets): \(outcome.testDescription)")
      }
    }
  }

  @Test(arguments: [4, 11, 12, 27, 28, 31, 39, 40, 111])
  func aMetaFileThatIsCutAnywhereIsDamageAndNotARefusal(count: Int) async throws {
    let folder = try scratch.copy(.lossy)
    _ = try scratch.write(try scratch.bytes(of: "store/kv.crc").prefix(count), to: "store/kv.crc")
    for command in BadInputTests.commands {
      #expect(try await Tool.run(command + .clock + [folder]).status == 4)
    }
  }

  @Test func aFileThatGrowsWhileItIsReadIsReadOrSaidToChange() async throws {
    let folder = try scratch.makeFolder("growing")
    try LargeStore.write(entries: 50, of: 100_000, into: folder)
    // The writer ends with the shell, and the shell with the last check.
    let outcome = try await Tool.shell(
      #"""
      (while test -e "$1/kv"; do printf x >>"$1/kv"; done) &
      for run in 1 2 3 4 5 6 7 8; do
        "$0" check "$1"
        echo "status $?"
      done
      kill $!
      wait
      """#, [folder])
    let statuses = outcome.lines.filter { $0.hasPrefix("status ") }
    #expect(statuses.count == 8)
    // Bytes after the file's last page are a warning at most.
    #expect(statuses.allSatisfy { ["status 0", "status 8"].contains($0) })
    let failures = statuses.count { $0 == "status 8" }
    #expect(
      outcome.errors.split(separator: "\n").count { $0.contains("changed while it was read") }
        == failures)
  }

  @Test func nothingThatIsRefusedIsWrittenTo() async throws {
    _ = try scratch.write([1, 2, 3], to: "short")
    let before = try FolderState(of: scratch.path)
    try await expectRefusal(scratch.path("short"))
    #expect(try FolderState(of: scratch.path) == before)
  }
}
