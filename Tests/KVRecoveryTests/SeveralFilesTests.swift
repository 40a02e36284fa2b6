import KVBytes
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// Several backups of several stores, and several lengths that one store states.
struct SeveralFilesTests {
  @Test func theNewestOfManyBackupsIsFirst() throws {
    let folder = try TemporaryFolder()
    let names = ["kv", "kv2", "a"]
    for path in [folder.path, folder.path.appending("sub")] {
      if path != folder.path { try Folder.make(path) }
      for name in names {
        for number in [1, 2, 9, 10, 11, 20, 100] {
          try Folder.make(path.appending("\(name).kvfsck-backup-\(number)"))
        }
      }
    }
    let found = Backup.all(below: folder.path) { Issue.record("\($0)") }
    let expected = [folder.path, folder.path.appending("sub")].flatMap { path in
      names.sorted().map { name in
        [100, 20, 11, 10, 9, 2, 1].map { path.appending("\(name).kvfsck-backup-\($0)") }
      }
    }
    #expect(found.map { $0.map(\.folder) } == expected)
  }

  /// Tests that what any stated length covers is not unused, whichever of them is the longest.
  @Test func unusedBytesBeginAfterTheLongestStatedLength() throws {
    var builder = MMKVFixtureBuilder(texts: (0..<9).map { ("key\($0)", "value \($0)") })
    builder.slack = [UInt8](repeating: 0x61, count: 100)
    let count = builder.payload.count
    let lengths = [count - 22, count, count + 30]
    for header in lengths {
      for confirmed in lengths {
        builder.header = UInt32(header)
        let part = (builder.payload + builder.slack).prefix(confirmed)
        builder.confirmed = (UInt32(confirmed), MMKVFixtureBuilder.crc32(part))
        let store = MMKVFormat(now: 0).open(builder.files())
        let end = 4 + max(count, header, confirmed)
        let parts = UnusedBytes(of: store).parts
        #expect(parts.map(\.range) == [end..<4 + count + 100], "\(header) \(confirmed)")
        #expect(parts.map(\.file.role) == [.data])
      }
    }
  }
}
