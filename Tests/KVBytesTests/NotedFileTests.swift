import KVBytes
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// Files that a run notes, extends or overwrites.
struct NotedFileTests {
  /// Tests that a file counts once, however often it was looked at and read.
  @Test(arguments: 0..<16)
  func aFileThatWasLookedAtAndReadCountsOnce(number: Int) {
    let ledger = FileLedger { _ in [] }
    let paths: [FilePath] = ["a", "b"]
    for (index, path) in paths.enumerated() {
      if number >> index & 1 == 1 { ledger.noteGlance(path) }
      if number >> (index + 2) & 1 == 1 { ledger.noteRead(path, FileImage([1])) }
    }
    let seen = paths.indices.filter { number >> $0 & 1 == 1 }
    let read = paths.indices.filter { number >> ($0 + 2) & 1 == 1 }
    #expect(ledger.lookedAtCount == Set(seen + read).count)
    #expect(ledger.inputs.map(\.path) == read.map { paths[$0] })
    #expect(ledger.notRecognized == seen.filter { !read.contains($0) }.map { paths[$0] })
  }

  /// Tests last lines on either side of what is read first, and several times as long.
  @Test(arguments: [1, 65_534, 65_535, 65_536, 65_537, 200_000, 262_144, 300_000])
  func theLastLineIsReadFromItsStart(count: Int) throws {
    let folder = try TemporaryFolder()
    let line = (0..<count).map { UInt8(0x61 + $0 % 26) }
    for first in [[], Array("first\n".utf8)] {
      for rest in [[], Array("rest".utf8)] {
        let path = try folder.write(first + line + [0x0a] + rest, to: "log")
        var found: AppendedFile.End?
        try AppendedFile.append(to: path) { end in
          found = end
          return []
        }
        #expect(found?.line == line && found?.rest == rest)
        #expect(try folder.bytes(of: "log") == first + line + [0x0a] + rest)
      }
    }
  }

  /// Tests that a file is overwritten only if it is as it was read.
  @Test func aFileThatHasChangedIsNotOverwritten() throws {
    let folder = try TemporaryFolder()
    let bytes = [UInt8](1...200)
    let others = [
      bytes + [1], Array(bytes.dropLast()), [9] + bytes.dropFirst(), bytes.dropLast() + [9], [],
    ]
    for other in others {
      let path = try folder.write(other, to: "kv")
      #expect(throws: FileError.self) {
        try Overwriting.zero([10..<20], of: path, expecting: FileImage(bytes))
      }
      #expect(try folder.bytes(of: "kv") == other)
    }
    let path = try folder.write(bytes, to: "kv")
    try Overwriting.zero([10..<20, 50..<51, 190..<200], of: path, expecting: FileImage(bytes))
    let zeros = Set(10..<20).union([50]).union(190..<200)
    #expect(
      try folder.bytes(of: "kv") == bytes.indices.map { zeros.contains($0) ? 0 : bytes[$0] })
  }
}
