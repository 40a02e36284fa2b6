import Foundation
import KVBytes
import KVFixtures
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

@Suite struct FileImageTests {
  @Test func patternsAreFoundWhereTheyBegin() {
    var random = SeededGenerator(seed: 1)
    for turn in 0..<400 {
      // With few distinct bytes, prefixes of the pattern are frequent.
      let bytes = (0..<60).map { _ in UInt8.random(in: 0...2, using: &random) }
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = Int.random(in: start...bytes.count, using: &random)
      let pattern = (0..<turn % 6).map { _ in UInt8.random(in: 0...2, using: &random) }
      let expected = (start..<end).first { offset in
        !pattern.isEmpty && offset + pattern.count <= end
          && bytes[offset..<offset + pattern.count].elementsEqual(pattern)
      }
      let found = FileImage(bytes).firstOccurrence(of: pattern, in: start..<end)
      #expect(found == expected, "\(pattern) in \(bytes[start..<end]), turn \(turn)")
    }
    #expect(FileImage([]).firstOccurrence(of: [1], in: 0..<0) == nil)
  }

  /// Bytes are tested eight at a time, so every value is tried at every place of short and long
  /// ranges.
  @Test func printableASCIIIsWhatEachByteSays() {
    for count in 1...20 {
      for place in 0..<count {
        for byte in UInt8.min ... .max {
          var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count + 2)
          // The bytes around the range do not count.
          bytes[0] = 0
          bytes[count + 1] = 0xff
          bytes[1 + place] = byte
          let isPrintable = bytes.storageSpan.isPrintableASCII(in: 1..<count + 1)
          let comment: Comment = "byte \(byte) at \(place) of \(count)"
          #expect(isPrintable == (0x20...0x7e).contains(byte), comment)
        }
      }
    }
    let ofNothing = [0].storageSpan.isPrintableASCII(in: 1..<1)
    #expect(ofNothing)
  }

  @Test func bytesAreThoseOfTheFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1, 2, 3], to: "file")
    let image = try FileImage.read(path)
    #expect(image.bytes == [1, 2, 3])
    #expect(image.count == 3 && image.range == 0..<3 && image[1] == 2)
    #expect(image.bytes(in: 1..<3) == [2, 3])
    #expect(try FileImage.read(try folder.write([], to: "empty")).count == 0)
  }

  @Test func missingFileIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("none")
    #expect(
      throws: FileError.system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    ) { try FileImage.read(path) }
  }

  @Test func folderPipeAndDeviceAreNotRead() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FileError.notRegular(path: folder.path, kind: "a folder")) {
      try FileImage.read(folder.path)
    }
    #expect(throws: FileError.notRegular(path: "/dev/null", kind: "a character device")) {
      try FileImage.read("/dev/null")
    }
    // Nothing writes to the pipe, so an open that waits would never return.
    let pipe = folder.path.appending("pipe")
    try run("mkfifo", pipe)
    #expect(throws: FileError.notRegular(path: pipe, kind: "a named pipe")) {
      try FileImage.read(pipe)
    }
  }

  @Test func fileBeyondTheFormatsIsRefusedUnread() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([], to: "large")
    let descriptor = try FileDescriptor.open(path, .readWrite)
    try descriptor.closeAfter { try descriptor.resize(to: 1 << 32 + 1) }
    #expect(
      throws: FileError.tooLarge(path: path, count: 1 << 32 + 1, limit: FileImage.maximumCount)
    ) { try FileImage.read(path) }
  }

  @Test func fileThatMayNotBeReadIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1], to: "file", mode: 0)
    // A superuser can read the file. For others, the error must say why it cannot be read.
    do {
      let image = try FileImage.read(path)
      #expect(image.bytes == [1])
    } catch {
      #expect(error == .system(operation: "read", path: path, errno: .permissionDenied))
      #expect(error.message.contains("check the permissions"))
    }
  }

  @Test(
    "A file whose folder has been listed is read as any other",
    arguments: [0, 1, 4096, 16_383, 16_384, 16_385, 100_000])
  func listedFile(count: Int) throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let path = try folder.write(bytes, to: "file")
    #expect(try FileImage.read(path, limit: count, isListed: true).bytes == bytes)
    if count > 0 {
      #expect(throws: FileError.tooLarge(path: path, count: Int64(count), limit: count - 1)) {
        try FileImage.read(path, limit: count - 1, isListed: true)
      }
    }
  }

  @Test("What has become of a file since its folder was listed is said")
  func listedFileThatIsNone() throws {
    let folder = try TemporaryFolder()
    #expect(throws: FileError.notRegular(path: folder.path, kind: "a folder")) {
      try FileImage.read(folder.path, limit: 10, isListed: true)
    }
    #if os(Linux)
      #expect(throws: FileError.notRegular(path: "/dev/zero", kind: "a character device")) {
        try FileImage.read("/dev/zero", limit: 10, isListed: true)
      }
      let status: FilePath = "/proc/self/status"
      #expect(throws: FileError.notRegular(path: status, kind: "a file without a size")) {
        try FileImage.read(status, limit: 1 << 20, isListed: true)
      }
    #endif
  }

  @Test func everyErrorNamesItsFile() {
    let path: FilePath = "some/file"
    let errors: [FileError] = [
      .system(operation: "read", path: path, errno: .ioError), .notRegular(path: path, kind: "x"),
      .tooLarge(path: path, count: 2, limit: 1), .exists(path: path),
      .changedWhileRead(path: path, before: 1, after: 2),
    ]
    for error in errors { #expect(error.message.contains("some/file")) }
    #expect(FileError.interrupted.message.contains("nothing was written"))
  }

  @Test(arguments: ["read", "examine", "list", "write", "name", "create"])
  func whoMayNotReadIsNotToldWhereToWrite(operation: String) {
    let error = FileError.system(
      operation: operation, path: "some/file", errno: .permissionDenied)
    let isReading = ["read", "examine", "list"].contains(operation)
    #expect(error.message.contains("copy it to a place where you can read it") == isReading)
    #expect(error.message.contains("name another output folder") == !isReading)
  }

  @Test func aSuffixIsTakenOffWhatHasANameBeforeIt() {
    #expect(FilePath("in/kv.crc").removing(suffix: ".crc") == "in/kv")
    #expect(FilePath("kv").removing(suffix: ".crc") == nil)
    #expect(FilePath(".crc").removing(suffix: ".crc") == nil)
  }

  @Test func extendingKeepsTheBytesAndAddsZeros() {
    let image = FileImage([1, 2])
    #expect(image.zeroExtended(to: 4).bytes == [1, 2, 0, 0])
    #expect(image.zeroExtended(to: 3).bytes == [1, 2, 0])
    #expect(image.zeroExtended(to: 1) == image)
  }

  @Test(arguments: 0..<24)
  func zerosAreToldFromOtherBytes(_ offset: Int) {
    var bytes = [UInt8](repeating: 0, count: 200)
    #expect(FileImage(bytes).isZero(in: 0..<200))
    #expect(FileImage(bytes).lastNonzero(in: 0..<200) == nil)
    bytes[offset] = 1
    let image = FileImage(bytes)
    #expect(!image.isZero(in: 0..<200))
    #expect(image.isZero(in: 0..<offset))
    #expect(image.isZero(in: offset + 1..<200))
    #expect(image.lastNonzero(in: 0..<200) == offset)
    #expect(image.lastNonzero(in: 0..<offset) == nil)
  }

  @Test func equalRangesAreEqualAndHashTheSame() {
    let bytes = Array("0123456789abcdef-0123456789abcdex".utf8)
    func isEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
      bytes.storageSpan.isEqual(first, second)
    }
    func hash(_ range: Range<Int>, seed: UInt64) -> UInt64 {
      bytes.storageSpan.hash(in: range, seed: seed)
    }
    #expect(isEqual(0..<15, 17..<32))
    #expect(!isEqual(0..<16, 17..<33))
    #expect(!isEqual(0..<3, 0..<4))
    #expect(isEqual(3..<3, 9..<9))
    #expect(hash(0..<15, seed: 7) == hash(17..<32, seed: 7))
    #expect(hash(0..<15, seed: 7) != hash(0..<15, seed: 8))
  }
}

/// Runs a system program on `path`.
private func run(_ program: String, _ path: FilePath) throws {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program, path.string]
  try process.run()
  process.waitUntilExit()
  #expect(process.terminationStatus == 0)
}
